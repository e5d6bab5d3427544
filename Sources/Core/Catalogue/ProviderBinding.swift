/// One configured carrier of one channel: which kind of provider, with which settings.
public struct ProviderBinding: Sendable, Hashable {
    /// The operator's name for it, unique in the catalogue; part of queue names.
    public var name: String
    public var channel: Channel
    /// Which module carries it: `inbox`, `webhook`, `null`, `apns`, …
    public var kind: String
    /// What that module asks for. Secrets are named here, never held: their values come from the environment or a file.
    public var settings: [String: String]
    /// What it needs to know of a person.
    public var addressing: Addressing
    /// True for a provider that gets a copy of every notification of the channel beside the one that reaches the person, and so needs no
    /// endpoint.
    public var copy: Bool

    /// The kind whose deliveries are rows of the inbox: part of every binary, and nobody to call.
    public static let inboxKind = "inbox"
    /// The kind whose deliveries are entries of a device's plan: part of every binary, and nobody to call.
    public static let localPlanKind = "localPlan"
    /// The kinds that are part of every binary.
    public static let ownKinds = [inboxKind, localPlanKind]

    public init(
        name: String,
        channel: Channel,
        kind: String,
        settings: [String: String] = [:],
        addressing: Addressing,
        copy: Bool = false
    ) {
        self.name = name
        self.channel = channel
        self.kind = kind
        self.settings = settings
        self.addressing = addressing
        self.copy = copy
    }

    /// Whether it sends to the person as such: one delivery, no endpoint.
    public var needsNoEndpoint: Bool {
        copy || addressing == .person
    }

    /// Whether it can send to an endpoint: one that names no provider, or this one by name or by kind. Which provider issued a device's
    /// push token does not matter to another channel of that device.
    public func carries(_ endpoint: Endpoint) -> Bool {
        guard !needsNoEndpoint, endpoint.serves(channel) else { return false }
        guard let issuer = endpoint.provider, endpoint.channel == channel else { return true }
        return issuer == name || issuer == kind
    }
}

/// What a provider needs to know of a person.
public enum Addressing: String, CaseIterable, Sendable, Hashable {
    /// Only who they are: the inbox, and platforms that keep devices themselves.
    case person
    /// The token of a device.
    case device
    /// The person's address on that channel.
    case address
}
