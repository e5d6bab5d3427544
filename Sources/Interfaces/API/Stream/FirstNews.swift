import TidingsModules
import TidingsStore
import TidingsWaiting
import TidingsWeb

/// The news that a stream is told first.
///
/// After a restart thousands of streams open within seconds. The streams that come while a query runs share the next one.
struct FirstNews: Sendable {
    /// The streams of one query.
    static let largestBatch = Store.inboxWatchersPerQuery

    let inbox: InboxNews
    /// In the order of the topics.
    var topics: [TopicNews]

    struct Asked: Sendable {
        let watcher: InboxWatcher
        /// In the order of the topics.
        let marks: [TopicMark]
    }
}

extension FirstNews {
    /// Reads the first news for the streams that open. A query has about as many streams of one tenant as of any other, so the openings of
    /// a crowd do not delay those of other tenants.
    struct Desk: Sendable {
        private let desk: BatchDesk<Asked, FirstNews>

        /// - Parameter connections: the connections of the process. As many openings may wait, so all its streams may open at once. The
        ///   opening of a client that is gone waits on, so the server's bound of connections does not bound them.
        init(_ news: any StreamNews, connections: Int) {
            desk = BatchDesk(
                largestBatch: FirstNews.largestBatch, mostWaiting: connections, owner: { $0.watcher.person.tenant }
            ) { asked in
                try await news.first(of: asked)
            }
        }

        /// The openings that wait for the next query.
        var waiting: Int { get async { await desk.waiting } }

        /// Returns the first news of a stream. Throws the error of the database, or a problem if too many openings wait.
        func news(of asked: Asked) async throws -> FirstNews {
            do {
                return try await desk.answer(to: asked)
            } catch is BatchDeskIsFull {
                throw Problem.unavailable("Too many event streams open at once.", retryAfter: ByteRoom.pause)
            }
        }
    }
}
