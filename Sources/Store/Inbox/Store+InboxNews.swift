public import TidingsCore
import TidingsPostgres

/// A person who watches an inbox, and how much of it the person knows.
public struct InboxWatcher: Sendable, Hashable {
    public let person: RecipientKey
    public let known: Known

    public enum Known: Sendable, Hashable {
        /// Nothing, and the person is told of no entry: the app reads the list by itself.
        case nothing
        /// Everything up to this position.
        case position(Int64)
        /// Everything up to the arrival of this entry.
        case entry(NotificationID)
        /// Something that this service did not tell. The person has to read everything again.
        case unclear
    }

    public init(_ person: RecipientKey, known: Known = .nothing) {
        self.person = person
        self.known = known
    }
}

/// The state of an inbox, and its changes since the state that a watcher knows.
public struct InboxNews: Sendable, Hashable {
    /// The newest position, 0 if the person has no inbox. The watcher knows everything up to it after these news.
    public let position: Int64
    public let counts: InboxCounts
    /// The uppermost entry of the listing. Nil if the listing is empty.
    public let newest: NotificationID?
    /// The entries of the listing that have arrived since, the last one first, up to a limit. A woken entry arrives anew.
    public let arrived: [NotificationID]
    /// The entries that have changed since, the last one first, up to a limit. They may be deleted or snoozed.
    public let changed: [NotificationID]
    /// Whether the two lists have every entry. If not, the watcher has to read everything again.
    public let isComplete: Bool
}

extension Store {
    /// The number of watchers that one query serves.
    public static let inboxWatchersPerQuery = 500
}

extension Store.Inbox {
    /// The news of each watcher, in the same order, of one moment for each ``Store/inboxWatchersPerQuery`` watchers.
    ///
    /// Positions of a person become visible in their order. So a watcher who knows a position is told of everything beyond it, whichever
    /// process made the change.
    ///
    /// Runs with the rights of the process and not of a person, because one query serves many people. It reads ids and counts, and no content.
    ///
    /// - Parameter limit: the largest number of entries in each of the two lists.
    public func news(of watchers: [InboxWatcher], limit: Int = 50) async throws -> [InboxNews] {
        var news: [InboxNews] = []
        news.reserveCapacity(watchers.count)
        for start in stride(from: 0, to: watchers.count, by: Store.inboxWatchersPerQuery) {
            let part = watchers[start..<min(start + Store.inboxWatchersPerQuery, watchers.count)]
            news += try await pool.query(.rows(Self.newsQuery(of: part, limit: limit)) { try InboxNews($0, limit: limit) })
        }
        return news
    }

    /// The news of one watcher, with the rights of the person.
    public func news(of watcher: InboxWatcher, limit: Int = 50) async throws -> InboxNews {
        // A text of its own: PostgreSQL plans a statement anew if another role runs it.
        let query = Self.newsQuery(of: [watcher], limit: limit) + " limit 1"
        return try await store.asPerson(watcher.person, .one(query) { try InboxNews($0, limit: limit) })
    }

    private static let columns: [Column<InboxWatcher>] = [
        Column("tenant", \.person.tenant), Column("recipient_id", \.person.id), Column("position", \.known.position),
        Column("entry", \.known.entry),
    ]

    /// A position is lost if the inbox has forgotten what came after it, or has never given it.
    private static func newsQuery(of watchers: ArraySlice<InboxWatcher>, limit: Int) -> SQL {
        let isOfAsked: SQL = "i.tenant = asked.tenant and i.recipient_id = asked.recipient_id"
        let end: SQL = "limit \(Int64(limit) + 1)"
        return """
            select \(InboxCounts.columns), coalesce(b.position, 0) as newest_position, (
                    select i.notification_id from tidings.inbox i where \(isOfAsked) and \(InboxItem.isListed)
                    order by i.position desc limit 1
                ) as newest, array(
                    select i.notification_id from tidings.inbox i
                    where \(isOfAsked) and i.position > known.position and \(InboxItem.isListed) order by i.position desc \(end)
                ) as arrived, array(
                    select i.notification_id from tidings.inbox i
                    where \(isOfAsked) and i.changed > known.position order by i.changed desc \(end)
                ) as changed,
                coalesce(known.position > coalesce(b.position, 0) or known.position > 0 and known.position < b.forgotten, false) as is_lost
            from \(Array(watchers).relation("asked", columns, numbered: "place"))
            left join lateral (
                select * from tidings.inboxes x where x.tenant = asked.tenant and x.recipient_id = asked.recipient_id limit 1
            ) b on true
            cross join lateral (
                -- An entry that was woken has moved since an app knew it, so it tells no position.
                select case when asked.entry is null then asked.position else coalesce((
                    select i.position from tidings.inbox i
                    where \(isOfAsked) and i.notification_id = asked.entry and i.woken_at is null limit 1
                ), \(Int64.max)) end as position
            ) known
            order by asked.place
            """
    }

    /// The people whose inbox has changed since the position that they know. One query, however many people are asked for.
    ///
    /// - Parameter watchers: only those that know a position are looked at.
    public func changed(since watchers: [InboxWatcher]) async throws -> [RecipientKey] {
        guard !watchers.isEmpty else { return [] }
        let query: SQL = """
            select asked.place from \(watchers.relation("asked", Self.columns, numbered: "place"))
            left join lateral (
                select x.position from tidings.inboxes x where x.tenant = asked.tenant and x.recipient_id = asked.recipient_id limit 1
            ) b on true
            where coalesce(b.position, 0) <> asked.position
            """
        return try await pool.query(.rows(query) { try $0.decode("place", as: Int.self) }).map { watchers[$0 - 1].person }
    }
}

// MARK: - SQL

extension InboxNews {
    /// Reads a row with at most one entry more than `limit` in each list.
    fileprivate init(_ row: PostgresRow, limit: Int) throws {
        position = try row.decode("newest_position")
        counts = try InboxCounts(row)
        newest = try row.decode("newest")
        let arrived = try row.decode("arrived", as: [NotificationID].self)
        let changed = try row.decode("changed", as: [NotificationID].self)
        self.arrived = Array(arrived.prefix(limit))
        self.changed = Array(changed.prefix(limit))
        let isLost = try row.decode("is_lost", as: Bool.self)
        isComplete = !isLost && arrived.count <= limit && changed.count <= limit
    }
}

extension InboxWatcher.Known {
    fileprivate var position: Int64? {
        switch self {
        case .nothing, .entry: nil
        case .position(let position): position
        // No inbox gives this position.
        case .unclear: Int64.max
        }
    }

    fileprivate var entry: NotificationID? { if case .entry(let id) = self { id } else { nil } }
}
