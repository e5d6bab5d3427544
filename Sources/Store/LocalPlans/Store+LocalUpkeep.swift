public import TidingsCore
import TidingsPostgres

extension Store {
    /// Days for which a local notification is kept after its expiry, so that an operator can see its outcome.
    public static let localRequestsKeptDays = 7
    /// Rows pruned in one turn.
    package static let localPruneBatch: Int64 = 5_000
}

extension Store.LocalPlans {
    /// Deletes local notifications long past their expiry, and with them the versions in which a device was told to forget one of them.
    /// Returns false if there were none.
    public func prune() async throws -> Bool {
        let deletion: SQL = """
            with gone as (
                delete from tidings.local_requests where ctid = any(array(
                    select ctid from tidings.local_requests
                    where expires_at < (select tidings.clock()) - make_interval(days => \(Int32(Store.localRequestsKeptDays)))
                    limit \(Store.localPruneBatch) for update skip locked))
                returning tenant, device_id, version, in_plan
            ), forgotten as (
                update tidings.local_plans p set forgotten_version = greatest(p.forgotten_version, g.version)
                from (select tenant, device_id, max(version) as version from gone where not in_plan group by 1, 2) g
                where p.tenant = g.tenant and p.device_id = g.device_id
            )
            select from gone
            """
        return try await pool.query(.exists(deletion))
    }

    /// The rows of `tidings_ops.local_plans` for a notification.
    public func plans(of id: NotificationID) async throws -> [NotificationRecord.Plan] {
        let rows = try await store.report(
            "select * from tidings_ops.local_plans p where p.notification_id = \(id.uuid) order by p.ordinal, p.device_id")
        return try rows.map { try NotificationRecord.Plan($0) }
    }
}

extension Store.LocalPlans {
    /// For each notification with a waiting push: the devices that have the notification in their plan.
    static func planned(_ waiting: [WaitingDelivery], in transaction: PostgresTransaction) async throws -> [NotificationID: Set<String>] {
        let pushes = Set(waiting.filter { $0.row.channel == .push }.map(\.stored.id))
        guard !pushes.isEmpty else { return [:] }
        let query: SQL = """
            select notification_id, device_id from tidings.local_requests where notification_id = any(\(pushes.sorted().uuids)) and ends_as is null
            """
        var devices: [NotificationID: Set<String>] = [:]
        for (id, device) in try await transaction.query(.rows(query) { try $0.decode((NotificationID, String).self) }) {
            devices[id, default: []].insert(device)
        }
        return devices
    }
}
