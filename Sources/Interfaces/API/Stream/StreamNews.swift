import TidingsModules
import TidingsStore

/// The readings of inboxes and topics for the streams of a process. Each reads for many people at once.
protocol StreamNews: Sendable {
    /// The names of the topics. The place of a topic in this list identifies it.
    var topics: [String] { get }

    /// The news that streams are told first, in the same order.
    func first(of asked: [FirstNews.Asked]) async throws -> [FirstNews]
    /// The people whose inbox is at another position than they know.
    func changedInboxes(since watchers: [InboxWatcher]) async throws -> [RecipientKey]
    /// The people of those marks beyond which something of a topic has come.
    func people(withNewsOf topic: Int, since marks: [TopicMark]) async throws -> [RecipientKey]
    /// The news of each watcher, in the same order.
    func inboxNews(of watchers: [InboxWatcher]) async throws -> [InboxNews]
    /// The new things of a topic for each mark, in the same order.
    func news(of topic: Int, since marks: [TopicMark]) async throws -> [TopicNews]
}

/// The news as the database has them.
struct StoredNews: StreamNews {
    let topics: [String]
    private let store: Store
    private let stored: [any StreamTopic]

    /// - Parameter topics: the topics of the modules.
    init(store: Store, topics: [any StreamTopic]) {
        self.topics = topics.map { $0.name }
        self.store = store
        stored = topics
    }

    func first(of asked: [FirstNews.Asked]) async throws -> [FirstNews] {
        if asked.count == 1, let one = asked.first {
            // A query that is not shared has the rights of the person.
            let inbox = try await store.inbox.news(of: one.watcher, limit: APILimits.idsInEvent)
            var news: [TopicNews] = []
            for (topic, mark) in zip(stored, one.marks) { news.append(try await topic.news(since: mark)) }
            return [FirstNews(inbox: inbox, topics: news)]
        }
        var first = try await inboxNews(of: asked.map(\.watcher)).map { FirstNews(inbox: $0, topics: []) }
        for (position, topic) in stored.enumerated() {
            let news = try await topic.news(since: asked.map { $0.marks[position] })
            for (index, one) in zip(first.indices, news) { first[index].topics.append(one) }
        }
        return first
    }

    func changedInboxes(since watchers: [InboxWatcher]) async throws -> [RecipientKey] {
        try await store.inbox.changed(since: watchers)
    }

    func people(withNewsOf topic: Int, since marks: [TopicMark]) async throws -> [RecipientKey] {
        try await stored[topic].people(withNewsSince: marks)
    }

    func inboxNews(of watchers: [InboxWatcher]) async throws -> [InboxNews] {
        try await store.inbox.news(of: watchers, limit: APILimits.idsInEvent)
    }

    func news(of topic: Int, since marks: [TopicMark]) async throws -> [TopicNews] { try await stored[topic].news(since: marks) }
}
