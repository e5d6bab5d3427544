public import TidingsCore

/// What one message asks: each event of it became intents or a rejection, never both and never nothing.
public struct DecodedMessage: Sendable {
    /// One for each recipient, in the order of the message.
    public var intents: [DecodedIntent]
    public var rejections: [Rejection]

    public init(intents: [DecodedIntent] = [], rejections: [Rejection] = []) {
        self.intents = intents
        self.rejections = rejections
    }

    /// How many notifications were asked for, the refused ones included: what the books must add up to.
    public var taken: Int {
        rejections.reduce(intents.count) { $0 + $1.recipients }
    }
}

/// A valid intent with what identifies it.
public struct DecodedIntent: Sendable, Hashable {
    public var intent: Intent
    /// Of tenant, source, id and recipient: the same key is the same notification, however often it comes.
    public var idempotencyKey: Digest128
    /// Of the type and the event's data without recipients and tenant: the same key with another hash is a conflict. Independent of the order of
    /// members, of spaces, of how a number or a time is spelled, and of members that name their default.
    public var contentHash: Digest128
    /// The hash of the same content as binaries before schema 29 stored it; nil where it is the same one.
    public var earlierContentHash: Digest128?
    /// What is worth knowing about an intent that was accepted all the same.
    public var notes: [ReasonCode]
    /// Where the event lies in the body of its message.
    public var bytesInMessage: Range<Int>

    public init(
        intent: Intent, idempotencyKey: Digest128, contentHash: Digest128, earlierContentHash: Digest128? = nil, notes: [ReasonCode] = [],
        bytesInMessage: Range<Int>
    ) {
        self.earlierContentHash = earlierContentHash
        self.intent = intent
        self.idempotencyKey = idempotencyKey
        self.contentHash = contentHash
        self.notes = notes
        self.bytesInMessage = bytesInMessage
    }
}

/// An event, or a whole message, that was refused: why, where, and what was kept of it.
public struct Rejection: Sendable, Hashable {
    public var reason: ReasonCode
    /// JSON Pointer (RFC 6901) into the event; empty for the event as a whole.
    public var pointer: String
    /// One sentence for the producer.
    public var message: String
    /// What the event says of itself, as far as it could be read; long values are cut.
    public var source: String?
    public var eventID: String?
    public var type: String?
    /// The tenant the event names; nil when it names none or could not be read.
    public var tenant: String?
    /// How many notifications were asked for; 1 when that could not be read.
    public var recipients: Int
    /// The event as it can be sent again: whole up to the limit for events, else the beginning of it.
    ///
    /// An event of binary mode is kept in structured form, because its attributes are not in its body.
    public var raw: [UInt8]
    /// The content type of `raw`.
    public var contentType: String?
    /// Bytes of what came, not of what was kept.
    public var size: Int
    /// SHA-256 of what came.
    public var sha256: [UInt8]
    /// True when `raw` is complete, of a content type that can be taken in again, and may be accepted then: the catalogue may change the
    /// verdict, or the event failed for its batch or for a failure of ours.
    public var isReplayable: Bool

    public init(
        reason: ReasonCode, pointer: String, message: String, source: String? = nil, eventID: String? = nil, type: String? = nil,
        tenant: String? = nil, recipients: Int = 1, raw: [UInt8], contentType: String?, size: Int, sha256: [UInt8], isReplayable: Bool
    ) {
        self.reason = reason
        self.pointer = pointer
        self.message = message
        self.source = source
        self.eventID = eventID
        self.type = type
        self.tenant = tenant
        self.recipients = recipients
        self.raw = raw
        self.contentType = contentType
        self.size = size
        self.sha256 = sha256
        self.isReplayable = isReplayable
    }
}
