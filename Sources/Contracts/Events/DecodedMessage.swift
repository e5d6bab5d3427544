public import TidingsCore

/// The content of one message. Each of its events became intents or a rejection, never both and never nothing.
public struct DecodedMessage: Sendable {
    /// One for each recipient, in the order of the message.
    public var intents: [DecodedIntent]
    public var rejections: [Rejection]

    public init(intents: [DecodedIntent] = [], rejections: [Rejection] = []) {
        self.intents = intents
        self.rejections = rejections
    }

    /// The number of notifications that the message asks for, including refused ones. Counters of the results must add up to this number.
    public var taken: Int {
        rejections.reduce(intents.count) { $0 + $1.recipients }
    }
}

/// A valid intent with the hashes that identify it.
public struct DecodedIntent: Sendable, Hashable {
    public var intent: Intent
    /// The hash of tenant, source, id and recipient. The same key is the same notification, however often it arrives.
    public var idempotencyKey: Digest128
    /// The hash of the type, and of the event's data without recipients and tenant. The same key with another hash is a conflict.
    ///
    /// The hash does not depend on spaces, on the order of members, or on the spelling of a number or a time. A member that has its
    /// default value counts as absent.
    public var contentHash: Digest128
    /// Notes about an intent that was accepted in spite of them.
    public var notes: [ReasonCode]
    /// The place of the event in the body of its message.
    public var bytesInMessage: Range<Int>
    /// The id that the HTTP API promised for the notification. Nil: the router makes the id.
    public var reservedID: NotificationID?

    public init(
        intent: Intent, idempotencyKey: Digest128, contentHash: Digest128, notes: [ReasonCode] = [], bytesInMessage: Range<Int>
    ) {
        self.intent = intent
        self.idempotencyKey = idempotencyKey
        self.contentHash = contentHash
        self.notes = notes
        self.bytesInMessage = bytesInMessage
    }
}

/// An event or a whole message that was refused: the reason, the place of the error, and the bytes that were kept.
public struct Rejection: Sendable, Hashable {
    public var reason: ReasonCode
    /// JSON Pointer (RFC 6901) into the event; empty for the event as a whole.
    public var pointer: String
    /// One sentence for the producer.
    public var message: String
    /// The source, id and type that the event names, as far as they could be read, also from a broken event. Long values are cut.
    public var source: String?
    public var eventID: String?
    public var type: String?
    /// The tenant the event names; nil when it names none or could not be read.
    public var tenant: String?
    /// The people that the event names, as far as they could be read: each once, at most ``IntentLimits/maximumRecipients``.
    public var recipientIDs: [String] = []
    /// Whether ``raw`` may name further people: the event is broken, or it names others than those whose intents are refused.
    public var mayNameOthers = false
    /// Whether these names are more than a claim: the event was read as a whole, and its producer may name its source and its tenant.
    public var isVerified = false
    /// The number of notifications that the event asks for. 1 if this number could not be read.
    public var recipients: Int
    /// The received bytes. The event is complete up to the limit for events. Otherwise only its beginning is kept.
    public var raw: [UInt8]
    /// The content type of `raw`.
    public var contentType: String?
    /// The attributes that stand in headers, sorted by name. Two events of binary mode may have the same body, and then only these differ.
    /// Empty if `raw` has every attribute.
    public var attributes: [HeaderAttribute] = []
    /// Each violation of the type's schema, if the reason is ``ReasonCode/schemaViolation``.
    public var violations: [Violation] = []
    /// The size of the received bytes, not of the kept bytes.
    public var size: Int
    /// The SHA-256 of the received bytes.
    public var sha256: [UInt8]
    /// Whether the event can be replayed. `raw` and ``attributes`` must be complete, and the content type must be one that intake accepts.
    ///
    /// A replay must also have a chance: the catalogue may change the verdict, or the event failed because of its batch or an internal
    /// error.
    public var isReplayable: Bool

    /// A place in an event that violates the schema of its type.
    public struct Violation: Sendable, Hashable {
        /// JSON Pointer (RFC 6901) into the event.
        public var pointer: String
        public var message: String

        public init(pointer: String, message: String) {
            self.pointer = pointer
            self.message = message
        }
    }

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
