import TidingsLikes
import TidingsStore
import TidingsWaiting

/// The news that a stream is told first.
///
/// After a restart thousands of streams open within seconds. The streams that come while a query runs share the next one.
struct FirstNews: Sendable {
    /// The streams of one query.
    static let largestBatch = Store.inboxWatchersPerQuery

    let inbox: InboxNews
    let likes: NewLikes

    struct Asked: Sendable {
        let watcher: InboxWatcher
        let likes: LikesMark
    }

    typealias Desk = BatchDesk<Asked, FirstNews>

    static func desk(_ store: Store, _ likes: Likes) -> Desk {
        Desk(largestBatch: largestBatch) { asked in
            let limit = APILimits.idsInEvent
            if asked.count == 1, let one = asked.first {
                // A query that is not shared has the rights of the person.
                let inbox = try await store.inboxNews(of: one.watcher, limit: limit)
                return [FirstNews(inbox: inbox, likes: try await likes.news(since: one.likes))]
            }
            let inboxes = try await store.inboxNews(of: asked.map(\.watcher), limit: limit)
            let likes = try await likes.news(since: asked.map(\.likes))
            return zip(inboxes, likes).map { FirstNews(inbox: $0, likes: $1) }
        }
    }
}
