/// The settings that an app reports for one of its installations. Nil keeps the stored value, or takes the default of a new device.
public struct DeviceSettings: Sendable, Hashable {
    public var platform: DevicePlatform?
    /// The name or kind of the provider that issued the token.
    public var provider: String?
    public var environment: DeviceEnvironment?
    public var permission: Permission?
    /// The device's own market. `.some(nil)` removes it, and the person's market counts again.
    public var market: String??
    /// IANA name.
    public var timeZone: String?
    /// BCP 47, such as `es-MX`.
    public var locale: String?
    public var appVersion: String?

    public init(
        platform: DevicePlatform? = nil, provider: String? = nil, environment: DeviceEnvironment? = nil, permission: Permission? = nil,
        market: String?? = nil, timeZone: String? = nil, locale: String? = nil, appVersion: String? = nil
    ) {
        self.platform = platform
        self.provider = provider
        self.environment = environment
        self.permission = permission
        self.market = market
        self.timeZone = timeZone
        self.locale = locale
        self.appVersion = appVersion
    }
}

public enum DevicePlatform: String, CaseIterable, Sendable, Hashable {
    case ios, android, web

    /// The platform of a new device if neither its app nor its token names one.
    public static let standard = DevicePlatform.ios

    /// The kind of provider that issues the tokens of this platform's devices, unless a device names another one.
    public var standardProvider: String {
        switch self {
        case .ios: "apns"
        case .android: "fcm"
        case .web: "webpush"
        }
    }
}

/// The environment of the platform's servers that issued a token. A build from a developer's machine has a sandbox token.
public enum DeviceEnvironment: String, CaseIterable, Sendable, Hashable {
    case production, sandbox
}
