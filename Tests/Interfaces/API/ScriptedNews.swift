import Synchronization
import TidingsTestSupport

@testable import TidingsAPI
@testable import TidingsLikes
@testable import TidingsStore

/// News by the script of a test. Every person has the same. Each question about somebody is noted.
final class ScriptedNews: StreamNews {
    struct Script: Sendable {
        /// Every question fails.
        var isAway = false
        /// The position of the inbox in later news. The first news have position 5.
        var position: Int64 = 6
        var newLikes = 0
        /// The people whom the looks for changes find.
        var changed: [RecipientKey] = []
        var liked: [RecipientKey] = []
    }

    enum Question: Sendable, Equatable {
        case changedInboxes(Set<InboxWatcher>)
        case likedPeople(Set<LikesMark>)
        case inboxNews(Set<InboxWatcher>)
        case newLikes(Set<LikesMark>)
    }

    struct Fault: Error {}

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

    private static func likes(_ count: Int, after mark: LikesMark) -> NewLikes {
        NewLikes(count: count, mark: LikesMark(tenant: mark.tenant, recipient: mark.recipient, position: (mark.position ?? 0) + 1))
    }

    // MARK: StreamNews

    func first(of asked: [FirstNews.Asked]) async throws -> [FirstNews] {
        try await firsts?.hold(asked)
        return asked.map { FirstNews(inbox: Self.inbox(at: 5), likes: Self.likes(0, after: $0.likes)) }
    }

    func changedInboxes(since watchers: [InboxWatcher]) async throws -> [RecipientKey] {
        try ask(.changedInboxes(Set(watchers)), about: watchers.count).changed
    }

    func people(withLikesSince marks: [LikesMark]) async throws -> [RecipientKey] {
        try ask(.likedPeople(Set(marks)), about: marks.count).liked
    }

    func inboxNews(of watchers: [InboxWatcher]) async throws -> [InboxNews] {
        let script = try ask(.inboxNews(Set(watchers)), about: watchers.count)
        return watchers.map { _ in Self.inbox(at: script.position) }
    }

    func newLikes(since marks: [LikesMark]) async throws -> [NewLikes] {
        let script = try ask(.newLikes(Set(marks)), about: marks.count)
        return marks.map { Self.likes(script.newLikes, after: $0) }
    }
}
