import TidingsCore
import TidingsPostgres

/// The result of a device's confirmation.
public enum LocalPlanAck: Sendable, Hashable {
    case confirmed
    /// There is no such device, or another person owns it.
    case noDevice
    /// The device was never told this version.
    case unknownVersion(latest: Int64)
}

extension Store.LocalPlans {
    /// Records that a device has its plan at `version`. Each notification that is in the plan since this version, or an older one, becomes
    /// `delivered`.
    ///
    /// Versions up to this one may also tell the device to forget a notification. If the confirmation comes before the notification's time,
    /// the delivery ends in the state that is stored for the removal, such as `cancelled`. If the time has come, the notification counts as
    /// shown, and the delivery keeps its state. A repeated confirmation, or the confirmation of an older version, changes nothing.
    ///
    /// The statements have the rights of `owner`, if there is one. Deliveries belong to the pipeline, so the process moves them.
    public func acknowledge(of device: String, tenant: String, owner: String? = nil, version: Int64) async throws -> LocalPlanAck {
        try await pool.transaction(retryAmbiguous: true) { transaction in
            guard let plan = try await OpenPlan(device: device, tenant: tenant, owner: owner, in: transaction) else { return .noDevice }
            guard (0...plan.version).contains(version) else { return .unknownVersion(latest: plan.version) }
            var trip = RoundTrip()
            let confirming: SQL = """
                update tidings.local_requests r set confirmed_at = (select tidings.clock())
                where r.tenant = \(tenant) and r.device_id = \(device) and r.in_plan and r.confirmed_at is null and r.version <= \(version)
                returning r.notification_id, r.ordinal
                """
            let confirmed = trip.ask(.rows(confirming) { try DeliveryKey($0) })
            let forgetting: SQL = """
                delete from tidings.local_requests r
                where r.tenant = \(tenant) and r.device_id = \(device) and not r.in_plan and r.ends_as is not null
                    and r.version between 1 and \(version)
                returning r.notification_id, r.ordinal, r.version, r.ends_as, r.end_reason,
                    coalesce(r.fires_at > (select tidings.clock()), false) as is_in_time
                """
            let removed = trip.ask(.rows(forgetting, ForgottenRequest.init))
            let found = try await transaction.send(trip)
            var moves = LocalMoves()
            for key in try found[confirmed] { moves.add(key, .delivered, .delivered) }
            var forgotten = plan.forgotten
            for request in try found[removed] {
                forgotten = max(forgotten, request.version)
                guard request.isInTime, let state = request.state, let reason = request.reason else { continue }
                moves.add(request.key, state, reason)
            }
            let confirmation: SQL = """
                update tidings.local_plans set acked_version = greatest(acked_version, \(version)), acked_at = (select tidings.clock()),
                    forgotten_version = \(forgotten)
                where tenant = \(tenant) and device_id = \(device)
                """
            _ = try await transaction.pipeline([confirmation] + plan.byProcess(moves))
            return .confirmed
        }
    }
}

/// A request that a device was told to forget.
private struct ForgottenRequest: Sendable {
    let key: DeliveryKey
    /// The version of the plan that told it.
    let version: Int64
    /// The state in which the delivery ends, and the reason. Nil for a word of a newer version.
    let state: DeliveryState?
    let reason: ReasonCode?
    /// Whether the time of the notification has not come yet.
    let isInTime: Bool

    init(_ row: PostgresRow) throws {
        key = try DeliveryKey(row)
        version = try row.decode("version")
        state = DeliveryState(rawValue: try row.decode("ends_as"))
        reason = ReasonCode(rawValue: try row.decode("end_reason"))
        isInTime = try row.decode("is_in_time")
    }
}
