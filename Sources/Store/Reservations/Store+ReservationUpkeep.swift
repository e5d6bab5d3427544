public import TidingsCore
import TidingsPostgres

extension Store {
    /// The time for which every reservation is kept. The router decides an event within seconds, unless its queue waits.
    package static let reservationsKept = Duration.seconds(2 * 86_400)
    /// Reservations that one step looks at.
    package static let reservationPruneBatch: Int64 = 5_000
    /// The time for which a name of the header `Idempotency-Key` is remembered. Event ids are remembered longer: for twice the retention.
    public static let requestNamesKept = Duration.seconds(86_400)
    /// Names of requests that one turn deletes.
    package static let requestNamePruneBatch: Int64 = 5_000
}

/// Retention of reservations and of named requests. Several processes may run every part at once.
extension Store.Reservations {
    /// Looks at reservations that are older than ``reservationsKept``, in the order of their ids, and deletes those that are not needed.
    ///
    /// A reservation is not needed when the router has made the notification with the reserved id. If it was cancelled, or if the id is
    /// another name for the notification of its key, the reservation is kept as long as the key. Otherwise the event was refused, or it
    /// waits in a queue. The reservation is then kept for the retention, and for longer while its refused event is kept. Without that
    /// event, the id would say again that the event waits.
    ///
    /// - Parameter position: the last reservation of the step before. Nil for the first step.
    /// - Returns: The last reservation of this step, and how many it deleted. Nil if there was none to look at.
    public func prune(
        after position: NotificationID?, retention: Duration
    ) async throws -> (last: NotificationID, deleted: Int)? {
        // A bitmap would collect and sort all old reservations for each step. The index has them in order.
        var trip = RoundTrip(running: [Store.byIndex, "set local enable_bitmapscan = off"])
        let step: SQL = """
            with looked_at as materialized (
                select r.key, r.id, r.tenant, r.source, r.event_id, r.content_hash, r.reserved_at, r.cancelled_at
                from tidings.reservations r
                where r.id > \((position ?? NotificationID(high: 0, low: 0)).uuid)
                    and r.id < (select tidings.first_id(tidings.clock() - make_interval(secs => \(Self.seconds(Store.reservationsKept)))))
                order by r.id limit \(Store.reservationPruneBatch)
            ), bound as materialized (
                select tidings.first_id(tidings.clock() - make_interval(secs => \(Self.seconds(retention)))) as once,
                    tidings.first_id(tidings.clock() - make_interval(secs => \(Self.seconds(retention) * 2))) as twice
            ), deleted as (
                delete from tidings.reservations where key = any(array(
                    select l.key from looked_at l cross join bound b
                    where exists (select from tidings.idempotency_keys k where k.key = l.key and k.notification_id = l.id)
                        or case when l.cancelled_at is not null or exists (select from tidings.idempotency_keys k
                                where k.key = l.key and k.content_hash = l.content_hash)
                            then l.id < b.twice
                            else l.id < b.once and not exists (select from tidings.rejected k
                                where k.event_id = l.event_id and k.source = l.source and (k.tenant is null or k.tenant = l.tenant)
                                    and k.last_at >= l.reserved_at and k.producer like 'key:%') end))
                returning key
            )
            select (select id from looked_at order by id desc limit 1), (select count(*) from deleted)
            """
        let looked = trip.ask(.one(step) { try $0.decode((NotificationID?, Int).self) })
        let (last, deleted) = try await pool.transaction { [trip] transaction in try await transaction.send(trip)[looked] }
        return last.map { ($0, deleted) }
    }

    /// Deletes the names of requests after ``requestNamesKept``.
    ///
    /// - Returns: False if there were none.
    public func pruneNames() async throws -> Bool {
        try await store.deleteByIndex(
            """
            delete from tidings.idempotent_requests where ctid = any(array(
                select ctid from tidings.idempotent_requests
                where created_at < (select tidings.clock() - make_interval(secs => \(Self.seconds(Store.requestNamesKept))))
                limit \(Store.requestNamePruneBatch) for update skip locked))
            """)
    }

    private static func seconds(_ duration: Duration) -> Double { Double(duration.components.seconds) }
}
