package import TidingsCore
import TidingsStore

/// For how long this process has reached the database without a break.
///
/// After an outage all leases are over, and workers that live hold outcomes which nobody else knows. They need a moment to connect again and to
/// write them. A releaser that took their packs apart meanwhile would replace what is known by a guess.
package struct Steadiness {
    /// Longer than a lease, a reconnect (5 s at most) and a worker's pause between two tries (2 s) together.
    package static let required = Duration.seconds(35)
    /// Between two answers; a longer gap is a stopped process or a database that hung.
    package static let longestGap = Duration.seconds(5)
    /// A turn whose statement waits longer than this says nothing of now: workers have waited for the same lock.
    package static let longestTurn = Duration.seconds(2)

    private var since: Timestamp?
    private var answeredAt: ContinuousClock.Instant?

    package init() {}

    /// The database answered. `now` is its business time, in which leases are counted too.
    package mutating func answered(at now: Timestamp, instant: ContinuousClock.Instant = .now) {
        if let answeredAt, instant - answeredAt > Self.longestGap { since = nil }
        if let earlier = since, now < earlier { since = nil }
        since = since ?? now
        answeredAt = instant
    }

    /// It did not, or too late.
    package mutating func interrupted() {
        since = nil
        answeredAt = nil
    }

    package func isEnough(at now: Timestamp, instant: ContinuousClock.Instant = .now) -> Bool {
        guard let since, let answeredAt, instant - answeredAt <= Self.longestGap else { return false }
        return now - since >= Self.required
    }
}

/// How many rows a turn takes: half as many after a batch that could not be written, until the row to blame is alone, and soon all again.
package struct BatchLimit {
    private let full: Int
    package private(set) var current: Int

    package init(_ full: Int) {
        self.full = full
        current = full
    }

    package mutating func failed() { current = max(1, current / 2) }
    package mutating func succeeded() { current = min(full, current * 2) }
}
