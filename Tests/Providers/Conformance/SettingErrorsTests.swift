import ProviderAPNs
import ProviderAirship
import ProviderBraze
import ProviderFCM
import ProviderJSONOverHTTP
import ProviderWebPush
import ProviderWebhook
import Testing
import TidingsCore
import TidingsProvider

/// A factory tells every wrong setting of a binding, also when a secret is missing on this machine.
@Suite struct SettingErrorsTests {
    private static let factories: [any ProviderFactory.Type] = [
        APNsProviderFactory.self, FCMProviderFactory.self, BrazeProviderFactory.self, AirshipProviderFactory.self,
        HTTPProviderFactory.self, WebPushProviderFactory.self, WebhookProviderFactory.self,
    ]

    /// The kind, its settings, and the settings at fault. Settings in brackets are missing here, which is no fault of the catalogue.
    static let mistakes: [(String, [String: String], [String])] = [
        (
            "apns", ["key": "env:NOPE", "keyId": "short", "topic": "a b", "sandboxEndpoint": "http://a", "timeoutSeconds": "900"],
            ["(key)", "keyId", "(teamId)", "topic", "sandboxEndpoint", "timeoutSeconds"]
        ),
        (
            "fcm", ["projectId": "a b", "endpoint": "ftp://a", "maximumConcurrency": "0"],
            ["(serviceAccount)", "projectId", "endpoint", "maximumConcurrency"]
        ),
        (
            "braze", ["apiKey": "abc", "platforms": "ios, windows", "perPerson": "yes"], ["apiKey", "platforms", "perPerson", "(endpoint)"]
        ),
        (
            "braze", ["apiKey": "env:NOPE", "campaignId": "c", "endpoint": "https://a"],
            ["(apiKey)", "iosVariationId", "androidVariationId"]
        ),
        (
            "airship", ["token": "abc", "platforms": "windows", "requestsPerSecond": "x"],
            ["(appKey)", "token", "platforms", "requestsPerSecond"]
        ),
        (
            "http",
            [
                "url": "ftp://a", "method": "PUTT", "headers": "X-A\nX-Token: env:NOPE\nX-B: {{nope}}", "authorization": "abc",
                "maximumBodyBytes": "0", "success": "2xx", "successPath": "/a", "delivered": "yes", "timeoutSeconds": "0",
                "callbackAuthentication": "hmac", "callbackStates": "a = b",
            ],
            [
                "method", "url", "authorization", "headers", "(headers)", "headers", "maximumBodyBytes", "success", "successValue",
                "delivered", "timeoutSeconds", "(callbackReferencePath)", "(callbackStatePath)", "callbackStates",
            ]
        ),
        (
            "webpush", ["subject": "mailto:", "ttlSeconds": "-1", "urgency": "now", "allowedPorts": "0", "timeoutSeconds": "0"],
            ["(vapidPrivateKey)", "subject", "ttlSeconds", "urgency", "allowedPorts", "timeoutSeconds"]
        ),
        (
            "webhook",
            [
                "allowHTTP": "yes", "allowedNetworks": "a, 10.0.0.0/8, b", "timeoutSeconds": "0", "allowUnsigned": "yes",
                "signingSecret": "abc",
            ], ["allowHTTP", "allowedNetworks", "allowedNetworks", "timeoutSeconds", "allowUnsigned", "signingSecret"]
        ),
        ("webhook", ["allowHttp": "true", "timeout": "1"], ["allowHttp", "timeout"]),
    ]

    @Test(arguments: mistakes) func everyWrongSettingIsTold(_ kind: String, _ settings: [String: String], _ faults: [String]) throws {
        let factory = try #require(Self.factories.first { $0.kind == kind })
        let channel: Channel = kind == "webhook" ? .webhook : .push
        let addressing: Addressing = ["braze", "airship", "http"].contains(kind) ? .person : .device
        let binding = ProviderBinding(name: "it", channel: channel, kind: kind, settings: settings, addressing: addressing)
        let error = try #require(throws: ProviderConfigurationError.self) { try factory.make(binding: binding, environment: [:]) }
        #expect(error.all.map { $0.isMissing ? "(\($0.setting ?? ""))" : $0.setting ?? "" } == faults, "\(error)")
        #expect(error.all.allSatisfy { $0.others.isEmpty && $0.provider == "it" })
        for each in error.all { #expect(error.description.contains(each.message)) }
    }

    /// The reader of callbacks judges the headers also where the secret is missing.
    @Test func theReaderOfCallbacksTellsAll() throws {
        let binding = ProviderBinding(
            name: "it", channel: .push, kind: "http",
            settings: [
                "url": "https://a", "callbackAuthentication": "hmac", "callbackSecret": "env:NOPE", "callbackHeader": "a b",
                "callbackToleranceSeconds": "0", "callbackReferencePath": "/a", "callbackStatePath": "/b", "callbackStates": "a = gone",
            ], addressing: .person)
        let error = try #require(throws: ProviderConfigurationError.self) {
            try HTTPProviderFactory.callbackReader(binding: binding, environment: [:])
        }
        #expect(error.all.map(\.setting) == ["callbackToleranceSeconds", "callbackSecret", "callbackHeader"], "\(error)")
    }
}
