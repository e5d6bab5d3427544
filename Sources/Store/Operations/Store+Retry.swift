import TidingsCore
import TidingsPostgres

extension Store.Operations {
    /// Takes a failed or expired delivery back into `due`, due now. A releaser judges it again before it is sent, and every provider of the
    /// market counts again. Returns false if the delivery has not failed or expired.
    ///
    /// An attempt with an unknown outcome may have arrived. Another send is a possible duplicate, so that attempt is marked as one.
    public func retry(_ key: DeliveryKey) async throws -> Bool {
        let retrying: SQL = """
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
            \(DueRow.insert(
                from: "(select t.*, n.lane from taken t join tidings.notifications n on n.id = t.notification_id) again",
                setting: [.time: DueRow.now, .kind: "'again'", .attempt: "attempts + 1"]))
            returning ordinal
            """
        return try await pool.write(.exists(retrying))
    }
}
