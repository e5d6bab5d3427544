public import TidingsHTTP
import TidingsProvider

/// The settings of one binding of kind `webhook`.
public struct WebhookConfiguration: Sendable {
    public var guarding: AddressGuard
    /// The longest time of one attempt from start to end. Standard Webhooks recommends 15 to 30 s.
    public var timeout: Duration
    /// The longest time for DNS, TCP and TLS; part of ``timeout``.
    public var connectTimeout: Duration
    /// Secrets for endpoints that have no secret of their own, newest first.
    public var secrets: [WebhookSecret]
    /// Whether to send without a signature if neither the endpoint nor the binding has a secret. If false, such a delivery fails as
    /// misconfigured.
    public var allowsUnsigned: Bool
    public var maximumConcurrency: Int
    public var maximumConcurrencyPerHost: Int

    public init(
        guarding: AddressGuard = AddressGuard(), timeout: Duration = .seconds(15), connectTimeout: Duration = .seconds(5),
        secrets: [WebhookSecret] = [], allowsUnsigned: Bool = false, maximumConcurrency: Int = 128, maximumConcurrencyPerHost: Int = 16
    ) {
        self.guarding = guarding
        self.timeout = timeout
        self.connectTimeout = connectTimeout
        self.secrets = secrets
        self.allowsUnsigned = allowsUnsigned
        self.maximumConcurrency = maximumConcurrency
        self.maximumConcurrencyPerHost = maximumConcurrencyPerHost
    }
}

extension WebhookConfiguration {
    /// The settings of the catalogue, in the order of the documentation.
    static let settings =
        AddressGuard.declarations + [
            ProviderSetting("timeoutSeconds", "Longest time for one attempt, 1 to 20 seconds.", defaultValue: "15"),
            ProviderSetting("connectTimeoutSeconds", "Longest time for DNS, TCP and TLS, 1 to 20 seconds.", defaultValue: "5"),
            ProviderSetting(
                "signingSecret",
                "Signs for endpoints without a secret of their own: `env:NAME` or `file:/path` of one or more `whsec_…`, the newest first.",
                isSecret: true),
            ProviderSetting("allowUnsigned", "Send unsigned where there is no secret at all.", defaultValue: "false"),
            ProviderSetting("maximumConcurrency", "Requests under way at once, 1 to 1000.", defaultValue: "128"),
            ProviderSetting("maximumConcurrencyPerHost", "Requests under way at once to one host, 1 to 1000.", defaultValue: "16"),
            ProviderSetting("certificateAuthorities", "A PEM file to trust in place of the system's certificate authorities."),
        ]

    init(_ settings: ProviderSettings) throws(ProviderConfigurationError) {
        var errors = SettingErrors(of: settings)
        let guarding = errors.collect(try AddressGuard(settings))
        let timeout = errors.collect(try settings.integer("timeoutSeconds", default: 15, in: CallSettings.allowedSeconds))
        let connectTimeout = errors.collect(try settings.integer("connectTimeoutSeconds", default: 5, in: CallSettings.allowedSeconds))
        let allowsUnsigned = errors.collect(try settings.flag("allowUnsigned", default: false))
        let concurrency = errors.collect(try settings.integer("maximumConcurrency", default: 128, in: 1...1_000))
        let perHost = errors.collect(try settings.integer("maximumConcurrencyPerHost", default: 16, in: 1...1_000))
        let secrets = errors.collect(try Self.secrets(settings))
        guard let guarding, let timeout, let connectTimeout, let allowsUnsigned, let concurrency, let perHost, let secrets else {
            throw errors.combined
        }
        self.init(
            guarding: guarding, timeout: .seconds(timeout), connectTimeout: .seconds(connectTimeout), secrets: secrets,
            allowsUnsigned: allowsUnsigned, maximumConcurrency: concurrency, maximumConcurrencyPerHost: perHost)
    }

    private static func secrets(_ settings: ProviderSettings) throws(ProviderConfigurationError) -> [WebhookSecret] {
        guard let text = try settings.secret("signingSecret") else { return [] }
        return try settings.parsed("signingSecret") { () throws(WebhookSecret.Problem) in
            try WebhookSecret.parse(text.split { $0 == "," || $0.isWhitespace }.map(String.init))
        }
    }
}
