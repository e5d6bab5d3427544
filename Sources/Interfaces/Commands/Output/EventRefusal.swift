import TidingsJSON
import TidingsStore

/// A refused event with the meaning of its reason: a row of ``Store/Refused/rejections(_:)``.
struct EventRefusal: Sendable {
    let id: Int
    let reason: String
    let pointer: String
    let message: String
    /// Nil if it could not be read. ``eventID``, ``type`` and ``recipient`` too.
    let source: String?
    let eventID: String?
    let type: String?
    /// The first person that the event names.
    let recipient: String?
    /// The number of people that the event names.
    let recipients: Int
    let isVerified: Bool
    let occurrences: Int
    let state: String
    /// The time of the last refusal as PostgreSQL writes it.
    let lastAt: String
    /// Nil for a reason of a newer version.
    let whatToDo: String?

    init(_ row: JSON) throws(ReportError) {
        id = try row.column("rejected_id")
        reason = try row.column("reason_code")
        pointer = try row.column("pointer")
        message = try row.column("message")
        source = try row.column("source")
        eventID = try row.column("event_id")
        type = try row.column("type")
        recipient = try row.column("recipient_id")
        recipients = try row.column("recipients")
        isVerified = try row.column("verified")
        occurrences = try row.column("occurrences")
        state = try row.column("state")
        lastAt = try row.column("last_at")
        whatToDo = try row.column("what_to_do")
    }
}
