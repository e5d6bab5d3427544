/// Decides which repetitions of a failure are worth a line of the log: the first, and then one in a while.
package struct Reminder: Sendable {
    /// The time between two lines about the same failing operation.
    package static let interval = Duration.seconds(60)

    private var last: ContinuousClock.Instant?

    package init() {}

    package mutating func isDue(at now: ContinuousClock.Instant = .now) -> Bool {
        if let last, now - last < Self.interval { return false }
        last = now
        return true
    }
}
