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

    /// - Throws: ``ReportError`` if the row lacks a column.
    public init(_ row: JSON) throws(ReportError) {
        id = try row.column("notification_id")
        tenant = try row.column("tenant")
        source = try row.column("source")
        idempotencyKey = try row.column("idempotency_key")
        reservedAt = try row.column("reserved_at")
        state = try row.column("state")
        reasonCode = try row.column("reason_code")
        cancelledAt = try row.column("cancelled_at")
        rejectedID = try row.column("rejected_id")
        pointer = try row.column("pointer")
        message = try row.column("message")
        whatToDo = try row.column("what_to_do")
        decidedAs = try row.column("decided_as")
    }
}

extension NotificationPromise.State: ReportValue {
    public init?(reported value: JSON) {
        guard let word = value.stringValue, let state = Self(rawValue: word) else { return nil }
        self = state
    }
}
