import TidingsCore
import TidingsPostgres

/// A row of `tidings.inbox` for a notification that is new in this transaction. The durable row is the delivery, so nothing is sent.
///
/// The rows are inserted and not copied, because PostgreSQL refuses COPY into a table with row-level security.
struct InboxRow: TableRow {
    var tenant: String
    var recipient: String
    var id: NotificationID
    var type: String
    var category: TidingsCore.Category
    var title: String?
    var body: String?
    var data: String
    var imageURL: String?
    var groupKey: String?
    var scheduledFor: Timestamp?
    var createdAt: Timestamp

    /// The content is final: templates were rendered when the intent was decoded.
    init(_ id: NotificationID, _ intent: Intent, category: TidingsCore.Category, at now: Timestamp) {
        self.id = id
        self.category = category
        (tenant, recipient, type) = (intent.tenant, intent.recipient, intent.type)
        (title, body, data) = (intent.title, intent.body, intent.data)
        (imageURL, groupKey, scheduledFor) = (intent.imageURL, intent.groupKey, intent.scheduledFor)
        createdAt = now
    }

    /// The only INSERT into `tidings.inbox` is that of this table.
    static let table = Table<InboxRow>(
        "tidings.inbox",
        personal: [
            Column("recipient_id", \.recipient, otherwise: "a.recipient_id"), Column("title", \.title), Column("body", \.body),
            Column("data", \.data), Column("image_url", \.imageURL), Column("group_key", \.groupKey), .scheduledFor,
        ],
        other: [
            Column("tenant", \.tenant, otherwise: "a.tenant"), Column("notification_id", \.id, otherwise: "a.notification_id"),
            Column("type", \.type), Column("category", \.category), Column("created_at", \.createdAt),
        ],
        computing: [
            "position": """
            p.position + 1 - row_number() over (partition by a.tenant, a.recipient_id order by a.notification_id desc)
            """
        ])

    /// Nil if there is nothing to insert.
    static func insert(arriving rows: [InboxRow]) -> SQL? {
        guard !rows.isEmpty else { return nil }
        return """
            with told as materialized (
                select * from \(rows.relation("told", table.columns))
            ), people as (
                \(count(from: "told"))
            )
            \(insert(arriving: "told"))
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

    /// Adds an entry for each row of `source`, at the positions that the common table expression `people` has taken by ``count(from:)``.
    /// `source` has the columns of the inbox.
    ///
    /// Each row finds its person, so a full join is the same as an inner one. PostgreSQL expects few rows here, and would compare each entry of
    /// a large batch with each person. A full join it always makes by hash or merge.
    ///
    /// - Parameter expressions: values over `source`, with the alias `a`.
    static func insert(arriving source: SQL, setting expressions: [Column<InboxRow>: SQL] = [:]) -> SQL {
        table.insert(
            from: "\(source) a full join people p on p.tenant = a.tenant and p.recipient_id = a.recipient_id", setting: expressions)
    }
}

extension Column<InboxRow> {
    static var scheduledFor: Column { Column("scheduled_for", \.scheduledFor) }
}
