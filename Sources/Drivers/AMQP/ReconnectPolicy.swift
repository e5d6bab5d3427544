/// How long to wait before each new attempt to reach the broker.
public struct ReconnectPolicy: Sendable, Hashable {
    /// The wait before the second attempt; each further one doubles it.
    public var base: Duration
    /// The longest wait, jitter included.
    public var cap: Duration
    /// Attempts in a row that may fail before giving up; nil never gives up.
    public var maximumAttempts: Int?

    public init(base: Duration = .milliseconds(100), cap: Duration = .seconds(5), maximumAttempts: Int? = nil) {
        self.base = base
        self.cap = cap
        self.maximumAttempts = maximumAttempts
    }

    /// The wait after `failures` failed attempts in a row (1 or more), or nil when that was the last one allowed.
    ///
    /// `jitter`, 0 to 1, picks a point in the upper half of the step, so that many clients of one restarted broker spread out while
    /// none of them waits longer than ``cap``.
    public func delay(afterFailures failures: Int, jitter: Double) -> Duration? {
        if let maximumAttempts, failures >= maximumAttempts { return nil }
        let doublings = min(max(failures - 1, 0), 30)  // 2^30 × base passes every sensible cap.
        let step = min(base * (1 << doublings), cap)
        return step * (0.5 + 0.5 * min(max(jitter, 0), 1))
    }
}

/// Counts failures in a row for one connection.
struct Backoff {
    let policy: ReconnectPolicy
    private(set) var failures = 0
    private var connectedAt: ContinuousClock.Instant?

    init(_ policy: ReconnectPolicy) { self.policy = policy }

    mutating func connected(at now: ContinuousClock.Instant = .now) { connectedAt = now }

    /// Counts a failure. A connection that had held for the longest pause ends the row: its loss is the first of a new one.
    mutating func nextDelay(now: ContinuousClock.Instant = .now) -> Duration? {
        if let connectedAt, connectedAt.duration(to: now) >= policy.cap { failures = 0 }
        connectedAt = nil
        failures += 1
        return policy.delay(afterFailures: failures, jitter: .random(in: 0...1))
    }

    mutating func reset() { failures = 0 }
}
