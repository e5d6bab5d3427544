public import TidingsCore
import TidingsPostgres

/// An entry of a person's inbox.
public struct InboxItem: Sendable, Hashable {
    public let id: NotificationID
    /// The place in the listing, the highest first: the position of the arrival. A woken entry arrives anew. Positions of one person grow in
    /// the order of arrival, with gaps.
    public let position: Int64
    public let type: String
    /// The category of the type at acceptance. Text, because a person may read an entry of a newer version too.
    public let category: String
    public let title: String?
    public let body: String?
    /// A JSON object as text.
    public let data: String
    public let imageURL: String?
    public let groupKey: String?
    public let scheduledFor: Timestamp?
    public let createdAt: Timestamp
    public let seenAt: Timestamp?
    public let readAt: Timestamp?
    public let dismissedAt: Timestamp?
    public let deletedAt: Timestamp?
    /// The time until which the entry is hidden. Nil for an entry that is not snoozed. A time in the past has not been noticed yet.
    public let snoozedUntil: Timestamp?

    public enum State: String, Sendable, Hashable, CaseIterable { case delivered, read, dismissed }

    /// The last of the two acts: a dismissed entry that is read later is read.
    public var state: State {
        switch (readAt, dismissedAt) {
        case (nil, nil): .delivered
        case (_, nil): .read
        case (nil, _): .dismissed
        case (let readAt?, let dismissedAt?): readAt < dismissedAt ? .dismissed : .read
        }
    }

    public var isRead: Bool { readAt != nil }
}

/// The numbers of a person's entries. Deleted and snoozed entries do not count.
public struct InboxCounts: Sendable, Hashable {
    public let total: Int
    /// Entries that are neither read nor dismissed.
    public let unread: Int

    public init(total: Int, unread: Int) {
        self.total = total
        self.unread = unread
    }
}

// MARK: - SQL

extension InboxItem {
    /// A condition on the table alias `i`: the entry stands in the listing.
    static let isListed: SQL = "i.deleted_at is null and i.snoozed_until is null"

    /// A condition on the table alias `i`: the entry is snoozed, and in the listing of snoozed entries.
    static let isSnoozed: SQL = "i.deleted_at is null and i.snoozed_until is not null"

    /// A condition on the table alias `i`: an entry of the listing is unread.
    static let isUnread: SQL = "i.read_at is null and i.dismissed_at is null"

    /// A condition on the table alias `i`. Each statement has it beside the policy of the table: it selects the partition and the index.
    static func isOf(_ person: RecipientKey) -> SQL { "i.tenant = \(person.tenant) and i.recipient_id = \(person.id)" }

    /// The columns that ``init(_:)`` reads, of the table alias `i`.
    static let columns: SQL = """
        i.notification_id, i.position, i.type, i.category, i.title, i.body, i.data, i.image_url, i.group_key, i.scheduled_for, i.created_at,
            i.seen_at, i.read_at, i.dismissed_at, i.deleted_at, i.snoozed_until
        """

    /// Nil for a row without an entry, which an outer join makes.
    init?(_ row: PostgresRow) throws(PostgresError) {
        guard let id = try row.decode("notification_id", as: NotificationID?.self) else { return nil }
        self.id = id
        position = try row.decode("position")
        type = try row.decode("type")
        category = try row.decode("category")
        title = try row.decode("title")
        body = try row.decode("body")
        data = try row.decode("data")
        imageURL = try row.decode("image_url")
        groupKey = try row.decode("group_key")
        scheduledFor = try row.decode("scheduled_for")
        createdAt = try row.decode("created_at")
        seenAt = try row.decode("seen_at")
        readAt = try row.decode("read_at")
        dismissedAt = try row.decode("dismissed_at")
        deletedAt = try row.decode("deleted_at")
        snoozedUntil = try row.decode("snoozed_until")
    }
}

extension InboxCounts {
    /// The counts of the table alias `b`, as the columns `total` and `unread`. An outer join may have found no inbox.
    static let columns: SQL = "coalesce(b.total, 0) as total, coalesce(b.unread, 0) as unread"

    /// The counts of a person, one row. They stand in the row of the inbox, so they cost the same at any size. The names of the other columns
    /// differ from those of an entry.
    static func query(of person: RecipientKey) -> SQL {
        """
        select \(columns), coalesce(b.snoozed, 0) as all_snoozed, coalesce(b.position, 0) as newest_position from (select) one
        left join tidings.inboxes b on b.tenant = \(person.tenant) and b.recipient_id = \(person.id)
        """
    }

    /// The counts of a person by themselves.
    static func statement(of person: RecipientKey) -> Statement<InboxCounts> { .one(query(of: person)) { try InboxCounts($0) } }

    init(_ row: PostgresRow) throws(PostgresError) {
        total = try row.decode("total")
        unread = try row.decode("unread")
    }
}
