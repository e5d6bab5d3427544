import TidingsCore
import TidingsPostgres

/// Rows of `tidings.inbox` for notifications that are new in this transaction. The durable row is the delivery, so nothing is sent.
///
/// The rows are inserted and not copied, because PostgreSQL refuses COPY into a table with row-level security.
struct InboxRows {
    private var ids: [PostgresUUID] = []
    private var tenants: [String] = []
    private var recipients: [String] = []
    private var types: [String] = []
    private var categories: [String] = []
    private var titles: [String?] = []
    private var bodies: [String?] = []
    private var data: [String] = []
    private var imageURLs: [String?] = []
    private var groupKeys: [String?] = []
    private var scheduled: [PostgresTimestamp?] = []

    /// The content is final: templates were rendered when the intent was decoded.
    mutating func add(_ id: NotificationID, _ intent: Intent, category: TidingsCore.Category) {
        ids.append(id.uuid)
        tenants.append(intent.tenant)
        recipients.append(intent.recipient)
        types.append(intent.type)
        categories.append(category.rawValue)
        titles.append(intent.title)
        bodies.append(intent.body)
        data.append(intent.data)
        imageURLs.append(intent.imageURL)
        groupKeys.append(intent.groupKey)
        scheduled.append(intent.scheduledFor?.timestamptz)
    }

    var arrivals: InboxArrivals { InboxArrivals(ids: ids, tenants: tenants, recipients: recipients) }

    /// Nil if there is nothing to insert.
    func insert(at now: Timestamp) -> SQL? {
        guard !ids.isEmpty else { return nil }
        return Self.insert(
            createdAt: "\(now.timestamptz)",
            from: """
                unnest(\(tenants), \(recipients), \(ids), \(types), \(categories), \(titles), \(bodies), \(data), \(imageURLs), \(groupKeys),
                    \(scheduled)) as given(tenant, recipient_id, notification_id, type, category, title, body, data, image_url, group_key,
                    scheduled_for)
                """)
    }

    /// The only INSERT into `tidings.inbox`. It adds a row for each row of `source`, which has the columns of the inbox. Each parameter is
    /// an expression over `source`, by default the column of the same name.
    static func insert(createdAt: SQL = "created_at", scheduledFor: SQL = "scheduled_for", from source: SQL) -> SQL {
        """
        insert into tidings.inbox (tenant, recipient_id, notification_id, type, category, title, body, data, image_url, group_key,
            scheduled_for, created_at)
        select tenant, recipient_id, notification_id, type, category, title, body, data, image_url, group_key, \(scheduledFor), \(createdAt)
        from \(source)
        """
    }
}
