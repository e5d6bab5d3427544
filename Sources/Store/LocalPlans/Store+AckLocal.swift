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

extension Store {
    /// Records that a device has its plan at `version`. Each notification that is in the plan since this version, or an older one, becomes
    /// `delivered`.
    ///
    /// Versions up to this one may also tell the device to forget a notification. If the confirmation comes before the notification's time,
    /// the delivery ends in the state that is stored for the removal, such as `cancelled`. If the time has come, the notification counts as
    /// shown, and the delivery keeps its state. A repeated confirmation, or the confirmation of an older version, changes nothing.
    ///
    /// The statements have the rights of `owner`, if there is one. Deliveries belong to the pipeline, so the process moves them.
    public func ackLocalPlan(of device: String, tenant: String, owner: String? = nil, version: Int64) async throws -> LocalPlanAck {
        try await pool.transaction(retryAmbiguous: true) { transaction in
            guard let plan = try await OpenPlan(device: device, tenant: tenant, owner: owner, in: transaction) else { return .noDevice }
            guard (0...plan.version).contains(version) else { return .unknownVersion(latest: plan.version) }
            let answers = try await transaction.pipeline([
                """
                update tidings.local_requests r set confirmed_at = (select tidings.clock())
                where r.tenant = \(tenant) and r.device_id = \(device) and r.in_plan and r.confirmed_at is null and r.version <= \(version)
                returning r.notification_id, r.ordinal
                """,
                """
                delete from tidings.local_requests r
                where r.tenant = \(tenant) and r.device_id = \(device) and not r.in_plan and r.ends_as is not null
                    and r.version between 1 and \(version)
                returning r.notification_id, r.ordinal, r.version, r.ends_as, r.end_reason, coalesce(r.fires_at > (select tidings.clock()), false)
                """,
            ])
            var moves = LocalMoves()
            for row in answers[0].rows {
                let (id, ordinal) = try row.decode((PostgresUUID, Int16).self)
                moves.add(DeliveryKey(NotificationID(id), Int(ordinal)), .delivered, .delivered)
            }
            var forgotten = plan.forgotten
            for row in answers[1].rows {
                let (id, ordinal, changed, state, reason, isInTime) = try row.decode(
                    (PostgresUUID, Int16, Int64, String, String, Bool).self)
                forgotten = max(forgotten, changed)
                guard isInTime, let state = DeliveryState(rawValue: state), let reason = ReasonCode(rawValue: reason) else { continue }
                moves.add(DeliveryKey(NotificationID(id), Int(ordinal)), state, reason)
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
