public import TidingsCore
public import TidingsJSON

/// A row of `tidings_ops.promised`: the state of an id that names no notification. Times are texts as the database renders them: ISO 8601
/// with an offset.
public struct NotificationPromise: Sendable {
    /// The states of a promise. The HTTP API lists them, so a word of a newer version is an error.
    public enum State: String, CaseIterable, Sendable {
        /// The event waits for a router.
        case accepted
        /// The event became a notification with another id, ``NotificationPromise/decidedAs``.
        case decided
        /// The event was cancelled before a router had decided.
        case cancelled
        /// A router refused the event.
        case rejected
        /// The person was erased, before or after the notification.
        case erased
    }

    public let id: NotificationID
    public let tenant: String
    /// Nil for an erased person, and so are ``idempotencyKey`` and ``reservedAt``.
    public let source: String?
    /// The producer's event id.
    public let idempotencyKey: String?
    public let reservedAt: String?
    public let state: State
    public let reasonCode: String?
    public let cancelledAt: String?
    /// The number of the refused event. Nil if the event was not refused, and so are ``pointer`` and ``message``.
    public let rejectedID: Int?
    public let pointer: String?
    public let message: String?
    public let whatToDo: String?
    public let decidedAs: NotificationID?
    /// The columns that a producer may see.
    public let told: JSONObject

    /// - Throws: ``ReportError`` if the row lacks a column.
    public init(_ row: JSON) throws(ReportError) {
        var read = RowReader(row)
        id = try read.column("notification_id")
        tenant = try read.column("tenant")
        source = try read.column("source")
        idempotencyKey = try read.column("idempotency_key")
        reservedAt = try read.column("reserved_at")
        state = try read.column("state")
        reasonCode = try read.column("reason_code")
        cancelledAt = try read.column("cancelled_at")
        rejectedID = try read.column("rejected_id")
        pointer = try read.column("pointer")
        message = try read.column("message")
        whatToDo = try read.column("what_to_do")
        decidedAs = try read.forOperators("decided_as")
        told = read.told
    }
}

extension NotificationPromise.State: ReportValue {
    public init?(reported value: JSON) {
        guard let word = value.stringValue, let state = Self(rawValue: word) else { return nil }
        self = state
    }
}
