/// What an app tells of one of its installations; nil leaves what is stored, or takes the default of a new device.
public struct DeviceSettings: Sendable, Hashable {
    public var platform: DevicePlatform?
    /// The name or kind of the provider that issued the token.
    public var provider: String?
    public var environment: DeviceEnvironment?
    public var permission: Permission?
    /// `.some(nil)` goes back to the person's market.
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

    /// Whose tokens its devices have unless they say otherwise, by kind.
    public var standardProvider: String {
        switch self {
        case .ios: "apns"
        case .android: "fcm"
        case .web: "webpush"
        }
    }
}

/// Which of a platform's servers issued a token: a build from a developer's machine has one of the sandbox.
public enum DeviceEnvironment: String, CaseIterable, Sendable, Hashable {
    case production, sandbox
}
