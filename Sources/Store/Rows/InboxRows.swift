import TidingsCore
import TidingsPostgres

/// Rows of `tidings.inbox` for notifications that are new in this transaction. The durable row is the delivery, so nothing is sent.
struct InboxRows {
    private var ids: [PostgresUUID] = []
    private var tenants: [String] = []
    private var recipients: [String] = []

    mutating func add(_ id: NotificationID, tenant: String, recipient: String) {
        ids.append(id.uuid)
        tenants.append(tenant)
        recipients.append(recipient)
    }

    /// Nil if there is nothing to insert.
    func insert(at now: Timestamp) -> SQL? {
        guard !ids.isEmpty else { return nil }
        return """
            insert into tidings.inbox (tenant, recipient_id, notification_id, created_at)
            select tenant, recipient_id, notification_id, \(now.timestamptz)
            from unnest(\(tenants), \(recipients), \(ids)) as given(tenant, recipient_id, notification_id)
            """
    }
}
