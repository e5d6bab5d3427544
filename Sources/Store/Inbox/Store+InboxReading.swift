public import TidingsCore
import TidingsPostgres

extension Store {
    /// The largest number of entries on one page.
    public static let largestInboxPage = 100
}

/// Reading of inboxes. Each statement for a person runs as the role `tidings_app`, to which the database shows only the rows of that person.
extension Store.Inbox {
    /// A page of at most `limit` entries and the counts, of one moment. Takes one round trip, with the look at the devices.
    ///
    /// - Parameter limit: 1 to ``Store/largestInboxPage``. Another number becomes the nearest of these.
    public func page(
        of person: RecipientKey, limit: Int, from start: InboxPage.Start, in listing: InboxPage.Listing = .arrived
    ) async throws -> InboxPage {
        let limit = min(max(1, limit), Store.largestInboxPage)
        var trip = RoundTrip()
        let page = trip.ask(Statement(Self.pageQuery(of: person, limit: limit, from: start, in: listing), read: PageRows.init))
        let denies = trip.ask(Store.Recipients.deniesNotifications(person))
        let found = try await store.asPerson(person, trip)
        let rows = try found[page]
        var items = rows.items
        var next: InboxCursor?
        if items.count > limit {
            items.removeLast(items.count - limit)
            next = items.last.map { InboxCursor(after: $0, in: listing) }
        }
        return InboxPage(
            items: items, counts: rows.counts, snoozed: rows.snoozed, position: rows.position, next: next,
            deniesNotifications: try found[denies])
    }

    /// The statement of a page. Each row has the counts and an entry.
    static func pageQuery(of person: RecipientKey, limit: Int, from start: InboxPage.Start, in listing: InboxPage.Listing) -> SQL {
        // By cursor, one entry more tells whether another page follows.
        let (after, end): (SQL, SQL) =
            switch start {
            case .offset(let offset): ("", "limit \(limit) offset \(max(0, offset))")
            case .cursor(let cursor): (cursor.map { "and \($0.condition)" } ?? "", "limit \(limit + 1)")
            }
        let entries: SQL = """
            select \(InboxItem.columns) from tidings.inbox i where \(InboxItem.isOf(person)) and \(listing.condition) \(after)
            order by \(listing.order(of: "i")) \(end)
            """
        return counted(of: person, with: entries) + " order by " + listing.order(of: "entry")
    }

    /// An entry with the counts. A snoozed entry is found, a deleted one is not. Nil if the person has no such entry.
    public func item(_ id: NotificationID, of person: RecipientKey) async throws -> InboxAnswer? {
        try await store.asPerson(person, Self.entry(id, of: person))
    }

    /// The counts of a person.
    public func counts(of person: RecipientKey) async throws -> InboxCounts {
        try await store.asPerson(person, InboxCounts.statement(of: person))
    }

    /// An entry with the counts.
    static func entry(_ id: NotificationID, of person: RecipientKey, evenDeleted: Bool = false) -> Statement<InboxAnswer?> {
        let isKept: SQL = evenDeleted ? "true" : "i.deleted_at is null"
        let query = counted(
            of: person,
            with: """
                select \(InboxItem.columns) from tidings.inbox i
                where \(InboxItem.isOf(person)) and i.notification_id = \(id.uuid) and \(isKept)
                """)
        return Statement(query) { try $0.rows.first.flatMap(InboxAnswer.init) }
    }

    /// The counts beside each row of `entries`. One row without an entry if there are none. One statement, so that all are of one moment.
    private static func counted(of person: RecipientKey, with entries: SQL) -> SQL {
        """
        select counts.*, entry.* from (\(InboxCounts.query(of: person))) counts left join (\(entries)) entry on true
        """
    }
}

/// An entry and the counts of its person after the change of the entry.
public struct InboxAnswer: Sendable, Hashable {
    public let item: InboxItem
    public let counts: InboxCounts
    /// Whether this call changed the entry. False if the entry was already as asked.
    public internal(set) var isChanged = false

    /// Nil if the row has no entry.
    fileprivate init?(_ row: PostgresRow) throws {
        guard let item = try InboxItem(row) else { return nil }
        self.item = item
        counts = try InboxCounts(row)
    }
}

/// The rows of a page. Each has the counts and an entry, and the only row of an empty page has no entry.
private struct PageRows: Sendable {
    let items: [InboxItem]
    let counts: InboxCounts
    let snoozed: Int
    let position: Int64

    init(_ result: PostgresResult) throws {
        guard let first = result.rows.first else { throw PostgresError.decoding("a page has no row") }
        items = try result.rows.compactMap(InboxItem.init)
        counts = try InboxCounts(first)
        snoozed = try first.decode("all_snoozed")
        position = try first.decode("newest_position")
    }
}
