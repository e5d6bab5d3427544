public import TidingsJSON
import TidingsPostgres

/// How the SQL outbox stands.
public struct OutboxLevel: Sendable {
    /// Events that wait to be published. Above 100,000 it is an estimate.
    public var waiting: Int
    /// Age of the oldest of them; 0 when nothing waits.
    public var oldestSeconds: Int
    /// Events that the broker has refused more than ``Store/outboxTries`` times.
    public var refused: Int
}

extension Store {
    /// The row of `tidings_ops.outbox`.
    public func outbox() async throws -> JSON? { try await report("select * from tidings_ops.outbox").first }

    /// The same for a metric; forgets the claims of relays that ended long ago on the way.
    public func outboxLevel() async throws -> OutboxLevel {
        let answers = try await pool.pipeline([
            // A relay that lives claims or ends within minutes; an hour is longer than any wait for the broker that is worth a claim.
            "delete from tidings.outgoing_claims where lease_until < (select tidings.clock()) - interval '1 hour'",
            "select waiting, coalesce(oldest_seconds, 0)::bigint, refused from tidings_ops.outbox",
        ])
        guard let row = answers[1].rows.first else { throw PostgresError.decoding("tidings_ops.outbox has no row") }
        let (waiting, oldest, refused) = try row.decode((Int, Int, Int).self)
        return OutboxLevel(waiting: waiting, oldestSeconds: max(0, oldest), refused: refused)
    }

    /// The events of that id that wait in the outbox, oldest first, 20 at most. Reads the whole outbox, which has no index for it: producers
    /// would pay for that index with every event.
    public func enqueued(_ eventID: String) async throws -> [JSON] {
        try await report(
            """
            select 'enqueued' as kind, e.id, 'event_id' as matched_on, e.enqueued_at as at, e.type, e.producer, e.attempts
            from tidings_ops.find_enqueued(\(eventID)) e
            """)
    }
}
