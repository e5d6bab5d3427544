import TidingsWaiting

/// The pauses between attempts to reach the broker.
public struct ReconnectPolicy: Sendable, Hashable {
    /// The pause before the second attempt. Each further pause is twice as long.
    public var base: Duration
    /// The longest pause, jitter included.
    public var cap: Duration
    /// The number of failed attempts in a row after which no further attempt follows. Nil means no limit.
    public var maximumAttempts: Int?

    public init(base: Duration = .milliseconds(100), cap: Duration = .seconds(5), maximumAttempts: Int? = nil) {
        self.base = base
        self.cap = cap
        self.maximumAttempts = maximumAttempts
    }

    /// The pause after `failures` failed attempts in a row (1 or more). Nil when no further attempt is allowed.
    ///
    /// `jitter`, from 0 to 1, picks a point in the upper half of the step. Many clients of one restarted broker therefore spread out, and
    /// none of them waits longer than ``cap``.
    public func delay(afterFailures failures: Int, jitter: Double) -> Duration? {
        if let maximumAttempts, failures >= maximumAttempts { return nil }
        return Backoff(base: base, cap: cap, jitter: 0.5).pause(afterFailure: failures, random: jitter)
    }
}

/// The backoff of one connection: its policy, and its failures in a row.
struct ReconnectBackoff {
    let policy: ReconnectPolicy
    private(set) var failures = 0
    private var connectedAt: ContinuousClock.Instant?

    init(_ policy: ReconnectPolicy) { self.policy = policy }

    mutating func connected(at now: ContinuousClock.Instant = .now) { connectedAt = now }

    /// Counts a failure and returns the next pause. If the connection had held for at least the longest pause, the count starts again at 1.
    mutating func nextDelay(now: ContinuousClock.Instant = .now) -> Duration? {
        if let connectedAt, connectedAt.duration(to: now) >= policy.cap { failures = 0 }
        connectedAt = nil
        failures += 1
        return policy.delay(afterFailures: failures, jitter: .random(in: 0...1))
    }

    mutating func reset() { failures = 0 }
}
