/// A circuit breaker: it stops calls to a host or an endpoint that keeps failing. After a pause it admits single trial calls until one of
/// them succeeds.
///
/// The breaker is a value and never waits. Callers pass in the time, and report how each call began and ended.
///
/// Failures are told apart by their ``Part``. For the breaker of a host the parts are its endpoints. For the breaker of an endpoint the
/// parts are the deliveries to it. One part that keeps failing opens no breaker. While a breaker is open, its trial calls go to the parts
/// that are most likely to succeed.
public struct Breaker: Sendable, Hashable {
    /// The number of failures that open the breaker, and the times between its trial calls.
    public struct Policy: Sendable, Hashable {
        /// The number of parts that fail without a good answer between them, and so open the breaker. A value below 1 counts as 1.
        public var failureThreshold: Int
        /// The pause before the first trial call. It doubles with every trial call that fails.
        ///
        /// While a trial call is under way, other callers are refused until the trial call reaches this age.
        public var coolDown: Duration
        /// The upper limit of the pause.
        public var longestCoolDown: Duration
        /// The time between two calls to parts that have not failed, while the breaker is not closed.
        public var probeInterval: Duration
        /// The time between two turns of a trial call, see ``Breaker/turn(of:_:)``.
        public var turnLength: Duration
        /// The shortest time from the first failure of a row to the opening.
        public var shortestRow: Duration

        public init(
            failureThreshold: Int, coolDown: Duration, longestCoolDown: Duration, probeInterval: Duration = .seconds(1),
            turnLength: Duration = .milliseconds(500), shortestRow: Duration = .zero
        ) {
            self.failureThreshold = failureThreshold
            self.coolDown = coolDown
            self.longestCoolDown = longestCoolDown
            self.probeInterval = probeInterval
            self.turnLength = turnLength
            self.shortestRow = shortestRow
        }

        /// Five parts that fail in a row are no accident. A first pause of 5 s is longer than a reconnect takes. A longest pause of 60 s
        /// limits the wait after the provider works again. One probe a second is no load for a host, and finds an endpoint that works
        /// soon. A turn of 500 ms is longer than the releaser takes to notice a delivery that is due.
        public static let standard = Policy(failureThreshold: 5, coolDown: .seconds(5), longestCoolDown: .seconds(60))

        /// The policy for a single endpoint. An endpoint that answers well now and then is not held, however many answers are failures: a
        /// row of failures must last 5 s. A host with many endpoints cannot be given that time.
        public static let ofEndpoint = Policy(
            failureThreshold: 5, coolDown: .seconds(5), longestCoolDown: .seconds(60), shortestRow: .seconds(5))
    }

    /// The part of a receiver that a call is for: an endpoint of a host, or a delivery to an endpoint.
    ///
    /// It holds a hash, because an address may be long and secret. If two parts had the same hash, one would wait for the other.
    public struct Part: Sendable, Hashable {
        private let hash: Int

        public init(_ name: some Hashable) { hash = name.hashValue }
    }

    /// The prospect of a call, from the history of its part.
    public enum Prospect: Sendable, Hashable {
        /// The part has not failed although others have.
        case good
        case unknown
        /// The part has failed.
        case bad
    }

    public enum State: Sendable, Hashable {
        /// Every call is admitted. `failures` counts the parts that failed in a row.
        case closed(failures: Int)
        /// No trial call has been admitted since then. `pauses` counts the pauses in a row, including this one.
        case open(since: Timestamp, pauses: Int)
        /// A trial call is under way. The latest one began then.
        case halfOpen(since: Timestamp, pauses: Int)
    }

    public enum Admission: Sendable, Hashable {
        case allowed
        /// The call must not be made. The caller may ask again at this time, and later by its ``Breaker/turn(of:_:)``.
        case refused(until: Timestamp)
    }

    /// The number of failed parts that a breaker remembers for the turns of trial calls. With 8 parts the last turn still comes within the
    /// first pause.
    public static let rememberedParts = 8

    public let policy: Policy
    public private(set) var state = State.closed(failures: 0)
    /// The number of calls in a row that got no connection. Any answer ends the row.
    private var lostConnections = 0
    /// The parts that failed since the last good answer, the latest last. At most ``rememberedParts``, and never fewer than open the
    /// breaker.
    private var failed: [Part] = []
    /// The time of the first failure of the row.
    private var failingSince = Timestamp.distantPast
    /// The beginning of the latest call since the breaker opened, or the time when it opened.
    private var calledAt = Timestamp.distantPast
    /// The prospect of the latest trial call. The next trial call is of another kind.
    private var lastTrial = Prospect.bad

    public init(policy: Policy = .standard) {
        self.policy = policy
    }

    /// Tells whether a call may begin now. A call that begins is reported by ``begin(_:at:)``.
    ///
    /// - After a pause, one caller makes the trial call. Each caller has its turn, see ``turn(of:_:)``.
    /// - If a trial call takes longer than ``Policy/coolDown``, the next caller makes another one. So a trial call that hangs delays no
    ///   caller for longer.
    /// - If a trial call ends without evidence about its part, the next caller makes another one at once.
    /// - A call with a good prospect need not wait for the end of the pause. One such call is allowed in each ``Policy/probeInterval``.
    public func admission(of part: Part? = nil, _ prospect: Prospect = .unknown, at now: Timestamp) -> Admission {
        switch state {
        case .closed:
            return .allowed
        case .open(let since, _), .halfOpen(let since, _):
            if prospect == .good {
                let next = calledAt.adding(policy.probeInterval)
                return hasPassed(policy.probeInterval, since: calledAt, at: now) ? .allowed : .refused(until: next)
            }
            if hasPassed(wait + turn(of: part, prospect), since: since, at: now) { return .allowed }
            return .refused(until: since.adding(wait))
        }
    }

    /// The time after a pause for which a call leaves the trial to others, so that each trial call is for another part.
    ///
    /// - The first trial call is for a part that has not failed, if there is one. If that fails too, the next is for a failed part, and so
    ///   on by turns. One kind that always fails does not keep the other from its trial.
    /// - Each failed part has a turn of its own. The part that failed longest ago comes first, and the part that has just failed comes
    ///   last.
    /// - A call without a part has no turn.
    public func turn(of part: Part?, _ prospect: Prospect) -> Duration {
        guard let part, prospect != .good else { return .zero }
        let prefersFailed = lastTrial != .bad
        guard prospect == .bad else { return prefersFailed ? policy.turnLength * 2 : .zero }
        let place = failed.firstIndex(of: part).map { $0 + 1 } ?? 0
        return policy.turnLength * (prefersFailed ? place : place + 1)
    }

    /// Reports that an admitted call begins. After a pause this is the trial call, and its part has the last of the next turns.
    public mutating func begin(of part: Part? = nil, _ prospect: Prospect = .unknown, at now: Timestamp) {
        switch state {
        case .closed: break
        case .open(let since, let pauses), .halfOpen(let since, let pauses):
            calledAt = now
            guard hasPassed(wait, since: since, at: now) else { return }
            state = .halfOpen(since: now, pauses: pauses)
            lastTrial = prospect
            if let part, let place = failed.firstIndex(of: part) {
                failed.remove(at: place)
                failed.append(part)
            }
        }
    }

    /// Reports how a call ended. A healthy answer closes the breaker in every state. A failure of a call made before a pause does not
    /// prolong the pause.
    ///
    /// - Parameters:
    ///   - part: a part that fails repeatedly counts once. Nil counts each time.
    ///   - isNews: false for a part that was known to fail. It does not count at all.
    public mutating func record(_ evidence: Outcome.Evidence, of part: Part? = nil, isNews: Bool = true, at now: Timestamp) {
        switch evidence {
        case .none: repeatTrial(at: now)
        case .reachable:
            lostConnections = 0
            repeatTrial(at: now)
        case .healthy:
            state = .closed(failures: 0)
            lostConnections = 0
            if !failed.isEmpty { failed = [] }
        case .failing, .unreachable:
            let isFirst = remember(part)
            lostConnections = evidence == .unreachable ? lostConnections + 1 : 0
            switch state {
            case .closed(let before):
                if before == 0 { failingSince = now }
                let failures = isFirst && isNews ? before + 1 : before
                let isLong = now - failingSince >= policy.shortestRow
                let isMany = failures >= max(1, policy.failureThreshold)
                state = isMany && isLong ? .open(since: now, pauses: 1) : .closed(failures: failures)
                calledAt = now
            case .open: break
            case .halfOpen(_, let pauses): state = .open(since: now, pauses: pauses + 1)
            }
        }
    }

    /// The time of the next trial call, nil when the breaker is closed. Reading it changes nothing.
    public var pauseEnd: Timestamp? {
        switch state {
        case .closed: nil
        case .open(let since, _), .halfOpen(let since, _): since.adding(wait)
        }
    }

    /// Whether so many calls in a row got no connection as open the breaker. No part is then more likely to succeed than another.
    public var isUnreachable: Bool { lostConnections >= max(1, policy.failureThreshold) }

    /// Whether the breaker is open or half-open.
    public var isOpen: Bool {
        if case .closed = state { false } else { true }
    }

    /// Whether nothing has failed since the last good answer.
    public var isSound: Bool { state == .closed(failures: 0) }

    /// Whether a trial call is under way.
    public var isOnTrial: Bool {
        if case .halfOpen = state { true } else { false }
    }

    /// Moves a failed part to the end. Returns whether it is the part's first failure since the last good answer.
    private mutating func remember(_ part: Part?) -> Bool {
        guard let part else { return true }
        let place = failed.firstIndex(of: part)
        if let place { failed.remove(at: place) }
        failed.append(part)
        if failed.count > max(Self.rememberedParts, policy.failureThreshold) { failed.removeFirst() }
        return place == nil
    }

    /// Ends a trial call that told nothing about its part. The next trial call may begin at once, as if the pause ended now.
    private mutating func repeatTrial(at now: Timestamp) {
        guard case .halfOpen(_, let pauses) = state else { return }
        state = .open(since: now.adding(.zero - pause(after: pauses)), pauses: pauses)
        lastTrial = .bad
    }

    /// The time from the beginning of a pause, or of the latest trial call, to the next trial call.
    private var wait: Duration {
        switch state {
        case .closed: .zero
        case .open(_, let pauses): pause(after: pauses)
        case .halfOpen: pause(after: 1)
        }
    }

    /// A clock that was set back must not prolong a wait.
    private func hasPassed(_ wait: Duration, since start: Timestamp, at now: Timestamp) -> Bool {
        let elapsed = now - start
        return elapsed < .zero || elapsed >= wait
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
