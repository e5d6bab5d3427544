/// A configured provider of one channel: its kind and its settings.
public struct ProviderBinding: Sendable, Hashable {
    /// The operator's name for the provider. It is unique in the catalogue and part of queue names.
    public var name: String
    public var channel: Channel
    /// The provider module that sends: `inbox`, `webhook`, `null`, `apns`, …
    public var kind: String
    /// The settings that the module needs. A setting holds only the name of a secret. The value comes from the environment or a file.
    public var settings: [String: String]
    /// The information about a person that the provider needs.
    public var addressing: Addressing
    /// Whether the provider gets a copy of every notification of the channel, in addition to the delivery that reaches the person. A copy
    /// needs no endpoint.
    public var copy: Bool

    /// The kind whose deliveries are rows of the inbox. It is part of every binary and calls no external service.
    public static let inboxKind = "inbox"
    /// The kind whose deliveries are entries of a device's plan. It is part of every binary and calls no external service.
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

    /// Whether the provider needs no endpoint: it addresses the person as a whole with one delivery, or only gets copies.
    public var needsNoEndpoint: Bool {
        copy || addressing == .person
    }

    /// Whether the provider can send to an endpoint. The endpoint must name no provider, or name this one or its kind. On another channel
    /// of a device, the provider that issued the push token does not matter.
    public func carries(_ endpoint: Endpoint) -> Bool {
        guard !needsNoEndpoint, endpoint.serves(channel) else { return false }
        guard let issuer = endpoint.provider, endpoint.channel == channel else { return true }
        return issuer == name || issuer == kind
    }
}

/// The information about a person that a provider needs.
public enum Addressing: String, CaseIterable, Sendable, Hashable {
    /// Only the identity of the person. The inbox needs no more, nor do platforms that keep the list of devices themselves.
    case person
    /// The token of a device.
    case device
    /// The person's address on that channel.
    case address
}
