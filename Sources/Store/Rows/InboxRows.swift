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
        return """
            with given as materialized (
                select * from unnest(\(tenants), \(recipients), \(ids), \(types), \(categories), \(titles), \(bodies), \(data), \(imageURLs),
                    \(groupKeys), \(scheduled)) as given(tenant, recipient_id, notification_id, type, category, title, body, data, image_url,
                    group_key, scheduled_for)
            ), people as (
                \(Self.count(from: "given"))
            )
            \(Self.insert(createdAt: "\(now.timestamptz)", from: "given"))
            """
    }

    /// Locks the inbox of each person of `source` until the commit, counts the new entries, and returns the newest position of the person.
    ///
    /// Each person is there once, in the order of the keys, so that two batches never wait for each other in a circle. A new inbox begins
    /// with a position of the time, see `inbox.sql`.
    ///
    /// - Parameter source: a common table expression with a row for each new entry.
    static func count(from source: SQL) -> SQL {
        """
        insert into tidings.inboxes as b (tenant, recipient_id, position, forgotten, total, unread, snoozed)
        select a.tenant, a.recipient_id, s.start + count(*), s.start, count(*), count(*), 0
        from \(source) a cross join (select (extract(epoch from tidings.clock()) * 1000)::bigint as start) s
        group by a.tenant, a.recipient_id, s.start order by a.tenant, a.recipient_id
        on conflict (tenant, recipient_id) do update set position = b.position + excluded.total, total = b.total + excluded.total,
            unread = b.unread + excluded.unread
        returning b.tenant, b.recipient_id, b.position
        """
    }

    /// The only INSERT into `tidings.inbox`. It adds a row for each row of `source`, at the positions that the common table expression
    /// `people` has taken by ``count(from:)``. `source` has the columns of the inbox. `createdAt` and `scheduledFor` are expressions over
    /// `source`, with the alias `a`.
    ///
    /// Each row finds its person, so a full join is the same as an inner one. PostgreSQL expects few rows here, and would compare each entry of
    /// a large batch with each person. A full join it always makes by hash or merge.
    static func insert(createdAt: SQL = "a.created_at", scheduledFor: SQL = "a.scheduled_for", from source: SQL) -> SQL {
        """
        insert into tidings.inbox (tenant, recipient_id, notification_id, position, type, category, title, body, data, image_url, group_key,
            scheduled_for, created_at)
        select a.tenant, a.recipient_id, a.notification_id,
            p.position + 1 - row_number() over (partition by a.tenant, a.recipient_id order by a.notification_id desc),
            a.type, a.category, a.title, a.body, a.data, a.image_url, a.group_key, \(scheduledFor), \(createdAt)
        from \(source) a full join people p on p.tenant = a.tenant and p.recipient_id = a.recipient_id
        """
    }
}
