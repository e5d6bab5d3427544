/// The permission that the person gave the device to show notifications.
public struct DevicePermission: OpenWord {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let authorized = Self(rawValue: "authorized")
    public static let provisional = Self(rawValue: "provisional")
    public static let ephemeral = Self(rawValue: "ephemeral")
    public static let denied = Self(rawValue: "denied")
    public static let notDetermined = Self(rawValue: "notDetermined")
}

/// A device to register: only the token is required. The server's defaults are `ios`, `apns`, `production`, `authorized` and the person's
/// market.
public struct DeviceRegistration: Codable, Hashable, Sendable {
    /// The token of the push service. An APNs token is written in hexadecimal digits; see ``hexadecimal(_:)``.
    public var token: String
    /// `ios`, `android` or `web`.
    public var platform: String?
    public var provider: String?
    /// `production`, or `sandbox` for a build from a developer's machine.
    public var environment: String?
    public var permission: DevicePermission?
    public var market: String?
    public var timeZone: String?
    public var locale: String?
    public var appVersion: String?

    public init(
        token: String, platform: String? = nil, provider: String? = nil, environment: String? = nil, permission: DevicePermission? = nil,
        market: String? = nil, timeZone: String? = nil, locale: String? = nil, appVersion: String? = nil
    ) {
        self.token = token
        self.platform = platform
        self.provider = provider
        self.environment = environment
        self.permission = permission
        self.market = market
        self.timeZone = timeZone
        self.locale = locale
        self.appVersion = appVersion
    }

    /// Returns the token that `didRegisterForRemoteNotificationsWithDeviceToken` passes, as text.
    public static func hexadecimal(_ token: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef")
        return String(token.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}

/// A change of a registered device. A member that is nil stays as it is.
public struct DeviceChange: Codable, Hashable, Sendable {
    public var token: String?
    public var permission: DevicePermission?
    public var timeZone: String?

    public init(token: String? = nil, permission: DevicePermission? = nil, timeZone: String? = nil) {
        self.token = token
        self.permission = permission
        self.timeZone = timeZone
    }
}

/// A registered device: `{deviceId, endpointArn, body}`.
public struct Device: Codable, Hashable, Sendable, Identifiable {
    public var deviceId: String
    public var endpointArn: String?

    public var id: String { deviceId }

    public init(deviceId: String, endpointArn: String? = nil) {
        self.deviceId = deviceId
        self.endpointArn = endpointArn
    }
}
