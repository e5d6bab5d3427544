public import TidingsCore

/// Up to 50 deliveries of one channel, provider and lane: one outbox row, one message, one claim.
///
/// Content type ``contentType``. A pack is complete: a worker sends every entry of it without reading the content again.
/// The id is also the generation of its entries: it is never reused, and a delivery belongs to one pack at a time.
public struct Pack: Sendable, Hashable {
    public var id: PackID
    public var channel: Channel
    /// The provider's name in the catalogue.
    public var provider: String
    public var lane: Lane
    public var entries: [PackEntry]

    /// Most entries of one pack. More gains little (the cost of a message is spread over 50 already) and makes one claim hold more.
    public static let maximumEntries = 50
    /// Most bytes of one encoded pack; only an entry that is larger by itself makes a larger one.
    ///
    /// 64 KiB keeps 500 prefetched deliveries of ordinary size well under a megabyte, and a quorum queue's log short.
    public static let maximumBytes = 64 * 1024
    /// The AMQP content type of a message that holds one pack.
    public static let contentType = "application/vnd.tidings.pack+json"

    public init(id: PackID, channel: Channel, provider: String, lane: Lane, entries: [PackEntry]) {
        self.id = id
        self.channel = channel
        self.provider = provider
        self.lane = lane
        self.entries = entries
    }

    /// The queue this pack is published to.
    public var queueName: String {
        QueueNames.deliver(channel: channel, provider: provider, lane: lane)
    }
}

/// One delivery, with everything a provider needs to send it.
public struct PackEntry: Sendable, Hashable {
    public var notificationID: NotificationID
    /// Which delivery of the notification this is, from 0 in the order of the decision.
    public var ordinal: Int
    /// The number of the attempt that this entry asks for; the first is 1.
    public var attempt: Int
    public var tenant: String
    public var recipient: String
    public var type: String
    public var category: Category
    public var title: String?
    public var body: String?
    /// The intent's data as JSON text, always an object.
    public var data: String
    /// The address or endpoint id to send to; nil where the provider addresses the person.
    public var endpoint: String?
    public var groupKey: String?
    public var collapseKey: String?
    /// W3C trace context of the producer, already validated.
    public var traceparent: String?
    public var createdAt: Timestamp
    public var decidedAt: Timestamp
    /// Past this the decision is stale, and the entry is routed again instead of sent.
    public var validUntil: Timestamp
    /// Past this it is not sent at all.
    public var expiresAt: Timestamp
    /// True when another channel waits for the end of this one.
    public var escalates: Bool

    public init(
        notificationID: NotificationID, ordinal: Int, attempt: Int, tenant: String, recipient: String, type: String, category: Category,
        title: String? = nil, body: String? = nil, data: String = "{}", endpoint: String? = nil, groupKey: String? = nil,
        collapseKey: String? = nil, traceparent: String? = nil, createdAt: Timestamp, decidedAt: Timestamp, validUntil: Timestamp,
        expiresAt: Timestamp, escalates: Bool = false
    ) {
        self.notificationID = notificationID
        self.ordinal = ordinal
        self.attempt = attempt
        self.tenant = tenant
        self.recipient = recipient
        self.type = type
        self.category = category
        self.title = title
        self.body = body
        self.data = data
        self.endpoint = endpoint
        self.groupKey = groupKey
        self.collapseKey = collapseKey
        self.traceparent = traceparent
        self.createdAt = createdAt
        self.decidedAt = decidedAt
        self.validUntil = validUntil
        self.expiresAt = expiresAt
        self.escalates = escalates
    }
}
