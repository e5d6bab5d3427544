import TidingsCore
import TidingsPostgres

extension Store {
    /// Takes a failed or expired delivery back into the flow, due now; it is judged anew before it is sent, and every provider of the
    /// market counts again. False when it has not failed.
    ///
    /// An attempt whose end nobody knows may have arrived: sending again is a possible duplicate, and that attempt says so.
    public func retry(_ key: DeliveryKey) async throws -> Bool {
        let result = try await pool.pipeline([
            """
            with taken as (
                delete from tidings.deliveries d where d.notification_id = \(key.notificationID.uuid) and d.ordinal = \(Int16(key.ordinal))
                    and d.state in ('failed', 'expired')
                returning *
            ), counted as (
                insert into tidings.tally (kind, tenant, channel, state, reason, n)
                select 'ended', tenant, channel, state, reason, -1 from taken
            ), unsure as (
                update tidings.attempts a set possible_duplicate = true from taken t
                where a.notification_id = \(key.notificationID.uuid) and a.ordinal = t.ordinal and a.outcome = 'unknown'
            )
            insert into tidings.due (notification_id, ordinal, lane, due_at, kind, tenant, channel, provider, endpoint, attempt, reason, since)
            select t.notification_id, t.ordinal, n.lane, (select tidings.clock()), 'again', t.tenant, t.channel, t.provider, t.endpoint,
                t.attempts + 1, t.reason, (select tidings.clock())
            from taken t join tidings.notifications n on n.id = t.notification_id
            returning ordinal
            """
        ])
        return result[0].rows.first != nil
    }
}
