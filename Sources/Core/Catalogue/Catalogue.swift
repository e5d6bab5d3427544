/// Everything an operator declares: notification types, what categories mean, markets and the providers that carry their channels.
///
/// A value, not a service: every decision is made with one catalogue and stores its ``hash``.
public struct Catalogue: Sendable, Hashable {
    /// By name.
    public var types: [String: NotificationType]
    /// What a category decides; a category without an entry has ``CategoryPolicy/standard(for:)``.
    public var categories: [Category: CategoryPolicy]
    /// By name.
    public var markets: [String: Market]
    /// By name.
    public var providers: [String: ProviderBinding]
    /// The market of people and intents that name none, or one that no longer exists.
    public var defaultMarket: String
    /// Identifies the content, so that a decision can be explained with the catalogue that made it.
    public var hash: String
    /// The rights of each producer: by AMQP user, or by role of the database with ``ProducerEntry/databasePrefix``. Empty: nobody is restricted.
    public var producers: [String: ProducerEntry]

    public init(
        types: [String: NotificationType],
        categories: [Category: CategoryPolicy],
        markets: [String: Market],
        providers: [String: ProviderBinding],
        defaultMarket: String,
        hash: String,
        producers: [String: ProducerEntry] = [:]
    ) {
        self.types = types
        self.categories = categories
        self.markets = markets
        self.providers = providers
        self.defaultMarket = defaultMarket
        self.hash = hash
        self.producers = producers
    }

    /// What a category decides in this catalogue.
    public func policy(for category: Category) -> CategoryPolicy {
        categories[category] ?? .standard(for: category)
    }

    /// The lane of a type: its own, else its category's.
    public func lane(of type: NotificationType) -> Lane {
        type.lane ?? policy(for: type.category).lane
    }

    /// When an intent of a type is no longer worth sending: its own `expiresAt`, else the type's or category's time to live, counted from
    /// acceptance or from the scheduled time, whichever is later.
    public func expiry(of intent: Intent, type: NotificationType, acceptedAt: Timestamp) -> Timestamp {
        if let expiresAt = intent.expiresAt { return expiresAt }
        return max(acceptedAt, intent.scheduledFor ?? acceptedAt).adding(type.expiry ?? policy(for: type.category).expiry)
    }

    /// The providers that carry a channel in a market, in the market's order. A name that is not declared, declared for another channel, or
    /// listed again is left out.
    public func bindings(for channel: Channel, in market: Market) -> [ProviderBinding] {
        var result: [ProviderBinding] = []
        for name in market.providers[channel] ?? [] where !result.contains(where: { $0.name == name }) {
            if let binding = providers[name], binding.channel == channel { result.append(binding) }
        }
        return result
    }
}
