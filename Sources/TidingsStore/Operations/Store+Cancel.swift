public import TidingsCore
import TidingsPostgres

/// What a cancel came to, for each delivery that had not ended.
public enum CancelResult: String, Sendable, Hashable {
    /// It will not be sent.
    case cancelled
    /// A worker holds it: it may be sent at this moment.
    case inFlight
    /// A device has it in its plan: it is told to forget it, and the delivery is cancelled when it confirms that before its time.
    case onDevice
}

extension Store {
    /// Cancels what has not begun. A pack's row is locked before it is looked at, so the answer is true: what is reported as cancelled is never
    /// sent afterwards. Nil when there is no such notification.
    public func cancel(_ id: NotificationID, reason: ReasonCode) async throws -> [Int: CancelResult]? {
        try await pool.transaction(retryAmbiguous: true) { connection in
            let known = try await connection.query("select id from tidings.notifications where id = \(id.uuid) for update")
            guard known.rows.first != nil else {
                // What devices plan may be scheduled for long after its day was dropped.
                let planned = try await cancelPlanned(id, reason, on: connection)
                return planned.isEmpty ? nil : planned
            }
            let inPacks = try await connection.query(
                """
                with locked as (
                    select * from tidings.packs where notification_ids @> array[\(id.uuid)] order by id for update
                )
                select p.id, m.ordinal, p.claimed_at is not null
                from locked p cross join lateral unnest(p.notification_ids, p.ordinals) as m(notification_id, ordinal)
                where m.notification_id = \(id.uuid)
                """)
            var results: [Int: CancelResult] = [:]
            for row in inPacks.rows {
                let (_, ordinal, claimed) = try row.decode((PostgresUUID, Int16, Bool).self)
                results[Int(ordinal)] = claimed ? .inFlight : .cancelled
            }
            let answers = try await connection.pipeline([
                Self.cancelWaiting(id, reason), Self.cancelQueued(id, reason), Self.dropEmptyPacks,
            ])
            for row in answers[0].rows { results[Int(try row.decode(0, as: Int16.self))] = .cancelled }
            return results.merging(try await cancelPlanned(id, reason, on: connection)) { result, _ in result }
        }
    }

    private static func cancelWaiting(_ id: NotificationID, _ reason: ReasonCode) -> SQL {
        """
        with gone as (
            delete from tidings.due where notification_id = \(id.uuid) returning *
        ), ended as (
            insert into tidings.deliveries (notification_id, ordinal, tenant, channel, provider, endpoint, state, reason, attempts, ended_at)
            select notification_id, ordinal, tenant, channel, provider, endpoint, 'cancelled', \(reason.rawValue), attempt - 1, (select tidings.clock())
            from gone returning ordinal, tenant, channel
        ), counted as (
            insert into tidings.tally (kind, tenant, channel, state, reason, n)
            select 'ended', tenant, channel, 'cancelled', \(reason.rawValue), count(*) from ended group by tenant, channel
        )
        select ordinal from ended
        """
    }

    private static func cancelQueued(_ id: NotificationID, _ reason: ReasonCode) -> SQL {
        """
        with unclaimed as (
            select * from tidings.packs where notification_ids @> array[\(id.uuid)] and claimed_at is null
        ), ended as (
            insert into tidings.deliveries (notification_id, ordinal, tenant, channel, provider, state, reason, attempts, ended_at)
            select m.notification_id, m.ordinal, n.tenant, p.channel, p.provider, 'cancelled', \(reason.rawValue), m.attempt - 1, (select tidings.clock())
            from unclaimed p
            cross join lateral unnest(p.notification_ids, p.ordinals, p.attempts) as m(notification_id, ordinal, attempt)
            join tidings.notifications n on n.id = m.notification_id
            where m.notification_id = \(id.uuid) returning tenant, channel
        ), counted as (
            insert into tidings.tally (kind, tenant, channel, state, reason, n)
            select 'ended', tenant, channel, 'cancelled', \(reason.rawValue), count(*) from ended group by tenant, channel
        )
        update tidings.packs p set (notification_ids, ordinals, attempts) = (
            select coalesce(array_agg(m.id order by m.position), '{}'), coalesce(array_agg(m.ordinal order by m.position), '{}'),
                coalesce(array_agg(m.attempt order by m.position), '{}')
            from unnest(p.notification_ids, p.ordinals, p.attempts) with ordinality as m(id, ordinal, attempt, position)
            where m.id <> \(id.uuid)
        ) from unclaimed u where p.id = u.id
        """
    }

    private static let dropEmptyPacks: SQL = "delete from tidings.packs where cardinality(notification_ids) = 0"
}
