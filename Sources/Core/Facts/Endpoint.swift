/// One place where a person can be reached: a device, an address, a browser's subscription.
public struct Endpoint: Sendable, Hashable {
    /// The id that Tidings gives. It stays the same when the token changes.
    public var id: String
    /// The channel for which the endpoint is registered. A device is registered for `push`, and shows `local` notifications too.
    public var channel: Channel
    /// The name or kind of the provider that issued the token; nil: any provider of the channel.
    public var provider: String?
    /// Token, address or URL.
    public var address: String
    /// The platform of a device. Nil for an endpoint that is no device, and for a platform that this version does not know.
    public var platform: DevicePlatform?
    /// The permission that the owner gave the device to show notifications.
    public var permission: Permission
    /// The market whose providers serve the endpoint. Nil: the person's market.
    public var market: String?
    /// Whether nothing is sent to the endpoint, which is kept for the record: it does not exist any more, it is suppressed, or the person
    /// denied the consent.
    public var isGone: Bool

    public init(
        id: String,
        channel: Channel,
        provider: String? = nil,
        address: String,
        platform: DevicePlatform? = nil,
        permission: Permission = .authorized,
        market: String? = nil,
        isGone: Bool = false
    ) {
        self.id = id
        self.channel = channel
        self.provider = provider
        self.address = address
        self.platform = platform
        self.permission = permission
        self.market = market
        self.isGone = isGone
    }

    /// Whether the endpoint can receive a channel. A browser shows no local notifications.
    public func serves(_ channel: Channel) -> Bool {
        self.channel == channel || (channel == .local && self.channel == .push && platform != .web)
    }
}

/// Whether a device may show notifications.
public enum Permission: String, CaseIterable, Sendable, Hashable {
    case authorized
    /// Notifications are shown quietly, until the person decides.
    case provisional
    /// Notifications are shown for some hours, as Apple grants it to App Clips.
    case ephemeral
    case denied
    /// The person was never asked, so the device can show nothing yet.
    case notDetermined

    public var allowsVisible: Bool {
        switch self {
        case .authorized, .provisional, .ephemeral: true
        case .denied, .notDetermined: false
        }
    }
}
