import Synchronization
import TidingsCore
import TidingsLikes
import TidingsStore

/// The events for one stream that are not written yet.
///
/// Later events join the one that waits, so a mailbox holds one event, however slowly its reader reads.
final class StreamMailbox: Sendable {
    enum Message: Sendable {
        /// An event, and its id.
        case event(InboxEvent, StreamMark)
        /// The number of likes that are new since the stream was last told of some, 0 if an older like has changed, and the id of the event.
        case likes(Int, StreamMark)
        case heartbeat
        /// The client must reconnect.
        case end
        /// The connection is gone.
        case gone
    }

    private struct State {
        var event: InboxEvent?
        /// The position up to which news were read for the stream. Nil before the first event.
        var position: Int64?
        /// Whether the inbox may have changed while the first event was read.
        var isBehind = false
        /// Whether the likes may have changed while the first event was read. True if an older like has.
        var isBehindInLikes: Bool?
        /// Nil: there is nothing to tell.
        var newLikes: Int?
        var likesMark: LikesMark
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
            if let newLikes {
                self.newLikes = nil
                told.likes = likesMark.position
                return .likes(newLikes, told)
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

    /// - Parameter likes: the position of the newest like that the client knows. Nil: new likes are those from now on.
    init(person: RecipientKey, number: Int, likes: Int64? = nil) {
        self.person = person
        self.number = number
        let mark = LikesMark(tenant: person.tenant, recipient: person.id, position: likes)
        state = Mutex(State(likesMark: mark, told: StreamMark(inbox: 0, likes: likes)))
    }

    /// The likes that the stream's person knows of.
    var likesMark: LikesMark { state.withLock { $0.likesMark } }

    /// The position up to which news were read. Nil before the first event.
    var position: Int64? { state.withLock { $0.position } }

    /// - Parameter isChanged: whether the stream is told even if no like is new, because one has become a match.
    func put(_ likes: NewLikes, isChanged: Bool = false) {
        change { state in
            state.likesMark = likes.mark
            if likes.count > 0 || isChanged {
                state.newLikes = (state.newLikes ?? 0) + likes.count
            } else if state.newLikes == nil {
                state.told.likes = likes.mark.position
            }
        }
    }

    /// The news that must be read again, because they may have come while the first event of a stream was read.
    struct Missed: Hashable {
        var inbox = false
        /// Nil: no likes. True if an older like has changed.
        var likes: Bool?
    }

    /// Takes the first event of the stream, which is told in any case.
    func begin(_ first: InboxEvent) -> Missed {
        var missed = Missed()
        change { state in
            state.event = first
            state.position = first.position
            missed = Missed(inbox: state.isBehind, likes: state.isBehindInLikes)
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

    /// The likes from which news must be counted. Nil if the first event is being read, which counts them too: a like that both counted would
    /// be told twice. ``begin(_:)`` then asks for the news.
    func likesForNews(isChanged: Bool) -> LikesMark? {
        state.withLock { state in
            guard state.position == nil else { return state.likesMark }
            state.isBehindInLikes = isChanged || state.isBehindInLikes == true
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
