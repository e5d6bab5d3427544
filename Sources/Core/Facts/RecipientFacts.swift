/// What is known of a person at the moment of a decision.
public struct RecipientFacts: Sendable, Hashable {
    public var tenant: String
    public var recipient: String
    public var preferences: Preferences
    /// The zone in which their quiet hours are meant.
    public var zone: Zone
    /// Nil: the catalogue's default market.
    public var market: String?
    /// Their devices and addresses; the order is the order of deliveries.
    public var endpoints: [Endpoint]
    /// Changes whenever anything here changes, so that a decision made with older facts can be told. 0: never seen before.
    public var version: Int64

    public init(
        tenant: String = Intent.defaultTenant,
        recipient: String,
        preferences: Preferences = .allOn,
        zone: Zone = .utc,
        market: String? = nil,
        endpoints: [Endpoint] = [],
        version: Int64 = 0
    ) {
        self.tenant = tenant
        self.recipient = recipient
        self.preferences = preferences
        self.zone = zone
        self.market = market
        self.endpoints = endpoints
        self.version = version
    }

    /// A person never seen before: everything allowed, no devices, UTC. Not an error.
    public static func unseen(tenant: String, recipient: String) -> RecipientFacts {
        RecipientFacts(tenant: tenant, recipient: recipient)
    }
}
