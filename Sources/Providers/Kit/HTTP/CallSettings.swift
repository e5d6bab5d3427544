public import TidingsCore
public import TidingsHTTP

/// The settings of every provider that Tidings calls by HTTP at an address of the operator's choice.
///
/// The operator's address is trusted, unlike the address of a webhook. Private networks and every port are allowed. Plain HTTP is allowed
/// if the operator wrote `http://`.
public struct CallSettings: Sendable {
    /// The provider's base address, without a slash at the end: `https://fcm.googleapis.com`. Empty if the address is a setting of its own.
    public var endpoint: String
    /// The longest time of one call from start to end.
    public var timeout: Duration
    /// The longest time for DNS, TCP and TLS; part of ``timeout``.
    public var connectTimeout: Duration
    /// Concurrent calls of all processes together.
    public var maximumConcurrency: Int
    /// Calls a second of all processes together; nil for no limit.
    public var requestsPerSecond: Double?
    /// A PEM file to trust in place of the system's certificate authorities.
    public var certificateAuthorities: String?

    /// The seconds of a time-out that an operator may choose. There are at most 20, because a worker's lease ends after 25 seconds. If a
    /// call outlived the lease, another worker could send the delivery again.
    package static let allowedSeconds = 1...20
    /// The most bytes of a response that are read. A larger response is a web page, not an answer of the service.
    public static let maximumResponseBytes = 64 << 10

    /// The declarations, in the order of the documentation. These settings follow the provider's own.
    ///
    /// - Parameter endpoint: the provider's public address. If empty, the operator must set one.
    public static func declarations(endpoint: String, concurrency: Int = 128) -> [ProviderSetting] {
        let meaning = "Where the provider is, https:// or http://, without a path that it defines itself."
        return [ProviderSetting("endpoint", meaning, defaultValue: endpoint)] + declarations(concurrency: concurrency)
    }

    /// The declarations without `endpoint`, for a provider whose address is a setting of its own.
    public static func declarations(concurrency: Int = 128) -> [ProviderSetting] {
        [
            ProviderSetting("timeoutSeconds", "Longest time for one call, 1 to 20 seconds.", defaultValue: "15"),
            ProviderSetting("connectTimeoutSeconds", "Longest time for DNS, TCP and TLS, 1 to 20 seconds.", defaultValue: "5"),
            ProviderSetting(
                "maximumConcurrency", "Calls under way at once, of all processes together, 1 to 1000.", defaultValue: String(concurrency)),
            ProviderSetting("requestsPerSecond", "Calls a second, of all processes together, 1 to 100000; empty for no limit."),
            ProviderSetting("certificateAuthorities", "A PEM file to trust in place of the system's certificate authorities."),
        ]
    }

    /// Reads the settings of ``declarations(endpoint:concurrency:)``. Pass the same arguments.
    public init(_ settings: ProviderSettings, endpoint standard: String, concurrency: Int = 128) throws(ProviderConfigurationError) {
        var errors = SettingErrors(of: settings)
        let endpoint = errors.collect(try Self.endpoint(settings, default: standard))
        let call = errors.collect(try CallSettings(settings, concurrency: concurrency))
        guard let endpoint, let call else { throw errors.combined }
        self = call
        self.endpoint = endpoint
    }

    private static func endpoint(
        _ settings: ProviderSettings, default standard: String
    ) throws(ProviderConfigurationError) -> String {
        var endpoint = settings.text("endpoint") ?? standard
        while endpoint.hasSuffix("/") { endpoint.removeLast() }
        guard !endpoint.isEmpty else { throw settings.missing("endpoint", "must be set") }
        guard endpoint.hasPrefix("https://") || endpoint.hasPrefix("http://") else {
            throw settings.error("endpoint", "\"\(endpoint)\" does not begin with https:// or http://")
        }
        return endpoint
    }

    /// Reads the settings of ``declarations(concurrency:)``. Pass the same argument.
    public init(_ settings: ProviderSettings, concurrency: Int = 128) throws(ProviderConfigurationError) {
        var errors = SettingErrors(of: settings)
        let timeout = errors.collect(try settings.integer("timeoutSeconds", default: 15, in: Self.allowedSeconds))
        let connectTimeout = errors.collect(try settings.integer("connectTimeoutSeconds", default: 5, in: Self.allowedSeconds))
        let calls = errors.collect(try settings.integer("maximumConcurrency", default: concurrency, in: 1...1_000))
        let rate = errors.collect(try settings.integer("requestsPerSecond", default: 0, in: 1...100_000))
        guard let timeout, let connectTimeout, let calls, let rate else { throw errors.combined }
        endpoint = ""
        (self.timeout, self.connectTimeout) = (.seconds(timeout), .seconds(connectTimeout))
        maximumConcurrency = calls
        // Without the setting, `rate` is 0: there is no limit.
        requestsPerSecond = rate == 0 ? nil : Double(rate)
        certificateAuthorities = settings.text("certificateAuthorities")
    }

    /// Opens the connections of one provider, which must close them.
    public func connection(
        for provider: String, now: @escaping @Sendable () -> Timestamp = Timestamp.systemTime
    ) throws(ProviderConfigurationError) -> ServiceConnection {
        let configuration = HTTPConfiguration(
            maximumRequests: maximumConcurrency, maximumRequestsPerHost: maximumConcurrency,
            certificateAuthorityFile: certificateAuthorities)
        return try .open(configuration, for: provider, now: now)
    }

    /// A call to ``endpoint``, or to another address that the operator chose, such as the address that issues tokens.
    public func request(
        method: String = "POST", url: String, headers: [(String, String)], body: [UInt8]
    ) -> HTTPRequest {
        HTTPRequest(
            method: method, url: url, headers: headers, body: body, connectTimeout: connectTimeout, totalTimeout: timeout,
            maximumResponseBytes: Self.maximumResponseBytes, guarding: Self.trusting)
    }

    public func limits(maximumBodyBytes: Int, maximumTogether: Int = 1) -> ProviderLimits {
        ProviderLimits(
            maximumBodyBytes: maximumBodyBytes, maximumConcurrency: maximumConcurrency, requestsPerSecond: requestsPerSecond,
            maximumTogether: maximumTogether, sendTimeout: timeout)
    }

    /// Every address is allowed: the author of the catalogue is trusted.
    private static let trusting = AddressGuard(
        allowedSchemes: ["http", "https"], allowedPorts: nil, allowedNetworks: ["0.0.0.0/0", "::/0"].compactMap(CIDR.init))
}
