import Testing
import TidingsCore
import TidingsProvider

@testable import ProviderFCM

/// The way from a binding to a provider.
struct FCMSettingsTests {
    @Test func theKeyFileSaysTheRest() throws {
        let configuration = try FCMFixture.configuration()
        #expect(configuration.sendURL == "https://fcm.googleapis.com/v1/projects/shop-7/messages:send")
        #expect(configuration.account.tokenURI == "https://oauth2.googleapis.com/token")
        #expect(configuration.account.clientEmail == FCMFixture.email)
        let bare = try FCMFixture.configuration(account: FCMFixture.account(tokenURI: nil))
        #expect(bare.account.tokenURI == "https://oauth2.googleapis.com/token")
    }

    @Test func endpointAndProjectCanBeOthers() throws {
        let configuration = try FCMFixture.configuration(["endpoint": "http://127.0.0.1:8/fcm/", "projectId": "123456789"])
        #expect(configuration.sendURL == "http://127.0.0.1:8/fcm/v1/projects/123456789/messages:send")
    }

    @Test(arguments: [
        ("nope", "is not JSON"), ("[]", "type is missing"), (FCMFixture.account(type: "authorized_user"), "\"authorized_user\", not"),
        (#"{"type":"service_account"}"#, "has no project_id"),
        (#"{"type":"service_account","project_id":"a/b"}"#, "project_id is not"),
        (#"{"type":"service_account","project_id":"a"}"#, "has no client_email"),
        (#"{"type":"service_account","project_id":"a","client_email":"b"}"#, "has no private_key"),
        (FCMFixture.account(key: "hunter2"), "not a private key in PEM form"), (FCMFixture.account(key: FCMKeys.elliptic), "another kind"),
        (FCMFixture.account(key: FCMKeys.short), "1024 bits"), (FCMFixture.account(tokenURI: "ftp://x"), "token_uri"),
    ])
    func aBadKeyFileIsRefusedWithAReason(_ account: String, _ reason: String) {
        let error = #expect(throws: ProviderConfigurationError.self) { try FCMFixture.configuration(account: account) }
        #expect(error?.provider == "phones" && error?.setting == "serviceAccount")
        #expect(error?.description.contains(reason) == true, "\(error.map(\.description) ?? "")")
        #expect(error?.description.contains("hunter2") == false && error?.description.contains("MIIC") == false)
    }

    @Test(arguments: [
        ("serviceAccount", "{}", "named, not written down"), ("serviceAccount", "env:NOPE", "NOPE is not set"),
        ("projectId", "a b", "\"a b\""),
        ("projectID", "a", "did you mean projectId?"), ("endpoint", "fcm.googleapis.com", "https://"), ("timeoutSeconds", "21", "1 to 20"),
    ])
    func aBadSettingIsRefusedWithAReason(_ setting: String, _ value: String, _ reason: String) {
        let error = #expect(throws: ProviderConfigurationError.self) { try FCMFixture.configuration([setting: value]) }
        #expect(error?.setting == setting)
        #expect(error?.description.contains(reason) == true, "\(error.map(\.description) ?? "")")
    }

    @Test func theKeyFileIsRequired() {
        let error = #expect(throws: ProviderConfigurationError.self) {
            try FCMProviderFactory.make(binding: FCMFixture.binding([:]), environment: [:])
        }
        #expect(error?.setting == "serviceAccount")
    }

    @Test func theFactoryMakesProvidersForPushOnly() async throws {
        let settings = ["serviceAccount": "env:ACCOUNT", "timeoutSeconds": "20", "requestsPerSecond": "500"]
        let environment = ["ACCOUNT": FCMFixture.account()]
        let provider = try FCMProviderFactory.make(binding: FCMFixture.binding(settings), environment: environment)
        #expect(provider.name == "phones" && provider.channel == .push)
        #expect(provider.limits.sendTimeout == .seconds(20) && provider.limits.requestsPerSecond == 500)
        #expect(provider.limits.maximumTogether == 1 && provider.showsBadge)
        await provider.close()
        #expect(throws: ProviderConfigurationError.self) {
            try FCMProviderFactory.make(binding: FCMFixture.binding(settings, channel: .webhook), environment: environment)
        }
    }
}
