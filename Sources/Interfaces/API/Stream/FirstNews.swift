import TidingsModules
import TidingsStore
import TidingsWaiting

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

    typealias Desk = BatchDesk<Asked, FirstNews>

    static func desk(_ news: any StreamNews) -> Desk {
        Desk(largestBatch: largestBatch) { try await news.first(of: $0) }
    }
}
