public import TidingsCore
import TidingsPostgres

/// The state of one event id of a producer, as the database has it.
public struct ReconciledEvent: Sendable, Hashable {
    public enum State: String, Sendable, CaseIterable {
        /// The event has notifications, one for each recipient.
        case accepted
        /// `tidings_api.enqueue` took the event, and no release role has published it yet.
        case enqueued
        /// A router refused the event.
        case rejected
        /// No record has the event. It may still wait at the broker.
        case missing
    }

    public let id: String
    public let state: State
    public let notifications: Int
    /// The reason of the latest refusal. Nil if no open or discarded refusal has the event.
    public let reason: String?
}

extension Store {
    /// Event ids of one statement. It takes some 30 ms, and its ids at most 256 KiB.
    package static let reconcileBatch = 1_000
}

extension Store.Operations {
    /// The time from which on every accepted notification is kept. Nil if the schema has no day.
    public func keptSince() async throws -> Timestamp? {
        try await pool.query(.value("select tidings_ops.kept_since()", as: PostgresTimestamp?.self)).map { Timestamp($0) }
    }

    /// Compares event ids with the records since a time, in the order of the ids. A member of `tidings_ops_read` may ask.
    ///
    /// - Parameters:
    ///   - ids: at most ``reconcileBatch`` ids without U+0000. An id that stands twice is answered twice.
    ///   - tenant: nil for any tenant.
    public func reconcile(_ ids: [String], source: String, tenant: String?, since: Timestamp) async throws -> [ReconciledEvent] {
        guard !ids.isEmpty else { return [] }
        var trip = RoundTrip(running: [Store.byIndex])
        let query: SQL = """
            select event_id, state, notifications, reason_code
            from tidings_ops.reconcile(\(source), \(ids), \(since.timestamptz), \(tenant))
            """
        let events = trip.ask(
            .rows(query) { row in
                let (id, state, notifications, reason) = try row.decode((String, String, Int, String?).self)
                guard let known = ReconciledEvent.State(rawValue: state) else { throw PostgresError.decoding("unknown state \(state)") }
                return ReconciledEvent(id: id, state: known, notifications: notifications, reason: reason)
            })
        return try await pool.send(trip)[events]
    }

    /// The number of open refusals and dead messages since a time that name no event. Of each it looks at the newest
    /// ``openRefusedCounted``.
    public func refusedWithoutID(since: Timestamp) async throws -> Int {
        let query: SQL = """
            select (select count(*) from (select r.last_at, r.event_id from tidings_ops.rejected r where r.state = 'open'
                    order by r.rejected_id desc limit \(Store.openRefusedCounted)) r
                    where r.event_id is null and r.last_at >= \(since.timestamptz))
                + (select count(*) from (select d.at from tidings_ops.dead_letters d where d.state in ('open', 'quarantined', 'trying')
                    order by d.dead_id desc limit \(Store.openRefusedCounted)) d where d.at >= \(since.timestamptz))
            """
        return try await pool.query(.value(query))
    }
}
