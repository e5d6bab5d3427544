import Testing
import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsHTTP
import TidingsProvider

@testable import ProviderWebPush

/// The way from a binding to a provider.
struct WebPushSettingsTests {
    @Test func defaultsAreStrict() throws {
        let configuration = try WebPushFixture.configuration()
        #expect(configuration.guarding == AddressGuard())
        #expect(configuration.guarding.allowedSchemes == ["https"] && configuration.guarding.allowedPorts == [443, 8443])
        #expect(configuration.ttlSeconds == 2_419_200 && configuration.urgency == .normal)
        #expect(configuration.identity.subject == WebPushFixture.subject)
        #expect(configuration.call.timeout == .seconds(15) && configuration.call.endpoint.isEmpty)
    }

    @Test func everySettingIsRead() throws {
        let configuration = try WebPushFixture.configuration([
            "subject": "https://example.com/contact", "ttlSeconds": "0", "urgency": "very-low", "allowHTTP": "true",
            "allowedPorts": "80, 8080", "allowedNetworks": "127.0.0.0/8 ::1", "timeoutSeconds": "18", "connectTimeoutSeconds": "2",
            "maximumConcurrency": "4", "requestsPerSecond": "10", "certificateAuthorities": "/ca.pem",
        ])
        #expect(configuration.identity.subject == "https://example.com/contact")
        #expect(configuration.ttlSeconds == 0 && configuration.urgency == .veryLow)
        #expect(configuration.guarding.allowedSchemes == ["http", "https"] && configuration.guarding.allowedPorts == [80, 8080])
        #expect(configuration.guarding.allowedNetworks.map(\.description) == ["127.0.0.0/8", "::1/128"])
        #expect(configuration.call.timeout == .seconds(18) && configuration.call.connectTimeout == .seconds(2))
        #expect(configuration.call.maximumConcurrency == 4 && configuration.call.requestsPerSecond == 10)
        #expect(configuration.call.certificateAuthorities == "/ca.pem")
        #expect(try WebPushFixture.configuration(["allowedPorts": "any"]).guarding.allowedPorts == nil)
    }

    @Test(arguments: [P256Keys.raw, "\(P256Keys.raw)=", "wX8uAtXBDc9t3XCMw/IFdSnn4kElIohAtCwDy3lbr84=", P256Keys.pkcs8, P256Keys.sec1])
    func theKeyIsReadAsToolsWriteIt(_ key: String) throws {
        #expect(Base64URL.encode(try WebPushFixture.configuration(key: key).identity.key.publicKey.point) == P256Keys.point)
    }

    @Test(arguments: [
        ("hunter2hunter2!", "not a private key in PEM form"), ("hunter2hunter2hunter", "15 bytes instead of 32"),
        (P256Keys.point, "65 bytes instead of 32"), (P256Keys.publicOnly, "not a private key"), (P256Keys.encrypted, "not a private key"),
        (P256Keys.p384, "another kind"), (P256Keys.mixed, "do not belong together"),
        ("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "not from 1 to the order"),
    ])
    func aBadKeyIsRefusedWithAReason(_ key: String, _ reason: String) {
        let error = #expect(throws: ProviderConfigurationError.self) { try WebPushFixture.configuration(key: key) }
        #expect(error?.provider == "browsers" && error?.setting == "vapidPrivateKey")
        #expect(error?.description.contains(reason) == true, "\(error.map(\.description) ?? "")")
        for secret in ["hunter2", "wX8uAtXB", "MIGH", "MIG2", "iqiuguCm"] { #expect(error?.description.contains(secret) == false) }
    }

    @Test(arguments: [
        ("vapidPrivateKey", P256Keys.raw, "named, not written down"), ("vapidPrivateKey", "env:NOPE", "NOPE is not set"),
        ("vapidPrivateKey", "file:/nonexistent", "/nonexistent is missing"), ("vapidPrivatekey", "a", "did you mean vapidPrivateKey?"),
        ("ttlSeconds", "2419201", "from 0 to 2419200"), ("ttlSeconds", "-1", "from 0 to 2419200"),
        ("ttlSeconds", "1.5", "from 0 to 2419200"),
        ("urgency", "urgent", "none of very-low, low, normal, high"), ("urgency", "High", "none of"),
        ("allowHTTP", "yes", "neither true nor false"), ("allowHttp", "true", "did you mean allowHTTP?"),
        ("allowedPorts", "443,0", "\"0\" is not a port"), ("allowedPorts", "any 443", "\"any\" is not a port"),
        ("allowedNetworks", "10.0.0.1/8", "is not a block"), ("timeoutSeconds", "21", "1 to 20"), ("endpoint", "https://a.test", "unknown"),
    ])
    func aBadSettingIsRefusedWithAReason(_ setting: String, _ value: String, _ reason: String) {
        let error = #expect(throws: ProviderConfigurationError.self) { try WebPushFixture.configuration([setting: value]) }
        #expect(error?.setting == setting)
        #expect(error?.description.contains(reason) == true, "\(error.map(\.description) ?? "")")
        #expect(error?.description.contains(P256Keys.raw) == false)
    }

    @Test(arguments: ["mailto:a@b.test", "https://example.com", "https://example.com:8443/contact?a#b", "mailto:o'hara+push@example.com"])
    func aGoodSubjectIsTaken(_ subject: String) throws {
        #expect(try WebPushFixture.configuration(["subject": subject]).identity.subject == subject)
    }

    @Test(arguments: [
        ("ops@example.com", "begins neither"), ("http://example.com", "begins neither"), ("mailto:", "no e-mail address"),
        ("mailto:ops", "no e-mail address"), ("mailto:@example.com", "no e-mail address"), ("mailto:a@b@c", "no e-mail address"),
        ("mailto:ops@", "has no host"), ("https://", "has no host"), ("https:///x", "has no host"),
        ("https://localhost", "localhost"), ("https://localhost:8443/x", "localhost"), ("https://LOCALHOST", "localhost"),
        ("https://app.localhost", "localhost"), ("mailto:ops@localhost", "localhost"), ("mailto: ops@example.com", "a space"),
        ("mailto:<ops@example.com>", "a bracket"), ("mailto:öps@example.com", "outside ASCII"),
    ])
    func aBadSubjectIsRefusedWithAReason(_ subject: String, _ reason: String) {
        let error = #expect(throws: ProviderConfigurationError.self) { try WebPushFixture.configuration(["subject": subject]) }
        #expect(error?.setting == "subject")
        #expect(error?.description.contains(reason) == true, "\(error.map(\.description) ?? "")")
    }

    @Test func keyAndSubjectAreRequired() {
        let noKey = #expect(throws: ProviderConfigurationError.self) {
            try WebPushProviderFactory.make(binding: WebPushFixture.binding(["subject": WebPushFixture.subject]), environment: [:])
        }
        #expect(noKey?.setting == "vapidPrivateKey")
        let noSubject = #expect(throws: ProviderConfigurationError.self) {
            try WebPushProviderFactory.make(
                binding: WebPushFixture.binding(["vapidPrivateKey": "env:KEY"]), environment: ["KEY": P256Keys.raw])
        }
        #expect(noSubject?.setting == "subject")
    }

    @Test func theEnvironmentFillsIn() async throws {
        let provider = try WebPushProviderFactory.make(
            binding: WebPushFixture.binding([:]),
            environment: ["TIDINGS_WEBPUSH_VAPID_PRIVATE_KEY": P256Keys.raw, "TIDINGS_WEBPUSH_SUBJECT": WebPushFixture.subject])
        #expect(provider.name == "browsers")
        await provider.close()
    }

    @Test func theFactoryMakesProvidersForPushOnly() async throws {
        let settings = [
            "vapidPrivateKey": "env:KEY", "subject": WebPushFixture.subject, "timeoutSeconds": "20", "requestsPerSecond": "500",
        ]
        let environment = ["KEY": P256Keys.pkcs8]
        let provider = try WebPushProviderFactory.make(binding: WebPushFixture.binding(settings), environment: environment)
        #expect(WebPushProviderFactory.kind == "webpush" && provider.channel == .push && provider.showsBadge)
        #expect(provider.limits.sendTimeout == .seconds(20) && provider.limits.requestsPerSecond == 500)
        #expect(provider.limits.maximumTogether == 1 && provider.limits.maximumBodyBytes == 4_096)
        await provider.close()
        #expect(throws: ProviderConfigurationError.self) {
            try WebPushProviderFactory.make(binding: WebPushFixture.binding(settings, channel: .webhook), environment: environment)
        }
    }
}
