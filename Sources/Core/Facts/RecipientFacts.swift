/// The facts about a person at the moment of a decision.
public struct RecipientFacts: Sendable, Hashable {
    public var tenant: String
    public var recipient: String
    public var preferences: Preferences
    /// The time zone of the person's quiet hours.
    public var zone: Zone
    /// The person's market. Nil: the catalogue's default market.
    public var market: String?
    /// The person's devices and addresses. Deliveries are planned in this order.
    public var endpoints: [Endpoint]
    /// A number that changes whenever a fact here changes. A decision made with older facts is recognised by it. 0: never seen before.
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
