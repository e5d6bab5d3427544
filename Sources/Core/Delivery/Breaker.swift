/// Stops calls to a provider or host that keeps failing, and lets single trials through until it answers again. A value: time is passed in,
/// answers come back, nothing is waited for here.
public struct Breaker: Sendable, Hashable {
    /// When to stop and how long.
    public struct Policy: Sendable, Hashable {
        /// Failures in a row that open it; at least 1 takes effect.
        public var failureThreshold: Int
        /// The pause before the first trial; doubles with every trial that fails. Who asks beside a trial waits no longer at first.
        public var coolDown: Duration
        /// No pause is longer.
        public var longestCoolDown: Duration

        public init(failureThreshold: Int, coolDown: Duration, longestCoolDown: Duration) {
            self.failureThreshold = failureThreshold
            self.coolDown = coolDown
            self.longestCoolDown = longestCoolDown
        }

        /// Five failures in a row are no accident; five seconds outlast a reconnect, and a minute is the longest anybody waits after
        /// repair.
        public static let standard = Policy(failureThreshold: 5, coolDown: .seconds(5), longestCoolDown: .seconds(60))
    }

    public enum State: Sendable, Hashable {
        /// Calls go through; so many have failed in a row.
        case closed(failures: Int)
        /// No calls since then; so many pauses in a row, this one included.
        case open(since: Timestamp, pauses: Int)
        /// One trial is out since then.
        case halfOpen(since: Timestamp, pauses: Int)
    }

    public enum Admission: Sendable, Hashable {
        case allowed
        /// Not now; ask again at this time.
        case refused(until: Timestamp)
    }

    public let policy: Policy
    public private(set) var state = State.closed(failures: 0)

    public init(policy: Policy = .standard) {
        self.policy = policy
    }

    /// Asks for one call. After a pause the first to ask makes the trial. A trial without an answer is given up after as long as the pause
    /// was; who asks beside it comes back sooner, for most answer at once.
    public mutating func admit(at now: Timestamp) -> Admission {
        switch state {
        case .closed:
            return .allowed
        case .open(let since, let pauses), .halfOpen(let since, let pauses):
            let elapsed = now - since
            let pause = pause(after: pauses)
            // A clock that was set back must not prolong the pause.
            if elapsed < .zero || elapsed >= pause {
                state = .halfOpen(since: now, pauses: pauses)
                return .allowed
            }
            let trialIsYoung = isOnTrial && elapsed < policy.coolDown
            return .refused(until: since.adding(trialIsYoung ? min(policy.coolDown, pause) : pause))
        }
    }

    /// Reports how a call ended. An answer closes the breaker whenever it comes. Failures of calls made before a pause do not prolong it.
    public mutating func record(_ evidence: Outcome.Evidence, at now: Timestamp) {
        switch (evidence, state) {
        case (.none, _), (.failing, .open):
            break
        case (.healthy, _):
            state = .closed(failures: 0)
        case (.failing, .closed(let failures)):
            state = failures + 1 >= policy.failureThreshold ? .open(since: now, pauses: 1) : .closed(failures: failures + 1)
        case (.failing, .halfOpen(_, let pauses)):
            state = .open(since: now, pauses: pauses + 1)
        }
    }

    /// The end of the pause that it is in; nil when a call may be tried. Changes nothing.
    public var closedUntil: Timestamp? {
        guard case .open(let since, let pauses) = state else { return nil }
        return since.adding(pause(after: pauses))
    }

    /// Whether calls are paused or on trial.
    public var isOpen: Bool {
        if case .closed = state { false } else { true }
    }

    private var isOnTrial: Bool {
        if case .halfOpen = state { true } else { false }
    }

    private func pause(after pauses: Int) -> Duration {
        var pause = min(policy.coolDown, policy.longestCoolDown)
        for _ in 1..<max(pauses, 1) {
            guard pause > .zero, pause < policy.longestCoolDown else { break }
            pause = min(pause * 2, policy.longestCoolDown)
        }
        return pause
    }
}
