public import TidingsCore
import TidingsPostgres

/// A person who watches an inbox, and the newest entry that the person knows.
public struct InboxWatcher: Sendable, Hashable {
    public let person: RecipientKey
    /// Nil: the person knows no entry, and is told of none.
    public let lastKnown: NotificationID?

    public init(_ person: RecipientKey, lastKnown: NotificationID? = nil) {
        self.person = person
        self.lastKnown = lastKnown
    }
}

/// The state of an inbox for a watcher.
public struct InboxNews: Sendable, Hashable {
    public let counts: InboxCounts
    /// The newest entry of the listing. Nil if the listing is empty.
    public let newest: NotificationID?
    /// The entries of the listing that are newer than the last known one, the newest first, up to a limit.
    public let newer: [NotificationID]
    /// Whether more than these are newer.
    public let isCutOff: Bool
}

extension Store {
    /// The number of watchers that one query serves.
    public static let inboxWatchersPerQuery = 500

    /// The news of each watcher, in the same order, of one moment for each ``inboxWatchersPerQuery`` watchers.
    ///
    /// Runs with the rights of the process and not of a person, because one query serves many people.
    ///
    /// - Parameter limit: the largest number of newer entries that each answer names.
    public func inboxNews(of watchers: [InboxWatcher], limit: Int = 50) async throws -> [InboxNews] {
        var news: [InboxNews] = []
        news.reserveCapacity(watchers.count)
        for start in stride(from: 0, to: watchers.count, by: Self.inboxWatchersPerQuery) {
            let part = watchers[start..<min(start + Self.inboxWatchersPerQuery, watchers.count)]
            for row in try await pool.query(Self.news(of: part, limit: limit)).rows {
                let newer = try row.decode("newer", as: [NotificationID].self)
                news.append(
                    InboxNews(
                        counts: try InboxCounts(row), newest: try row.decode("newest"), newer: Array(newer.prefix(limit)),
                        isCutOff: newer.count > limit))
            }
        }
        return news
    }

    private static func news(of watchers: ArraySlice<InboxWatcher>, limit: Int) -> SQL {
        let isOfAsked: SQL = "i.tenant = asked.tenant and i.recipient_id = asked.recipient_id"
        return """
            select \(InboxCounts.columns), (
                    select i.notification_id from tidings.inbox i where \(isOfAsked) and \(InboxItem.isListed)
                    order by i.notification_id desc limit 1
                ) as newest, array(
                    select i.notification_id from tidings.inbox i
                    where \(isOfAsked) and i.notification_id > asked.last_known and \(InboxItem.isListed)
                    order by i.notification_id desc limit \(Int64(limit) + 1)
                ) as newer
            from unnest(\(watchers.map(\.person.tenant)), \(watchers.map(\.person.id)), \(watchers.map { $0.lastKnown?.uuid }))
                with ordinality as asked(tenant, recipient_id, last_known, place)
            left join tidings.inboxes b on b.tenant = asked.tenant and b.recipient_id = asked.recipient_id
            order by asked.place
            """
    }
}
