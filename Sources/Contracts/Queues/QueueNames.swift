public import TidingsCore

/// The names of every exchange, queue and routing key on the broker, in one place.
///
/// Names carry no version and no host, so that any process can compute them from the catalogue alone.
public enum QueueNames {
    /// The topic exchange to which producers publish. The first word of the routing key selects the queue.
    public static let intentsExchange = "tidings.intents"
    /// The header that names the producer of an intent which another user publishes: a releaser for `tidings_api.enqueue`, the HTTP API, or
    /// an operator who replays. It holds the AMQP user, `db:` and the database role, or `key:` and the name of the API key. The header is
    /// empty when the producer is unknown.
    public static let producerHeader = "x-tidings-producer"
    /// The header with the ids that the HTTP API promised for an event's notifications: 16 bytes for each recipient, in the order of decoding.
    /// Bytes and not texts, because the ids of 1,000 recipients must fit the bytes of headers that a router keeps.
    public static let idsHeader = "x-tidings-ids"
    /// The exchange for messages that `tidings.intents` could not route, so that a wrong routing key becomes a row and not a loss.
    public static let alternateExchange = "tidings.unroutable"
    /// Messages that matched no intake queue, drained into rows by the router.
    public static let rejectedQueue = "tidings.rejected"
    /// Direct exchange of packs; the routing key is the queue's name.
    public static let deliverExchange = "tidings.deliver"
    /// The dead-letter exchange for messages that were returned to a work queue too often.
    public static let suspectExchange = "tidings.suspect"
    /// The queue of messages that were returned more than ``TopologySpec/deliveryLimit`` times. No message leaves it by itself.
    public static let suspectQueue = "tidings.suspect"

    /// The direct exchange that remembers timelines of the database, and the queue to which it is bound. A binding with the key of a timeline
    /// means that this timeline is old. The queue holds one message at most, which no process reads.
    public static let timelines = "tidings.timelines"
    /// The header of a pack with the timeline of the database of its publisher, such as `7448562081373126729/3`.
    public static let timelineHeader = "x-tidings-timeline"
    /// The queue to which `tidings doctor` publishes through ``deliverExchange``, to see a confirm. Nothing consumes it.
    public static let doctorQueue = "tidings.doctor"

    /// The fanout exchange of signals, see ``InboxSignal``. It is not durable: the processes that use it declare it when they connect.
    public static let realtimeExchange = "tidings.realtime"
    /// The beginning of the name of each queue that takes signals. A process that follows signals has one such queue for itself.
    public static let realtimeQueue = "tidings.realtime"

    /// The intake queue of a lane, for example `tidings.intents.urgent`.
    public static func intents(_ lane: Lane) -> String {
        "tidings.intents.\(lane.rawValue)"
    }

    /// The overflow queue of a lane, for example `tidings.intents.urgent.overflow`. The HTTP API sends an event there if its tenant has
    /// used its allowance in the intake queue of the lane. So the events of other tenants do not wait behind it.
    public static func overflow(_ lane: Lane) -> String {
        "\(intents(lane)).overflow"
    }

    /// The delivery queue of a channel, provider and lane, for example `tidings.deliver.inApp.inbox.urgent`.
    ///
    /// Provider names hold no dot (``CatalogueFile`` checks it), so the four parts can be read back.
    public static func deliver(channel: Channel, provider: String, lane: Lane) -> String {
        "tidings.deliver.\(channel.rawValue).\(provider).\(lane.rawValue)"
    }

    /// The key a producer publishes with, for example `transactional.orderUpdate`.
    ///
    /// The broker reads only the first word, to choose the intake lane. The catalogue makes the final choice of category and lane.
    ///
    /// - Parameter isOverflow: whether the event goes to the overflow queue of the lane, for example with
    ///   `overflow.transactional.orderUpdate`.
    public static func routingKey(category: Category, type: String, isOverflow: Bool = false) -> String {
        (isOverflow ? overflowPrefix : "") + "\(category.rawValue).\(type)"
    }

    /// The first word of the key of an event that goes to an overflow queue. No category has this name.
    private static let overflowPrefix = "overflow."

    /// The intake lane of a category by its routing key.
    public static func intakeLane(of category: Category) -> Lane {
        switch category {
        case .transactional, .system: .urgent
        case .marketing, .social: .bulk
        }
    }

    /// The category whose intake or overflow queue a key is bound to; nil for a key that no queue wants.
    public static func category(ofRoutingKey key: String) -> Category? {
        Category(rawValue: String(key.trimmingPrefix(overflowPrefix).prefix { $0 != "." }))
    }

    /// The binding pattern that takes every type of a category, for example `marketing.#`. That of the overflow queue is
    /// `overflow.marketing.#`.
    public static func bindingPattern(of category: Category, isOverflow: Bool = false) -> String {
        routingKey(category: category, type: "#", isOverflow: isOverflow)
    }
}
