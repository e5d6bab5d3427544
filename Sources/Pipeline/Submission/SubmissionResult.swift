public import TidingsCore
public import TidingsStore

/// A request of a producer over HTTP, as it arrived.
public struct SubmittedRequest: Sendable {
    public var body: [UInt8]
    /// The header `Content-Type`: a CloudEvent, a batch of CloudEvents, or `application/json` with either.
    public var contentType: String?
    /// The header `Idempotency-Key`: 1 to ``longestName`` bytes of printable ASCII, without quotation marks around it.
    public var name: String?
    /// The header `traceparent`, for events that have none.
    public var traceparent: String?
    public var key: CallerKey

    /// The longest `Idempotency-Key` in bytes.
    public static let longestName = 255

    public init(body: [UInt8], contentType: String?, name: String? = nil, traceparent: String? = nil, key: CallerKey) {
        self.body = body
        self.contentType = contentType
        self.name = name
        self.traceparent = traceparent
        self.key = key
    }

    /// Whether a text may be the `Idempotency-Key` of a request: printable ASCII without spaces.
    public static func isName(_ text: String) -> Bool {
        (1...longestName).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

/// The answer to a request of a producer.
public enum SubmissionResult: Sendable {
    /// The broker has every event on disk. The notifications have the order of the events and of their recipients.
    case accepted([SubmittedNotification])
    /// Every fault of every event. Nothing was published.
    case invalid([SubmissionFault])
    /// An event was sent before with other content, as the notification `existing`. Nothing was published. `pointer` names the event in a
    /// batch.
    case conflict(existing: NotificationID, pointer: String)
    /// The `Idempotency-Key` was used for another request. Nothing was published.
    case nameReused
    /// The broker did not confirm every event in time, because it is short of memory or disk, or because a queue is full or without a
    /// majority. Some events may have arrived. The caller repeats the request with the same event ids, and gets the same notification ids.
    case blocked(retryAfter: Duration)
    /// The database or the broker does not answer. The caller repeats the request in the same way.
    case unavailable(retryAfter: Duration)
}

/// A notification that was promised.
public struct SubmittedNotification: Sendable, Hashable {
    public let id: NotificationID
    public let recipient: String
    public let source: String
    public let eventID: String
}

/// A fault of one event.
public struct SubmissionFault: Sendable, Hashable {
    /// JSON Pointer (RFC 6901) into the body. In a batch it begins with the index of the event.
    public let pointer: String
    public let message: String
    public let reason: ReasonCode
}
