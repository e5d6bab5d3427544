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
                \(TallyRows.insertEnded(undone: "taken"))
            ), unsure as (
                update tidings.attempts a set possible_duplicate = true from taken t
                where a.notification_id = \(key.notificationID.uuid) and a.ordinal = t.ordinal and a.outcome = 'unknown'
            )
            \(DueRows.insert(
                at: DueRows.now, kind: "'again'", attempt: "attempts + 1",
                from: "(select t.*, n.lane from taken t join tidings.notifications n on n.id = t.notification_id) again"))
            returning ordinal
            """
        ])
        return result[0].rows.first != nil
    }
}
