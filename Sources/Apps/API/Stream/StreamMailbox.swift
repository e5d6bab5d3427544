import Synchronization
import TidingsCore
import TidingsLikes
import TidingsStore

/// The events for one stream that are not written yet.
///
/// Later events join the one that waits, so a mailbox holds one event, however slowly its reader reads.
final class StreamMailbox: Sendable {
    enum Message: Sendable {
        case event(InboxEvent)
        /// The number of likes that are new since the stream was last told of some. 0 if an older like has changed.
        case likes(Int)
        case heartbeat
        /// The client must reconnect.
        case end
        /// The connection is gone.
        case gone
    }

    private struct State {
        var event: InboxEvent?
        /// The last event that the stream was told of. Nil before the first one.
        var told: InboxEvent?
        /// A state that a look found and that no event has told, see ``StreamMailbox/look(at:)``.
        var doubt: InboxEvent.Standing?
        /// Nil: there is nothing to tell.
        var newLikes: Int?
        var likesMark: LikesMark
        var isHeartbeatDue = false
        var isEnding = false
        var isGone = false
        var reader: CheckedContinuation<Message, Never>?

        mutating func put(_ event: InboxEvent) {
            if let told, self.event == nil, event.addsNothing(to: told) { return }
            if self.event == nil { self.event = event } else { self.event?.join(event) }
        }

        mutating func next() -> Message? {
            if isGone { return .gone }
            if let event {
                self.event = nil
                told = event
                isHeartbeatDue = false
                return .event(event)
            }
            if let newLikes {
                self.newLikes = nil
                return .likes(newLikes)
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

    init(person: RecipientKey, number: Int) {
        self.person = person
        self.number = number
        state = Mutex(State(likesMark: LikesMark(tenant: person.tenant, recipient: person.id)))
    }

    /// The likes that the stream's person knows of.
    var likesMark: LikesMark { state.withLock { $0.likesMark } }

    /// - Parameter isChanged: whether the stream is told even if no like is new, because one has become a match.
    func put(_ likes: NewLikes, isChanged: Bool = false) {
        change { state in
            if likes.count > 0 || isChanged { state.newLikes = (state.newLikes ?? 0) + likes.count }
            state.likesMark = likes.mark
        }
    }

    /// Takes the first event of the stream, which its writer tells by itself.
    func begin(_ first: InboxEvent) { state.withLock { $0.told = first } }

    /// Takes an event of a change. The stream is not told what it knows already.
    func put(_ event: InboxEvent) {
        change { $0.put(event) }
    }

    /// Takes the state that a look found, and returns whether the inbox must be looked at once more.
    ///
    /// A look may find a change whose signal is on its way. The signal names the changed ids, and the look does not. So the stream is told only
    /// if a second look finds the same: the signal was lost.
    func look(at event: InboxEvent) -> Bool {
        var isDoubtful = false
        change { state in
            if event.standing == (state.event ?? state.told)?.standing {
                state.doubt = nil
            } else if event.standing == state.doubt {
                state.doubt = nil
                state.put(event)
            } else {
                state.doubt = event.standing
                isDoubtful = true
            }
        }
        return isDoubtful
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
