import TidingsLikes
import TidingsStore

/// The readings of inboxes and likes for the streams of a process. Each reads for many people at once.
protocol StreamNews: Sendable {
    /// The news that streams are told first, in the same order.
    func first(of asked: [FirstNews.Asked]) async throws -> [FirstNews]
    /// The people whose inbox is at another position than they know.
    func changedInboxes(since watchers: [InboxWatcher]) async throws -> [RecipientKey]
    /// The people of those marks beyond which a like has come.
    func people(withLikesSince marks: [LikesMark]) async throws -> [RecipientKey]
    /// The news of each watcher, in the same order.
    func inboxNews(of watchers: [InboxWatcher]) async throws -> [InboxNews]
    /// The new likes of each mark, in the same order.
    func newLikes(since marks: [LikesMark]) async throws -> [NewLikes]
}

/// The news as the database has them.
struct StoredNews: StreamNews {
    private let store: Store
    private let likes: Likes

    init(store: Store) {
        self.store = store
        likes = Likes(store: store)
    }

    func first(of asked: [FirstNews.Asked]) async throws -> [FirstNews] {
        if asked.count == 1, let one = asked.first {
            // A query that is not shared has the rights of the person.
            let inbox = try await store.inboxNews(of: one.watcher, limit: APILimits.idsInEvent)
            return [FirstNews(inbox: inbox, likes: try await likes.news(since: one.likes))]
        }
        let inboxes = try await inboxNews(of: asked.map(\.watcher))
        let newLikes = try await likes.news(since: asked.map(\.likes))
        return zip(inboxes, newLikes).map { FirstNews(inbox: $0, likes: $1) }
    }

    func changedInboxes(since watchers: [InboxWatcher]) async throws -> [RecipientKey] {
        try await store.changedInboxes(since: watchers)
    }

    func people(withLikesSince marks: [LikesMark]) async throws -> [RecipientKey] {
        try await likes.people(withNewsSince: marks)
    }

    func inboxNews(of watchers: [InboxWatcher]) async throws -> [InboxNews] {
        try await store.inboxNews(of: watchers, limit: APILimits.idsInEvent)
    }

    func newLikes(since marks: [LikesMark]) async throws -> [NewLikes] { try await likes.news(since: marks) }
}
