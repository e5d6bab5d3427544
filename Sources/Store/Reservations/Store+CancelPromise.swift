public import TidingsCore
import TidingsPostgres

/// The result of a cancel of an id that the HTTP API promised.
public enum PromiseCancelResult: Sendable, Hashable {
    /// No router will make the notification. This is certain, also if the event still waits in its queue.
    case cancelled
    /// A router has decided. Its notification can be cancelled like any other.
    case decided
}

extension Store.Reservations {
    /// Cancels an intent that no router has decided.
    ///
    /// The cancel claims the idempotency key of the intent, as a router does. The first of the two to commit wins: the other waits for it.
    /// A router that comes later takes the event for a duplicate. So no lock, and no look of the router at a list, is needed.
    ///
    /// The key gets the id of a notification that will never be. The reservation says that it was cancelled, and keeps the promised id.
    ///
    /// - Parameter tenant: the tenant that the caller may see. Nil: every tenant.
    /// - Returns: Nil if nobody has the id, or if it belongs to another tenant. A repeated cancel is ``PromiseCancelResult/cancelled`` too.
    public func cancel(_ id: NotificationID, tenant: String?, reason: ReasonCode) async throws -> PromiseCancelResult? {
        let tombstone = clock.nextID()
        // Read committed: the snapshot of the claim must be younger than its lock on the table of recent keys, as for a router.
        return try await pool.transaction(retryAmbiguous: true, isolation: .readCommitted) { transaction in
            let known: SQL = """
                select cancelled_at is not null from tidings.reservations
                where id = \(id.uuid) and (\(tenant) is null or tenant = \(tenant)) for update
                """
            guard let isCancelled = try await transaction.query(.first(known) { try $0.decode(Bool.self) }) else { return nil }
            if isCancelled { return .cancelled }
            var trip = RoundTrip(running: [Store.byIndex])
            let cancelling: SQL = """
                with claimed as (
                    insert into tidings.idempotency_recent (key, notification_id, content_hash)
                    select r.key, \(tombstone.uuid), r.content_hash from tidings.reservations r
                    where r.id = \(id.uuid) and not exists (select from tidings.idempotency earlier where earlier.key = r.key)
                    on conflict do nothing returning key
                )
                update tidings.reservations r set cancelled_at = tidings.clock(), cancel_reason = \(reason.rawValue)
                from claimed where r.key = claimed.key
                """
            let cancelled = trip.ask(.count(cancelling))
            return try await transaction.send(trip)[cancelled] > 0 ? .cancelled : .decided
        }
    }
}
