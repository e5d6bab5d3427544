public import TidingsCore

/// Up to 50 deliveries of one channel, provider and lane: one outbox row, one message, one claim.
///
/// Content type ``contentType``. A pack is complete: a worker sends every entry of it without reading the content again.
/// The id is also the generation of its entries: it is never reused, and a delivery belongs to one pack at a time.
public struct Pack: Sendable, Equatable {
    public var id: PackID
    public var channel: Channel
    /// The provider's name in the catalogue.
    public var provider: String
    public var lane: Lane
    public var entries: [PackEntry] { didSet { encodedEntries = nil } }
    /// The entries as they are written in a message, when that is known already.
    private(set) var encodedEntries: [UInt8]?

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

    /// A pack whose entries were written while it was put together: ``encode()`` need not write them again.
    init(id: PackID, channel: Channel, provider: String, lane: Lane, entries: [PackEntry], encodedEntries: [UInt8]) {
        self.init(id: id, channel: channel, provider: provider, lane: lane, entries: entries)
        self.encodedEntries = encodedEntries
    }

    public static func == (left: Pack, right: Pack) -> Bool {
        left.id == right.id && left.channel == right.channel && left.provider == right.provider && left.lane == right.lane
            && left.entries == right.entries
    }

    /// The queue this pack is published to.
    public var queueName: String {
        QueueNames.deliver(channel: channel, provider: provider, lane: lane)
    }
}

/// One delivery, with everything a provider needs to send it.
///
/// A class because it goes through many hands on its way and never changes: handing it on costs one reference, not one for each text.
public final class PackEntry: Sendable, HasContent {
    public let notificationID: NotificationID
    /// Which delivery of the notification this is, from 0 in the order of the decision.
    public let ordinal: Int
    /// The number of the attempt that this entry asks for; the first is 1.
    public let attempt: Int
    public let tenant: String
    public let recipient: String
    public let type: String
    public let category: Category
    public let content: Content
    /// The address or endpoint id to send to; nil where the provider addresses the person.
    public let endpoint: String?
    /// W3C trace context of the producer, already validated.
    public let traceparent: String?
    public let createdAt: Timestamp
    public let decidedAt: Timestamp
    /// Past this the decision is stale, and the entry is routed again instead of sent.
    public let validUntil: Timestamp
    /// Past this it is not sent at all.
    public let expiresAt: Timestamp
    /// True when another channel waits for the end of this one.
    public let escalates: Bool
    /// True when another provider takes over should this one be misconfigured, refuse, or not be called because it has been failing.
    public let hasStandby: Bool
    /// True when it waits while this provider is failing, whoever stands by: nobody knows how an earlier attempt of it ended, or those who could
    /// take over have been failing as well.
    public let waitsForProvider: Bool

    public init(
        notificationID: NotificationID, ordinal: Int, attempt: Int, tenant: String, recipient: String, type: String, category: Category,
        content: Content = Content(), endpoint: String? = nil, traceparent: String? = nil, createdAt: Timestamp, decidedAt: Timestamp,
        validUntil: Timestamp,
        expiresAt: Timestamp, escalates: Bool = false, hasStandby: Bool = false, waitsForProvider: Bool = false
    ) {
        self.notificationID = notificationID
        self.ordinal = ordinal
        self.attempt = attempt
        self.tenant = tenant
        self.recipient = recipient
        self.type = type
        self.category = category
        self.content = content
        self.endpoint = endpoint
        self.traceparent = traceparent
        self.createdAt = createdAt
        self.decidedAt = decidedAt
        self.validUntil = validUntil
        self.expiresAt = expiresAt
        self.escalates = escalates
        self.hasStandby = hasStandby
        self.waitsForProvider = waitsForProvider
    }
}

extension PackEntry: Equatable {
    public static func == (left: PackEntry, right: PackEntry) -> Bool {
        (left.notificationID, left.ordinal, left.attempt, left.tenant, left.recipient, left.type)
            == (right.notificationID, right.ordinal, right.attempt, right.tenant, right.recipient, right.type)
            && (left.category, left.content, left.endpoint, left.traceparent)
                == (right.category, right.content, right.endpoint, right.traceparent)
            && (left.createdAt, left.decidedAt, left.validUntil, left.expiresAt)
                == (right.createdAt, right.decidedAt, right.validUntil, right.expiresAt)
            && left.escalates == right.escalates && left.hasStandby == right.hasStandby && left.waitsForProvider == right.waitsForProvider
    }
}
