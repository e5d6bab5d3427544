import Synchronization
import TidingsAMQP
import TidingsCommands
import TidingsServer

/// The record of the producer itself: how many intents the broker confirmed, which ones it did not confirm, and the sample of confirmed
/// intents to look for in the inboxes.
final class BenchLedger: Sendable {
    /// An intent that the bench looks for in its inbox.
    struct Watched: Sendable {
        let recipient: String
        /// The moment of the confirm, or earlier by as much as the intent was published too late.
        let since: ContinuousClock.Instant
    }

    private struct State {
        var confirmed = 0
        var unconfirmed: [Int] = []
        var watched: [Watched] = []
        var failure: AMQPError?
    }

    private let state = Mutex(State())
    /// One intent in this many is looked for.
    private let share: Int
    private let recipient: @Sendable (Int) -> String

    init(watching share: Int, recipient: @escaping @Sendable (Int) -> String) {
        self.share = share
        self.recipient = recipient
    }

    /// - Parameter dueAt: now, or earlier by as much as the schedule was missed.
    func note(_ numbers: Range<Int>, _ results: [PublishResult], dueAt: ContinuousClock.Instant) {
        state.withLock { state in
            for (number, result) in zip(numbers, results) {
                guard result == .confirmed else {
                    state.unconfirmed.append(number)
                    if case .failed(let error) = result { state.failure = state.failure ?? error }
                    continue
                }
                state.confirmed += 1
                if number % share == 0 { state.watched.append(Watched(recipient: recipient(number), since: dueAt)) }
            }
        }
    }

    var confirmed: Int { state.withLock(\.confirmed) }

    /// The numbers of the events that the broker did not confirm. These events may or may not have arrived.
    var unconfirmed: [Int] { state.withLock(\.unconfirmed) }

    /// The first failure of a publish. The broker has no answer then, and a measurement is in vain.
    var failure: AMQPError? { state.withLock(\.failure) }

    /// Returns the watched intents that were confirmed since the last call.
    func dequeueWatched() -> [Watched] {
        state.withLock { state in
            defer { state.watched.removeAll(keepingCapacity: true) }
            return state.watched
        }
    }
}
