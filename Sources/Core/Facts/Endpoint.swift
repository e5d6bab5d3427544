/// One place where a person can be reached: a device, an address, a browser's subscription.
public struct Endpoint: Sendable, Hashable {
    /// Ours; stays the same when the token changes.
    public var id: String
    /// A device is registered for `push`, and shows `local` notifications too.
    public var channel: Channel
    /// The name or kind of the provider that issued the token; nil: any provider of the channel.
    public var provider: String?
    /// Token, address or URL.
    public var address: String
    /// What its owner lets it show.
    public var permission: Permission
    /// Whose providers serve it; nil: the person's market.
    public var market: String?
    /// A provider said that it no longer exists; kept for the record, never used.
    public var isGone: Bool

    public init(
        id: String,
        channel: Channel,
        provider: String? = nil,
        address: String,
        permission: Permission = .authorized,
        market: String? = nil,
        isGone: Bool = false
    ) {
        self.id = id
        self.channel = channel
        self.provider = provider
        self.address = address
        self.permission = permission
        self.market = market
        self.isGone = isGone
    }

    /// Whether a channel can end here. A browser, whose token is a subscription in JSON, shows nothing by itself.
    public func serves(_ channel: Channel) -> Bool {
        self.channel == channel || (channel == .local && self.channel == .push && address.utf8.first != UInt8(ascii: "{"))
    }
}

/// Whether a device may show notifications.
public enum Permission: String, CaseIterable, Sendable, Hashable {
    case authorized
    /// Shown quietly, until the person decides.
    case provisional
    /// Shown for some hours, as Apple grants it to App Clips.
    case ephemeral
    case denied
    /// Never asked, so nothing can be shown yet.
    case notDetermined

    public var allowsVisible: Bool {
        switch self {
        case .authorized, .provisional, .ephemeral: true
        case .denied, .notDetermined: false
        }
    }
}
