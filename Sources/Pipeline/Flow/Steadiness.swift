package import TidingsCore
import TidingsPostgres
import TidingsStore

/// The time for which this process has reached the database without a break.
///
/// After an outage all leases are over, and living workers hold outcomes that only they know. They need a moment to connect again and to
/// write them. A releaser that took their packs apart meanwhile would replace known outcomes by a guess.
package struct Steadiness {
    /// The time without a break after which packs may be taken apart. It is longer than a lease, a reconnect (5 s at most) and a worker's
    /// pause between two tries (2 s) together.
    package static let required = Duration.seconds(35)
    /// The longest time between two answers. A longer gap means a stopped process, or a database that hung.
    package static let longestGap = Duration.seconds(5)
    /// The longest turn that still tells about the present. If a statement waits longer, workers have waited for the same lock.
    package static let longestTurn = Duration.seconds(2)

    private var since: Timestamp?
    private var answeredAt: ContinuousClock.Instant?

    package init() {}

    /// Records an answer of the database. `now` is its business time, in which leases are counted too.
    package mutating func answered(at now: Timestamp, instant: ContinuousClock.Instant = .now) {
        if let answeredAt, instant - answeredAt > Self.longestGap { since = nil }
        if let earlier = since, now < earlier { since = nil }
        since = since ?? now
        answeredAt = instant
    }

    /// Records that the database did not answer, or answered too late.
    package mutating func interrupted() {
        since = nil
        answeredAt = nil
    }

    /// Records that a turn failed. An error about a row is an answer of the database, and any other error breaks the time.
    package mutating func failed(_ error: any Error) {
        switch error {
        case is UnwritableRow: return
        case let error as PostgresError where error.isAboutARow: return
        default: interrupted()
        }
    }

    package func isEnough(at now: Timestamp, instant: ContinuousClock.Instant = .now) -> Bool {
        guard let since, let answeredAt, instant - answeredAt <= Self.longestGap else { return false }
        return now - since >= Self.required
    }
}

/// The number of rows of a turn. After a batch that could not be written it is halved, until the faulty row is alone, and then doubled
/// again.
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
