public import TidingsCore

/// Every exchange, queue and routing key on the broker, spelled in one place.
///
/// Names carry no version and no host, so that any process can compute them from the catalogue alone.
public enum QueueNames {
    /// Where producers publish: a topic exchange, routed by the first word of the key.
    public static let intentsExchange = "tidings.intents"
    /// Header of an intent that somebody else publishes for its producer: a releaser for `tidings_api.enqueue`, an operator who replays. It
    /// holds the AMQP user, or `db:` and the role of the database; empty when nobody knows.
    public static let producerHeader = "x-tidings-producer"
    /// Takes what `tidings.intents` could not route, so that a wrong routing key becomes a row and not a loss.
    public static let alternateExchange = "tidings.unroutable"
    /// Messages that matched no intake queue, drained into rows by the router.
    public static let rejectedQueue = "tidings.rejected"
    /// Direct exchange of packs; the routing key is the queue's name.
    public static let deliverExchange = "tidings.deliver"
    /// Takes what a work queue gave back too often.
    public static let suspectExchange = "tidings.suspect"
    /// Messages that were returned more than ``TopologySpec/deliveryLimit`` times; nothing leads back from here by itself.
    public static let suspectQueue = "tidings.suspect"

    /// The intake queue of a lane, for example `tidings.intents.urgent`.
    public static func intents(_ lane: Lane) -> String {
        "tidings.intents.\(lane.rawValue)"
    }

    /// The delivery queue of a channel, provider and lane, for example `tidings.deliver.inApp.inbox.urgent`.
    ///
    /// Provider names hold no dot (``CatalogueFile`` checks it), so the four parts can be read back.
    public static func deliver(channel: Channel, provider: String, lane: Lane) -> String {
        "tidings.deliver.\(channel.rawValue).\(provider).\(lane.rawValue)"
    }

    /// The key a producer publishes with, for example `transactional.orderUpdate`.
    ///
    /// Only the first word is looked at, to choose the intake lane; the catalogue has the last word on category and lane.
    public static func routingKey(category: Category, type: String) -> String {
        "\(category.rawValue).\(type)"
    }

    /// The intake lane of a category by its routing key.
    public static func intakeLane(of category: Category) -> Lane {
        switch category {
        case .transactional, .system: .urgent
        case .marketing, .social: .bulk
        }
    }

    /// The category whose intake queue a producer's key is bound to; nil for a key that no queue wants.
    public static func category(ofRoutingKey key: String) -> Category? {
        Category(rawValue: String(key.prefix { $0 != "." }))
    }

    /// The binding pattern that takes every type of a category, for example `marketing.#`.
    public static func bindingPattern(of category: Category) -> String {
        "\(category.rawValue).#"
    }
}
