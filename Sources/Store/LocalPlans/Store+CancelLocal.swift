import TidingsCore
import TidingsPostgres

extension Store.LocalPlans {
    /// Takes a notification out of the plans that have it, as a part of a cancel.
    ///
    /// If the device does not have the notification, its delivery is cancelled at once. Otherwise the device is told to forget it. The
    /// delivery is cancelled if the device confirms that before the notification's time. A notification that the device has shown keeps its
    /// state.
    func cancelPlanned(_ id: NotificationID, _ reason: ReasonCode, in transaction: PostgresTransaction) async throws -> [Int: CancelResult]
    {
        var trip = RoundTrip()
        trip.run(
            """
            select from tidings.local_plans p join tidings.local_requests r on r.tenant = p.tenant and r.device_id = p.device_id
            where r.notification_id = \(id.uuid) order by p.tenant, p.device_id for update of p
            """)
        let planned: SQL = """
            select r.device_id, r.ordinal, r.in_plan, r.confirmed_at is not null as is_confirmed,
                coalesce(r.fires_at > tidings.clock(), false) as is_in_time, r.version > coalesce(p.acked_version, 0) as may_be_there
            from tidings.local_requests r left join tidings.local_plans p on p.tenant = r.tenant and p.device_id = r.device_id
            where r.notification_id = \(id.uuid) and r.ends_as is null
            """
        let requests = trip.ask(.rows(planned, PlannedRequest.init))
        let found = try await transaction.send(trip)
        var results: [Int: CancelResult] = [:]
        var moves = LocalMoves()
        var (gone, told): ([String], [String]) = ([], [])
        for request in try found[requests] {
            switch (request.inPlan, request.isInTime) {
            case (false, _) where !request.mayBeThere:
                gone.append(request.device)
                moves.add(DeliveryKey(id, request.ordinal), .cancelled, reason)
                results[request.ordinal] = .cancelled
            case (true, false) where request.isConfirmed: continue
            case (_, false):
                told.append(request.device)
                results[request.ordinal] = .inFlight
            case (_, true):
                told.append(request.device)
                results[request.ordinal] = .onDevice
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

/// A request of the notification on one device.
private struct PlannedRequest: Sendable {
    let device: String
    let ordinal: Int
    let inPlan: Bool
    /// Whether the device has confirmed that it has the notification in its plan.
    let isConfirmed: Bool
    /// Whether the time of the notification has not come yet.
    let isInTime: Bool
    /// Whether the device may have the notification, although the plan has it no longer.
    let mayBeThere: Bool

    init(_ row: PostgresRow) throws {
        device = try row.decode("device_id")
        ordinal = try row.decode("ordinal")
        inPlan = try row.decode("in_plan")
        isConfirmed = try row.decode("is_confirmed")
        isInTime = try row.decode("is_in_time")
        mayBeThere = try row.decode("may_be_there")
    }
}
