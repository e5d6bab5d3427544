import Histogram
import TidingsCommands
import TidingsCore
import TidingsServer
import TidingsStore

/// Looks for confirmed intents in their inboxes, by an index, and notes how long each took from the producer's confirm.
///
/// Whoever reads an inbox sees an entry no earlier than this does: what is noted includes the question and its answer.
struct VisibilityPoll {
    let store: Store
    let ledger: BenchLedger
    let since: Timestamp
    /// Between two questions.
    let pause: Duration
    /// Those that were not seen this long after the last was confirmed are left to the audit.
    let limit: Duration

    /// The longest wait that is told apart from longer ones.
    private static let longest = UInt64(3_600_000_000)
    /// People in one question, the oldest first: who came later is not seen before them, or by little, and a question must cost next to
    /// nothing beside what is measured.
    private static let peopleAtOnce = 32

    /// Microseconds, to three digits.
    typealias Waits = Histogram<UInt64>

    static var noWaits: Waits { Waits(highestTrackableValue: longest, numberOfSignificantValueDigits: .three) }

    /// Runs until cancelled or until `isOver` and everything was seen; returns what was seen.
    func run(until isOver: @Sendable () -> Bool) async throws -> Waits {
        var waits = Self.noWaits
        var open: [(recipient: String, since: ContinuousClock.Instant)] = []
        var deadline: ContinuousClock.Instant?
        while deadline.map({ $0 > .now }) ?? true {
            let wasOver = isOver()
            if wasOver && deadline == nil { deadline = .now + limit }
            open += ledger.takeWatched().map { ($0.recipient, $0.since) }
            if open.isEmpty && wasOver { return waits }
            if !open.isEmpty {
                let seen = Set(
                    try await store.recipientsWithInbox(among: open.prefix(Self.peopleAtOnce).map(\.recipient), since: since))
                let now = ContinuousClock.now
                open.removeAll { entry in
                    guard seen.contains(entry.recipient) else { return false }
                    waits.record(min(Self.longest, UInt64(max(0, (now - entry.since) / .microseconds(1)))))
                    return true
                }
            }
            try await Task.sleep(for: pause)
        }
        return waits
    }
}
