import TidingsCore
import TidingsPostgres

extension Store {
    /// Takes a notification out of the plans that have it, as a part of a cancel.
    ///
    /// If the device does not have the notification, its delivery is cancelled at once. Otherwise the device is told to forget it. The
    /// delivery is cancelled if the device confirms that before the notification's time. A notification that the device has shown keeps its
    /// state.
    func cancelPlanned(_ id: NotificationID, _ reason: ReasonCode, in transaction: PostgresTransaction) async throws -> [Int: CancelResult]
    {
        let answers = try await transaction.pipeline([
            """
            select from tidings.local_plans p join tidings.local_requests r on r.tenant = p.tenant and r.device_id = p.device_id
            where r.notification_id = \(id.uuid) order by p.tenant, p.device_id for update of p
            """,
            """
            select r.tenant, r.device_id, r.ordinal, r.in_plan, r.confirmed_at is not null, coalesce(r.fires_at > tidings.clock(), false),
                r.version > coalesce(p.acked_version, 0)
            from tidings.local_requests r left join tidings.local_plans p on p.tenant = r.tenant and p.device_id = r.device_id
            where r.notification_id = \(id.uuid) and r.ends_as is null
            """,
        ])
        var results: [Int: CancelResult] = [:]
        var moves = LocalMoves()
        var (gone, told): ([String], [String]) = ([], [])
        for row in answers[1].rows {
            let (_, device, ordinal, inPlan, isConfirmed, isInTime, mayBeThere) =
                try row.decode((String, String, Int16, Bool, Bool, Bool, Bool).self)
            switch (inPlan, isInTime) {
            case (false, _) where !mayBeThere:
                gone.append(device)
                moves.add(DeliveryKey(id, Int(ordinal)), .cancelled, reason)
                results[Int(ordinal)] = .cancelled
            case (true, false) where isConfirmed: continue
            case (_, false):
                told.append(device)
                results[Int(ordinal)] = .inFlight
            case (_, true):
                told.append(device)
                results[Int(ordinal)] = .onDevice
            }
        }
        let isTold: SQL = "notification_id = \(id.uuid) and device_id = any(\(told))"
        _ = try await transaction.pipeline(
            moves.statements + [
                """
                with gone as (
                    delete from tidings.local_requests where notification_id = \(id.uuid) and device_id = any(\(gone)) and not in_plan
                    returning tenant, device_id, version
                )
                update tidings.local_plans p set forgotten_version = greatest(p.forgotten_version, gone.version) from gone
                where p.tenant = gone.tenant and p.device_id = gone.device_id
                """,
                "update tidings.local_requests set ends_as = 'cancelled', end_reason = \(reason.rawValue) where \(isTold)",
                Self.wake("select tenant, device_id from tidings.local_requests where \(isTold)"),
            ])
        return results
    }
}
