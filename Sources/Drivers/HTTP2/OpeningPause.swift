import TidingsWaiting

/// The pause between failed connections, so that the transport does not reconnect in a tight loop to a server that accepts none. Each
/// failure in a row makes the next pause longer, however many requests wait.
struct OpeningPause {
    /// The pause after the first failure. Each further failure doubles it.
    static let base = Duration.milliseconds(100)
    /// The longest pause, jitter included.
    static let cap = Duration.seconds(5)
    /// Half of each step is random, so that many clients of one server spread out.
    static let backoff = Backoff(base: base, cap: cap, jitter: 0.5)

    private var failures = 0
    private var pause: (end: ContinuousClock.Instant, problem: String)?

    /// Counts a failure and begins the next pause. A failure during a pause does not count, so connections that were opened together count
    /// once.
    ///
    /// - Parameter random: from 0 for the shortest pause to 1 for the longest.
    mutating func begin(after problem: String, at now: ContinuousClock.Instant, random: Double = .random(in: 0...1)) {
        guard end(at: now) == nil else { return }
        failures += 1
        pause = (now + Self.backoff.pause(afterFailure: failures, random: random), problem)
    }

    /// Ends the pause and the count, because a connection was of use.
    mutating func reset() {
        failures = 0
        pause = nil
    }

    /// The time from which a connection may be opened, or nil when it may be opened now.
    func end(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        pause.flatMap { now < $0.end ? $0.end : nil }
    }

    /// The failure that caused the current pause. Nil without a pause.
    func problem(at now: ContinuousClock.Instant) -> String? { end(at: now) == nil ? nil : pause?.problem }
}
