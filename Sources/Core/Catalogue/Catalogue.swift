/// The declarations of an operator: notification types, policies of categories, markets, the providers of their channels, rights of
/// producers, and settings that apps read.
///
/// The catalogue is a value, not a service. Each decision uses one catalogue and stores its ``hash``.
public struct Catalogue: Sendable, Hashable {
    /// By name.
    public var types: [String: NotificationType]
    /// The policy of each category. A category without an entry has ``CategoryPolicy/standard(for:)``.
    public var categories: [Category: CategoryPolicy]
    /// By name.
    public var markets: [String: Market]
    /// By name.
    public var providers: [String: ProviderBinding]
    /// The market of a person or intent that names no market, or names a market that no longer exists.
    public var defaultMarket: String
    /// The identity of the content. A decision stores it, so that the decision can be explained with the catalogue that made it.
    public var hash: String
    /// The rights of each producer. The key is an AMQP user, or a database role with the prefix ``ProducerEntry/databasePrefix``. If
    /// empty, no producer is restricted.
    public var producers: [String: ProducerEntry]
    /// Settings of modules by name, which apps read. A module declares each as a ``FeatureSetting``.
    public var features: [String: FeatureValue]

    public init(
        types: [String: NotificationType],
        categories: [Category: CategoryPolicy],
        markets: [String: Market],
        providers: [String: ProviderBinding],
        defaultMarket: String,
        hash: String,
        producers: [String: ProducerEntry] = [:],
        features: [String: FeatureValue] = [:]
    ) {
        self.types = types
        self.categories = categories
        self.markets = markets
        self.providers = providers
        self.defaultMarket = defaultMarket
        self.hash = hash
        self.producers = producers
        self.features = features
    }

    /// Returns the policy of a category: its entry in this catalogue, else ``CategoryPolicy/standard(for:)``.
    public func policy(for category: Category) -> CategoryPolicy {
        categories[category] ?? .standard(for: category)
    }

    /// The lane of a type: its own, else its category's.
    public func lane(of type: NotificationType) -> Lane {
        type.lane ?? policy(for: type.category).lane
    }

    /// Returns the instant from which an intent is no longer worth sending.
    ///
    /// An `expiresAt` of the intent decides. Otherwise the time to live of the type, else of the category, counts from acceptance or from
    /// the scheduled time, whichever is later.
    public func expiry(of intent: Intent, type: NotificationType, acceptedAt: Timestamp) -> Timestamp {
        if let expiresAt = intent.expiresAt { return expiresAt }
        return max(acceptedAt, intent.scheduledFor ?? acceptedAt).adding(type.expiry ?? policy(for: type.category).expiry)
    }

    /// Returns the providers of a channel in a market, in the market's order. A name is left out if the catalogue does not declare it, or
    /// declares it for another channel. A repeated name counts once.
    public func bindings(for channel: Channel, in market: Market) -> [ProviderBinding] {
        var result: [ProviderBinding] = []
        for name in market.providers[channel] ?? [] where !result.contains(where: { $0.name == name }) {
            if let binding = providers[name], binding.channel == channel { result.append(binding) }
        }
        return result
    }
}
