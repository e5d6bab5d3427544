/// The request of a producer for one recipient: a decoded and validated CloudEvents 1.0 event. An event with many recipients becomes many
/// intents.
///
/// `tenant`, `source`, `id` and `recipient` together identify an intent.
public struct Intent: Sendable, Hashable, HasContent {
    /// The customer of this installation whose people are addressed.
    public var tenant: String
    /// CloudEvents `source`: the system that asks.
    public var source: String
    /// CloudEvents `id`, unique within the source.
    public var id: String
    /// CloudEvents `type`: the name of the notification type.
    public var type: String
    /// CloudEvents `time`: the time of the event, as given by the producer.
    public var time: Timestamp?
    /// The person addressed. The producer chooses this name.
    public var recipient: String
    public var content: Content
    /// Takes the place of the channels that catalogue rules would choose. Nil or empty: the rules choose.
    public var channels: [Channel]?
    /// The earliest time of sending.
    public var scheduledFor: Timestamp?
    /// The instant from which nothing is sent any more. Nil: the time to live of the type or category counts.
    public var expiresAt: Timestamp?
    /// Asks for escalation over push, local and inApp. It takes effect only for types that allow it.
    public var critical: Bool
    /// Takes the place of the person's own market.
    public var market: String?
    /// W3C trace context of the producer.
    public var traceparent: String?

    public init(
        tenant: String = Intent.defaultTenant,
        source: String,
        id: String,
        type: String,
        time: Timestamp? = nil,
        recipient: String,
        content: Content = Content(),
        channels: [Channel]? = nil,
        scheduledFor: Timestamp? = nil,
        expiresAt: Timestamp? = nil,
        critical: Bool = false,
        market: String? = nil,
        traceparent: String? = nil
    ) {
        self.tenant = tenant
        self.source = source
        self.id = id
        self.type = type
        self.time = time
        self.recipient = recipient
        self.content = content
        self.channels = channels
        self.scheduledFor = scheduledFor
        self.expiresAt = expiresAt
        self.critical = critical
        self.market = market
        self.traceparent = traceparent
    }

    /// The tenant of an intent that names none.
    public static let defaultTenant = "default"
}
