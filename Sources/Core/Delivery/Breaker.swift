/// A circuit breaker: it stops calls to a provider or host that keeps failing. After a pause it admits single trial calls until one of them
/// succeeds.
///
/// The breaker is a value and never waits. Callers pass in the time and report how each call ended.
public struct Breaker: Sendable, Hashable {
    /// The number of failures that open the breaker, and the length of its pauses.
    public struct Policy: Sendable, Hashable {
        /// The number of failures in a row that open the breaker. A value below 1 counts as 1.
        public var failureThreshold: Int
        /// The pause before the first trial call. It doubles with every trial call that fails.
        ///
        /// If a trial call is younger than this, another caller is refused only until the trial call reaches this age.
        public var coolDown: Duration
        /// The upper limit of the pause.
        public var longestCoolDown: Duration

        public init(failureThreshold: Int, coolDown: Duration, longestCoolDown: Duration) {
            self.failureThreshold = failureThreshold
            self.coolDown = coolDown
            self.longestCoolDown = longestCoolDown
        }

        /// Five failures in a row are no accident. A first pause of 5 s is longer than a reconnect takes. A longest pause of 60 s limits
        /// the wait after the provider works again.
        public static let standard = Policy(failureThreshold: 5, coolDown: .seconds(5), longestCoolDown: .seconds(60))
    }

    public enum State: Sendable, Hashable {
        /// Every call is admitted. `failures` counts the calls that failed in a row.
        case closed(failures: Int)
        /// No call has been admitted since then. `pauses` counts the pauses in a row, including this one.
        case open(since: Timestamp, pauses: Int)
        /// One trial call is under way since then.
        case halfOpen(since: Timestamp, pauses: Int)
    }

    public enum Admission: Sendable, Hashable {
        case allowed
        /// The call must not be made. The caller may ask again at this time.
        case refused(until: Timestamp)
    }

    public let policy: Policy
    public private(set) var state = State.closed(failures: 0)

    public init(policy: Policy = .standard) {
        self.policy = policy
    }

    /// Asks to make one call. After a pause, the first caller makes the trial call.
    ///
    /// If a trial call takes longer than the pause lasted, the next caller makes another one. Most trial calls end quickly, so other
    /// callers are told to ask again sooner.
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

    /// Reports how a call ended. A healthy answer closes the breaker in every state. A failure of a call made before a pause does not
    /// prolong the pause.
    public mutating func record(_ evidence: Outcome.Evidence, at now: Timestamp) {
        switch (evidence, state) {
        case (.none, _), (.failing, .open), (.unreachable, .open):
            break
        case (.healthy, _):
            state = .closed(failures: 0)
        case (.failing, .closed(let failures)), (.unreachable, .closed(let failures)):
            state = failures + 1 >= policy.failureThreshold ? .open(since: now, pauses: 1) : .closed(failures: failures + 1)
        case (.failing, .halfOpen(_, let pauses)), (.unreachable, .halfOpen(_, let pauses)):
            state = .open(since: now, pauses: pauses + 1)
        }
    }

    /// The end of the current pause, nil when the breaker is not open. Reading it changes nothing.
    public var closedUntil: Timestamp? {
        guard case .open(let since, let pauses) = state else { return nil }
        return since.adding(pause(after: pauses))
    }

    /// Whether the breaker is open or half-open.
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
