import Synchronization
import TidingsModules
import TidingsTestSupport

@testable import TidingsAPI
@testable import TidingsStore

/// News by the script of a test, with one topic. Every person has the same. Each question about somebody is noted.
final class ScriptedNews: StreamNews {
    struct Script: Sendable {
        /// Every question fails.
        var isAway = false
        /// The position of the inbox in later news. The first news have position 5.
        var position: Int64 = 6
        /// The number of new things of the topic.
        var new = 0
        /// The people whom a look for changes finds, if it is about them.
        var changed: [RecipientKey] = []
        var withNews: [RecipientKey] = []
    }

    enum Question: Sendable, Equatable {
        case changedInboxes(Set<InboxWatcher>)
        case peopleWithNews(Set<TopicMark>)
        case inboxNews(Set<InboxWatcher>)
        case news(Set<TopicMark>)
    }

    struct Fault: Error {}

    static let topic = "visits"

    let topics = [ScriptedNews.topic]
    /// The first news of streams wait for the test. Nil: they come at once.
    private let firsts: HeldCalls<[FirstNews.Asked]>?
    private let script = Mutex(Script())
    private let questions = Mutex<[Question]>([])

    init(firsts: HeldCalls<[FirstNews.Asked]>? = nil) { self.firsts = firsts }

    func write(_ change: @Sendable (inout Script) -> Void) { script.withLock { change(&$0) } }

    /// Returns the questions since the last call.
    func takeQuestions() -> [Question] {
        questions.withLock { questions in
            defer { questions = [] }
            return questions
        }
    }

    private func ask(_ question: Question, about people: Int) throws -> Script {
        if people > 0 { questions.withLock { $0.append(question) } }
        let now = script.withLock(\.self)
        if now.isAway { throw Fault() }
        return now
    }

    private static func inbox(at position: Int64) -> InboxNews {
        InboxNews(
            position: position, counts: InboxCounts(total: 1, unread: 1), newest: nil, arrived: [], changed: [], isComplete: true)
    }

    private static func news(_ count: Int, after mark: TopicMark) -> TopicNews {
        TopicNews(count: count, mark: TopicMark(tenant: mark.tenant, recipient: mark.recipient, position: (mark.position ?? 0) + 1))
    }

    // MARK: StreamNews

    func first(of asked: [FirstNews.Asked]) async throws -> [FirstNews] {
        try await firsts?.hold(asked)
        return asked.map { asked in FirstNews(inbox: Self.inbox(at: 5), topics: asked.marks.map { Self.news(0, after: $0) }) }
    }

    func changedInboxes(since watchers: [InboxWatcher]) async throws -> [RecipientKey] {
        let asked = Set(watchers.map(\.person))
        return try ask(.changedInboxes(Set(watchers)), about: watchers.count).changed.filter(asked.contains)
    }

    func people(withNewsOf topic: Int, since marks: [TopicMark]) async throws -> [RecipientKey] {
        let asked = Set(marks.map { RecipientKey(tenant: $0.tenant, id: $0.recipient) })
        return try ask(.peopleWithNews(Set(marks)), about: marks.count).withNews.filter(asked.contains)
    }

    func inboxNews(of watchers: [InboxWatcher]) async throws -> [InboxNews] {
        let script = try ask(.inboxNews(Set(watchers)), about: watchers.count)
        return watchers.map { _ in Self.inbox(at: script.position) }
    }

    func news(of topic: Int, since marks: [TopicMark]) async throws -> [TopicNews] {
        let script = try ask(.news(Set(marks)), about: marks.count)
        return marks.map { Self.news(script.new, after: $0) }
    }
}
