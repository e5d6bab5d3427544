import Synchronization
import TidingsCore
import TidingsModules
import TidingsStore

/// The events for one stream that are not written yet.
///
/// Later events join the one that waits, so a mailbox holds one event, however slowly its reader reads.
final class StreamMailbox: Sendable {
    enum Message: Sendable {
        /// An event, and its id.
        case event(InboxEvent, StreamMark)
        /// The name of a topic, the number of things that are new since the stream was last told of some, and the id of the event. The
        /// number is 0 if an older thing has changed.
        case news(String, Int, StreamMark)
        case heartbeat
        /// The client must reconnect.
        case end
        /// The connection is gone.
        case gone
    }

    /// The state of a topic.
    private struct Topic {
        let name: String
        /// The place up to which things were counted for the stream.
        var mark: TopicMark
        /// The number of new things to tell. Nil: there is nothing to tell.
        var news: Int?
        /// Whether the topic may have changed while the first event was read. True if an older thing has.
        var isBehind: Bool?
    }

    private struct State {
        var event: InboxEvent?
        /// The position up to which news were read for the stream. Nil before the first event.
        var position: Int64?
        /// Whether the inbox may have changed while the first event was read.
        var isBehind = false
        var topics: [Topic]
        /// The positions that the stream has told.
        var told: StreamMark
        var isHeartbeatDue = false
        var isEnding = false
        var isGone = false
        var reader: CheckedContinuation<Message, Never>?

        mutating func next() -> Message? {
            if isGone { return .gone }
            if let event {
                self.event = nil
                told.inbox = event.position
                isHeartbeatDue = false
                return .event(event, told)
            }
            for (position, topic) in topics.enumerated() {
                guard let count = topic.news else { continue }
                topics[position].news = nil
                told.topics[position] = topic.mark.position
                return .news(topic.name, count, told)
            }
            if isEnding { return .end }
            guard isHeartbeatDue else { return nil }
            isHeartbeatDue = false
            return .heartbeat
        }
    }

    let person: RecipientKey
    let number: Int
    private let state: Mutex<State>

    /// - Parameters:
    ///   - topics: the names of the topics.
    ///   - known: the positions of the topics that the client knows. If one is nil or missing, the new things are those from now on.
    init(person: RecipientKey, number: Int, topics: [String], known: [Int64?]) {
        self.person = person
        self.number = number
        let topics = topics.enumerated().map { position, name in
            let known = position < known.count ? known[position] : nil
            return Topic(name: name, mark: TopicMark(tenant: person.tenant, recipient: person.id, position: known))
        }
        state = Mutex(State(topics: topics, told: StreamMark(inbox: 0, topics: topics.map(\.mark.position))))
    }

    /// The place up to which the stream's person knows each topic.
    var marks: [TopicMark] { state.withLock { $0.topics.map(\.mark) } }

    /// The position up to which news were read. Nil before the first event.
    var position: Int64? { state.withLock { $0.position } }

    /// - Parameters:
    ///   - topic: its place in the order of the topics.
    ///   - isChanged: whether the stream is told even if nothing is new, because an older thing has changed.
    func put(_ news: TopicNews, of topic: Int, isChanged: Bool = false) {
        change { state in
            state.topics[topic].mark = news.mark
            if news.count > 0 || isChanged {
                state.topics[topic].news = (state.topics[topic].news ?? 0) + news.count
            } else if state.topics[topic].news == nil {
                state.told.topics[topic] = news.mark.position
            }
        }
    }

    /// The news that must be read again, because they may have come while the first event of a stream was read.
    struct Missed: Hashable {
        var inbox = false
        /// The topics by their place. True if an older thing has changed.
        var topics: [Int: Bool] = [:]
    }

    /// Takes the first event of the stream, which is told in any case.
    func begin(_ first: InboxEvent) -> Missed {
        var missed = Missed()
        change { state in
            state.event = first
            state.position = first.position
            missed.inbox = state.isBehind
            for (position, topic) in state.topics.enumerated() { missed.topics[position] = topic.isBehind }
        }
        return missed
    }

    /// The position from which news must be read, because the inbox has changed. Nil if the first event is being read: ``begin(_:)`` then
    /// asks for the news.
    func positionForNews() -> Int64? {
        state.withLock { state in
            if state.position == nil { state.isBehind = true }
            return state.position
        }
    }

    /// The mark from which the news of a topic must be counted. Nil if the first event is being read, which counts them too: a thing that
    /// both counted would be told twice. ``begin(_:)`` then asks for the news.
    func markForNews(of topic: Int, isChanged: Bool) -> TopicMark? {
        state.withLock { state in
            guard state.position == nil else { return state.topics[topic].mark }
            state.topics[topic].isBehind = isChanged || state.topics[topic].isBehind == true
            return nil
        }
    }

    /// Takes news since ``positionForNews()``. The stream is not told what it knows already.
    func put(_ event: InboxEvent) {
        change { state in
            guard state.position != event.position else { return }
            state.position = event.position
            if state.event == nil { state.event = event } else { state.event?.join(event) }
        }
    }

    func beat() { change { $0.isHeartbeatDue = true } }

    func end() { change { $0.isEnding = true } }

    func connectionClosed() { change { $0.isGone = true } }

    /// Waits for the next message. Only the stream's writer calls this, so at most one call waits.
    func next() async -> Message {
        await withCheckedContinuation { reader in
            let message = state.withLock { state -> Message? in
                if let message = state.next() { return message }
                state.reader = reader
                return nil
            }
            if let message { reader.resume(returning: message) }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let woken = state.withLock { state -> (CheckedContinuation<Message, Never>, Message)? in
            body(&state)
            guard let reader = state.reader, let message = state.next() else { return nil }
            state.reader = nil
            return (reader, message)
        }
        if let (reader, message) = woken { reader.resume(returning: message) }
    }
}
