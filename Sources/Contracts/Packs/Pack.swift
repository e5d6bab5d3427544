public import TidingsCore

/// Up to 50 deliveries of one channel, provider and lane: one row of `tidings.packs`, one message, one claim.
///
/// The content type is ``contentType``. A pack is complete: a worker sends every entry of it without reading the content again. The id is
/// also the generation of its entries, because it is never reused and a delivery belongs to one pack at a time.
public struct Pack: Sendable, Equatable {
    public var id: PackID
    public var channel: Channel
    /// The provider's name in the catalogue.
    public var provider: String
    public var lane: Lane
    public var entries: [PackEntry] { didSet { encodedEntries = nil } }
    /// The entries as they are written in a message. Nil while they are not encoded yet.
    private(set) var encodedEntries: [UInt8]?

    /// Most entries of one pack. More entries gain little, because 50 entries share the cost of a message already. A larger pack also makes
    /// one claim hold more.
    public static let maximumEntries = 50
    /// Most bytes of one encoded pack. Only an entry that is larger by itself makes a larger pack.
    ///
    /// With 64 KiB, a batch of ten packs stays well under a megabyte even if its entries are large. The log of a quorum queue stays short.
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

    /// A pack whose entries were encoded while it was built, so that ``encode()`` need not encode them again.
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
/// The entry is a class because many functions pass it on and none changes it. Passing it on costs one reference, not one for each text.
public final class PackEntry: Sendable, HasDeliveryHeader, HasContent {
    public let header: DeliveryHeader
    public let content: Content
    /// The address or endpoint id to send to. Nil if the provider addresses the person.
    public let endpoint: String?
    public let decidedAt: Timestamp
    /// The time from which the decision is stale. The entry is then routed again instead of sent.
    public let validUntil: Timestamp
    /// True when another channel waits for the end of this one.
    public let escalates: Bool
    /// True when another provider takes over if this one is misconfigured, refuses, or is skipped because its circuit breaker is open.
    public let hasStandby: Bool
    /// True when the entry waits while this provider's breaker is open, even if there is a standby. Either the outcome of an earlier
    /// attempt is unknown, or the breakers of the standbys have been open as well.
    public let waitsForProvider: Bool

    public init(
        header: DeliveryHeader, content: Content = Content(), endpoint: String? = nil, decidedAt: Timestamp, validUntil: Timestamp,
        escalates: Bool = false, hasStandby: Bool = false, waitsForProvider: Bool = false
    ) {
        self.header = header
        self.content = content
        self.endpoint = endpoint
        self.decidedAt = decidedAt
        self.validUntil = validUntil
        self.escalates = escalates
        self.hasStandby = hasStandby
        self.waitsForProvider = waitsForProvider
    }

    /// The time from which the entry is not sent at all.
    public var expiresAt: Timestamp { header.expiresAt ?? .distantFuture }
}

extension PackEntry: Equatable {
    public static func == (left: PackEntry, right: PackEntry) -> Bool {
        left.header == right.header && left.content == right.content && left.endpoint == right.endpoint
            && left.decidedAt == right.decidedAt && left.validUntil == right.validUntil && left.escalates == right.escalates
            && left.hasStandby == right.hasStandby && left.waitsForProvider == right.waitsForProvider
    }
}
