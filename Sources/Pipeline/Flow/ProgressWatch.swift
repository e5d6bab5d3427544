import Synchronization

#if TIDINGS_FAULT_HOOKS
    import Glibc
#endif

/// Watches whether the work of a process goes on. Work of one kind stands still if some of it is in hand, and for ``patience`` none of it
/// has ended and none has been tried again.
///
/// - A try that fails is progress, because a restart would mend nothing: a server refuses, or a right is missing.
/// - A loop without work, and work that waits for room at a provider, are not in hand.
///
/// Unlike ``WorkWatch``, which tells of servers that take nothing, this watch tells of a process that is stuck.
public final class ProgressWatch: Sendable {
    /// The time without progress after which work counts as stuck. Every step has a shorter limit of its own: a call to a provider takes
    /// 20 s, a lease 25 s, and a confirm or a statement 30 s.
    ///
    /// Builds for tests read another number of seconds from the variable `TIDINGS_FAULT_PATIENCE`.
    public static let patience: Duration = {
        #if TIDINGS_FAULT_HOOKS
            if let text = getenv("TIDINGS_FAULT_PATIENCE"), let seconds = Int(String(cString: text)) { return .seconds(seconds) }
        #endif
        return .seconds(120)
    }()

    /// Work that stands still.
    public struct Standstill: Sendable, Hashable {
        /// The kind of the work, such as `queue tidings.intents.urgent`.
        public let kind: String
        public let since: ContinuousClock.Instant
    }

    private struct Kind {
        /// The work in hand, with the time of its beginning or of the end of its last wait.
        var inHand: [Int: ContinuousClock.Instant] = [:]
        /// The work that waits, and has not ended.
        var resting: Set<Int> = []
        /// The last end, or the last try.
        var progressAt: ContinuousClock.Instant?
    }

    private struct State {
        var last = 0
        /// A kind is a queue, a loop, a provider or an operation, so there are few.
        var kinds: [String: Kind] = [:]
    }

    private let state = Mutex(State())

    public init() {}

    /// Takes work in hand.
    public func begin(_ kind: String, at now: ContinuousClock.Instant = .now) -> ProgressWork {
        let number = state.withLock { state in
            state.last += 1
            state.kinds[kind, default: Kind()].inHand[state.last] = now
            return state.last
        }
        return ProgressWork(watch: self, kind: kind, number: number)
    }

    /// Runs `body` as work of a kind. Inside, ``ProgressWork/current`` is this work.
    public func during<Result: Sendable>(_ kind: String, _ body: () async throws -> Result) async rethrows -> Result {
        let work = begin(kind)
        defer { work.end() }
        return try await ProgressWork.$current.withValue(work) { try await body() }
    }

    /// The kinds of work that stand still, in the order of their names.
    ///
    /// - Parameter trouble: the last time at which a server was away. Work has its full patience from then on.
    public func standstills(after trouble: ContinuousClock.Instant? = nil, at now: ContinuousClock.Instant = .now) -> [Standstill] {
        state.withLock { state in
            state.kinds.compactMap { kind, work -> Standstill? in
                guard let oldest = work.inHand.values.min() else { return nil }
                let since = [work.progressAt, trouble].compactMap(\.self).reduce(oldest, max)
                return now - since >= Self.patience ? Standstill(kind: kind, since: since) : nil
            }.sorted { $0.kind < $1.kind }
        }
    }

    fileprivate func end(_ work: ProgressWork, at now: ContinuousClock.Instant) {
        state.withLock { state in
            state.kinds[work.kind]?.inHand[work.number] = nil
            state.kinds[work.kind]?.resting.remove(work.number)
            state.kinds[work.kind]?.progressAt = now
        }
    }

    fileprivate func step(_ work: ProgressWork, at now: ContinuousClock.Instant) {
        state.withLock { $0.kinds[work.kind]?.progressAt = now }
    }

    fileprivate func rest(_ work: ProgressWork) {
        state.withLock { state in
            guard state.kinds[work.kind]?.inHand.removeValue(forKey: work.number) != nil else { return }
            state.kinds[work.kind]?.resting.insert(work.number)
        }
    }

    fileprivate func resume(_ work: ProgressWork, at now: ContinuousClock.Instant) {
        state.withLock { state in
            // A task that outlives the work may resume it. The work has ended for all that.
            guard state.kinds[work.kind]?.resting.remove(work.number) != nil else { return }
            state.kinds[work.kind]?.inHand[work.number] = now
        }
    }
}

/// A piece of work that a ``ProgressWatch`` watches.
public struct ProgressWork: Sendable {
    /// The work that the current task has in hand.
    @TaskLocal public static var current: ProgressWork?

    fileprivate let watch: ProgressWatch
    fileprivate let kind: String
    fileprivate let number: Int

    /// Notes that a part of the work is done, or that it is tried again.
    public func step(at now: ContinuousClock.Instant = .now) { watch.step(self, at: now) }

    public func end(at now: ContinuousClock.Instant = .now) { watch.end(self, at: now) }

    /// The work waits for something that is not this process's to do, until ``resume(at:)``.
    public func rest() { watch.rest(self) }

    public func resume(at now: ContinuousClock.Instant = .now) { watch.resume(self, at: now) }

    /// Runs `body` as a wait of the current work.
    static func resting<Result: Sendable>(_ body: () async throws -> Result) async rethrows -> Result {
        guard let work = current else { return try await body() }
        work.rest()
        defer { work.resume() }
        return try await body()
    }
}
