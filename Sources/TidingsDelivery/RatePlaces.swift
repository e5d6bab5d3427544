import Synchronization

/// Places in the line of a provider's rate, taken for a batch before it is claimed: one for each of its calls, in the order in which they ask.
package final class RatePlaces: Sendable {
    /// A place whose time has passed for longer is not used: after an outage all of them would be used at once.
    private static let freshness = Duration.seconds(1)

    private let gate: SendGate
    private let count: Int
    private let first: ContinuousClock.Instant
    private let interval: Duration
    private let takenAt = ContinuousClock.now
    private let taken = Atomic(0)
    private let used = Atomic(0)

    init(of gate: SendGate, _ count: Int, from first: ContinuousClock.Instant, every interval: Duration) {
        self.gate = gate
        self.count = count
        self.first = first
        self.interval = interval
    }

    /// Unused places are given back.
    deinit {
        let unused = count - used.load(ordering: .relaxed)
        if unused > 0 { gate.giveBack(unused) }
    }

    /// Until the first place; less than zero if its time has come.
    package var wait: Duration { first - .now }

    /// How long the caller waits for the next place. Nil without one in time.
    package func next() -> Duration? {
        let number = taken.add(1, ordering: .relaxed).oldValue
        guard number < count else { return nil }
        // Tokens of a quiet while were there before they were taken.
        let wait = max(first + interval * number, takenAt) - .now
        return wait > .zero - Self.freshness ? max(wait, .zero) : nil
    }

    /// The place that ``next()`` gave is used.
    package func use() { used.add(1, ordering: .relaxed) }
}
