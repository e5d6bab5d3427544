import Testing
import TidingsCore
import TidingsHTTP

@testable import ProviderWebhook
@testable import TidingsProvider

struct ProviderFactoryTests {
    private func binding(_ settings: [String: String], kind: String = "webhook", channel: Channel = .webhook) -> ProviderBinding {
        ProviderBinding(name: "hooks", channel: channel, kind: kind, settings: settings, addressing: .address)
    }

    private func configuration(
        _ settings: [String: String], _ environment: [String: String] = [:]
    ) throws(ProviderConfigurationError) -> WebhookConfiguration {
        try WebhookConfiguration(
            try ProviderSettings(binding(settings), declared: WebhookProviderFactory.settings, environment: environment))
    }

    @Test func defaultsAreStrict() throws {
        let configuration = try configuration([:])
        #expect(configuration.guarding == AddressGuard())
        #expect(configuration.guarding.allowedSchemes == ["https"])
        #expect(configuration.guarding.allowedPorts == [443, 8443])
        #expect(configuration.timeout == .seconds(15))
        #expect(configuration.secrets.isEmpty && !configuration.allowsUnsigned)
    }

    @Test func everySettingIsRead() throws {
        let configuration = try configuration(
            [
                "allowHTTP": "true", "allowedPorts": "80, 8080", "allowedNetworks": "127.0.0.0/8 ::1", "timeoutSeconds": "18",
                "connectTimeoutSeconds": "2", "signingSecret": "env:HOOK", "allowUnsigned": "true", "maximumConcurrency": "4",
                "maximumConcurrencyPerHost": "2", "certificateAuthorities": "/ca.pem",
            ], ["HOOK": "\(testSecret) \(testSecret)\n"])
        #expect(configuration.guarding.allowedSchemes == ["http", "https"])
        #expect(configuration.guarding.allowedPorts == [80, 8080])
        #expect(configuration.guarding.allowedNetworks.map(\.description) == ["127.0.0.0/8", "::1/128"])
        #expect(configuration.timeout == .seconds(18) && configuration.connectTimeout == .seconds(2))
        #expect(configuration.secrets.count == 2)
        #expect(configuration.allowsUnsigned)
        #expect(configuration.maximumConcurrency == 4 && configuration.maximumConcurrencyPerHost == 2)
    }

    /// The guard of the binding decides. Settings that cannot be read refuse nothing.
    @Test func anEndpointIsJudgedByTheGuardOfTheBinding() {
        func problem(_ url: String, _ settings: [String: String] = [:], _ environment: [String: String] = [:]) -> String? {
            WebhookProviderFactory.problem(ofEndpoint: url, binding: binding(settings), environment: environment)
        }
        #expect(problem("https://shop.example/h") == nil)
        #expect(problem("http://shop.example/h") == "the scheme http is not allowed")
        #expect(problem("https://shop.example:9443/h") == "the port 9443 is not allowed")
        #expect(problem("https://10.0.0.5/h")?.contains("10.0.0.5 is not public") == true)
        #expect(problem("http://10.0.0.5/h", ["allowHTTP": "true", "allowedPorts": "80", "allowedNetworks": "10.0.0.0/8"]) == nil)
        #expect(problem("https://10.0.0.5/h", [:], ["TIDINGS_WEBHOOK_ALLOWED_NETWORKS": "10.0.0.0/8"]) == nil)
        #expect(problem("https://10.0.0.5/h", ["allowedPorts": "many"]) == nil)
    }

    @Test func anyPort() throws {
        #expect(try configuration(["allowedPorts": "any"]).guarding.allowedPorts == nil)
    }

    @Test func theEnvironmentFillsInButDoesNotOverrule() throws {
        let environment = [
            "TIDINGS_WEBHOOK_ALLOW_HTTP": "true", "TIDINGS_WEBHOOK_TIMEOUT_SECONDS": "20", "TIDINGS_WEBHOOK_SIGNING_SECRET": testSecret,
        ]
        let configuration = try configuration(["timeoutSeconds": "10"], environment)
        #expect(configuration.guarding.allowedSchemes.contains("http"))
        #expect(configuration.timeout == .seconds(10))
        #expect(configuration.secrets.count == 1)
    }

    @Test(arguments: [
        ("allowHttp", "true", "did you mean allowHTTP?"), ("zzz", "1", "there are: allowHTTP"),
        ("allowHTTP", "yes", "neither true nor false"),
        ("allowedPorts", "443,0", "\"0\" is not a port"), ("allowedPorts", "any 443", "\"any\" is not a port"),
        ("allowedNetworks", "10.0.0.1/8", "is not a block"), ("timeoutSeconds", "0", "from 1 to 20"),
        ("timeoutSeconds", "1.5", "from 1 to 20"),
        ("maximumConcurrency", "100000", "from 1 to 1000"), ("signingSecret", testSecret, "named, not written down"),
        ("signingSecret", "env:NOPE", "NOPE is not set"), ("signingSecret", "file:/nonexistent", "/nonexistent is missing"),
        ("signingSecret", "env:WEAK", "24 to 64"),
    ])
    func aBadSettingIsRefusedWithAReason(_ setting: String, _ value: String, _ reason: String) {
        let error = #expect(throws: ProviderConfigurationError.self) { try configuration([setting: value], ["WEAK": "whsec_AAAA"]) }
        #expect(error?.provider == "hooks" && error?.setting == setting)
        #expect(error?.description.contains(reason) == true, "\(error.map(\.description) ?? "")")
        #expect(error?.description.contains("MfKQ9r8") == false)
    }

    /// `tidings config show` would print the value of a setting that is not declared as a secret.
    @Test func onlyADeclaredSecretIsReadAsOne() throws {
        func settings(isSecret: Bool) throws(ProviderConfigurationError) -> ProviderSettings {
            try ProviderSettings(
                binding(["code": "env:CODE"]), declared: [ProviderSetting("code", "A code.", isSecret: isSecret)],
                environment: ["CODE": "1234"])
        }
        #expect(try settings(isSecret: true).secret("code") == "1234")
        let error = #expect(throws: ProviderConfigurationError.self) { try settings(isSecret: false).secret("code") }
        #expect(error?.setting == "code" && error?.message.contains("does not declare it") == true)
    }

    @Test func aPasswordInAnAddressIsInNoMessage() throws {
        let settings = try ProviderSettings(binding([:]), declared: [], environment: [:])
        #expect(settings.error("url", "\"ftp://user:pass@host\" is none").message == "\"ftp://***@host\" is none")
        #expect(settings.error("url", "\"a@b\" does not begin with https://").message == "\"a@b\" does not begin with https://")
    }

    @Test func everySettingHasItsVariable() {
        #expect(
            WebhookProviderFactory.settings.map { ProviderSettings.variable(kind: "webhook", setting: $0.name) }.sorted() == [
                "TIDINGS_WEBHOOK_ALLOWED_NETWORKS", "TIDINGS_WEBHOOK_ALLOWED_PORTS", "TIDINGS_WEBHOOK_ALLOW_HTTP",
                "TIDINGS_WEBHOOK_ALLOW_UNSIGNED",
                "TIDINGS_WEBHOOK_CERTIFICATE_AUTHORITIES", "TIDINGS_WEBHOOK_CONNECT_TIMEOUT_SECONDS", "TIDINGS_WEBHOOK_MAXIMUM_CONCURRENCY",
                "TIDINGS_WEBHOOK_MAXIMUM_CONCURRENCY_PER_HOST", "TIDINGS_WEBHOOK_SIGNING_SECRET", "TIDINGS_WEBHOOK_TIMEOUT_SECONDS",
            ])
    }

    @Test func theFactoryMakesWebhooksForTheirChannelOnly() async throws {
        let provider = try WebhookProviderFactory.make(binding: binding(["timeoutSeconds": "20"]), environment: [:])
        #expect(provider.name == "hooks" && provider.channel == .webhook)
        #expect(provider.limits.sendTimeout == .seconds(20) && provider.limits.maximumConcurrencyPerHost == 16)
        await provider.close()
        #expect(throws: ProviderConfigurationError.self) {
            try WebhookProviderFactory.make(binding: binding([:], channel: .push), environment: [:])
        }
    }

    @Test func nullAcceptsWithoutDelivering() async throws {
        let provider = try NullProviderFactory.make(binding: binding([:], kind: "null", channel: .push), environment: [:])
        #expect(provider.channel == .push)
        #expect(await provider.send(.sample(to: nil)) == SendResult(.accepted(providerMessageID: nil, delivered: false)))
        let error = #expect(throws: ProviderConfigurationError.self) {
            try NullProviderFactory.make(binding: binding(["x": "1"], kind: "null"), environment: [:])
        }
        #expect(error?.message == "unknown setting; a provider of kind null has none")
    }
}
