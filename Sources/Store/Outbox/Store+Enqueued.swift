public import TidingsJSON
import TidingsPostgres

/// The state of the SQL outbox.
public struct OutboxLevel: Sendable {
    /// The number of events that wait to be published. Above 100,000 it is an estimate.
    public var waiting: Int
    /// The age in seconds of the oldest waiting event. It is 0 if no event waits.
    public var oldestSeconds: Int
    /// The number of events that the broker has refused more than ``Store/outboxTries`` times.
    public var refused: Int
}

extension Store.Outbox {
    /// The row of `tidings_ops.outbox`.
    public func row() async throws -> JSON { try await store.onlyReport("select * from tidings_ops.outbox") }

    /// Returns the state of the outbox for a metric. Also deletes the claims of relays that ended long ago.
    public func level() async throws -> OutboxLevel {
        var trip = RoundTrip()
        // A living relay claims again or ends within minutes. An hour is longer than any wait for the broker that is worth a claim.
        trip.run("delete from tidings.outgoing_claims where lease_until < (select tidings.clock()) - interval '1 hour'")
        let level = trip.ask(
            .one("select waiting, coalesce(oldest_seconds, 0)::bigint, refused from tidings_ops.outbox") { row in
                let (waiting, oldest, refused) = try row.decode((Int, Int, Int).self)
                return OutboxLevel(waiting: waiting, oldestSeconds: max(0, oldest), refused: refused)
            })
        return try await pool.send(trip)[level]
    }

    /// Returns the waiting events of this id, the oldest first, at most 20. The query reads the whole outbox. An index would cost producers
    /// time with every event.
    public func enqueued(_ eventID: String) async throws -> [JSON] {
        try await store.report(
            """
            select 'enqueued' as kind, e.id, 'event_id' as matched_on, e.enqueued_at as at, e.type, e.producer, e.attempts
            from tidings_ops.find_enqueued(\(eventID)) e
            """)
    }
}
