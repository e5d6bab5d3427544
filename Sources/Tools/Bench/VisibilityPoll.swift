import Histogram
import TidingsCommands
import TidingsCore
import TidingsServer
import TidingsStore

/// Looks for confirmed intents in their inboxes, by an index, and notes how long each took from the producer's confirm.
///
/// The noted time includes the query and its answer, because a reader of an inbox needs both as well.
struct VisibilityPoll {
    let store: Store
    let ledger: BenchLedger
    let since: Timestamp
    /// The pause between two queries.
    let pause: Duration
    /// The time after the last confirm at which the poll ends. Intents that were not seen by then are left to the audit.
    let limit: Duration

    /// The longest wait that is distinguished from longer ones: one hour in microseconds.
    private static let longest = UInt64(3_600_000_000)

    /// A wait in microseconds. A negative one, by which the reader was faster than the producer, is 0.
    static func microseconds(_ wait: Duration) -> UInt64 { min(longest, UInt64(max(0, wait / .microseconds(1)))) }

    /// The most people in one query, the oldest first. People who came later are seen after them, or only a little earlier.
    /// A query must cost next to nothing beside the measured work.
    private static let peopleAtOnce = 32

    /// Waits in microseconds, with three significant digits.
    typealias Waits = Histogram<UInt64>

    static var noWaits: Waits { Waits(highestTrackableValue: longest, numberOfSignificantValueDigits: .three) }

    /// Runs until `isOver` and every intent was seen, at most for ``limit`` longer. Returns the waits of the seen intents.
    func run(until isOver: @Sendable () -> Bool) async throws -> Waits {
        var waits = Self.noWaits
        var open: [(recipient: String, since: ContinuousClock.Instant)] = []
        var deadline: ContinuousClock.Instant?
        while deadline.map({ $0 > .now }) ?? true {
            let wasOver = isOver()
            if wasOver && deadline == nil { deadline = .now + limit }
            open += ledger.dequeueWatched().map { ($0.recipient, $0.since) }
            if open.isEmpty && wasOver { return waits }
            if !open.isEmpty {
                let seen = Set(
                    try await store.operations.recipientsWithInbox(among: open.prefix(Self.peopleAtOnce).map(\.recipient), since: since))
                let now = ContinuousClock.now
                open.removeAll { entry in
                    guard seen.contains(entry.recipient) else { return false }
                    waits.record(Self.microseconds(now - entry.since))
                    return true
                }
            }
            // Poll: an inbox row signals nobody.
            try await Task.sleep(for: pause)
        }
        return waits
    }
}
