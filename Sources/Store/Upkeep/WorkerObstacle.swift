import TidingsCore
import TidingsJSON

/// Something that keeps a process from its work, as the process itself notices it. A heartbeat records it in `tidings_ops.workers`.
public struct WorkerObstacle: Sendable, Hashable {
    public enum Kind: String, Sendable, CaseIterable {
        /// The broker has an alarm and reads nothing from a link that publishes.
        case blocked
        /// The broker confirms nothing.
        case unconfirmed
        /// The broker refuses messages, because a queue has no majority or is full.
        case refused
        /// The database refuses commits, because it lacks disk, memory or the like.
        case commitsRefused
        /// No commit ends.
        case commitsWait
        /// Intents are taken from their queue, and no batch of them is committed.
        case unfinished
    }

    public let kind: Kind
    /// The name of the link to the broker. Empty for an obstacle of the database.
    public let subject: String
    /// The reason in the words of the server. Empty if it gave none.
    public let detail: String
    public let lasting: Duration

    public init(_ kind: Kind, subject: String = "", detail: String = "", lasting: Duration) {
        self.kind = kind
        self.subject = subject
        self.detail = detail
        self.lasting = lasting
    }
}

extension [WorkerObstacle] {
    /// The value of the column: an array of objects.
    ///
    /// - Parameter now: the business time of the database.
    func json(now: Timestamp) -> String {
        var writer = JSONWriter()
        writer.beginArray()
        for obstacle in self {
            writer.beginObject()
            writer.member("kind", obstacle.kind.rawValue)
            writer.member("subject", obstacle.subject)
            writer.member("detail", obstacle.detail)
            writer.member("since", now.adding(.zero - obstacle.lasting).rfc3339)
            writer.endObject()
        }
        writer.endArray()
        return writer.text
    }
}
