import Synchronization

/// Watches whether work goes on: publishing towards its confirms, or batches of intents towards their commit.
///
/// Work that stands still is told after ``patience``, and no earlier: a failover of a few seconds is none of it. A failure is remembered for
/// ``memory``, so that the watch also tells of a fault between two attempts.
public final class WorkWatch: Sendable {
    /// The time for which work may stand still. A broker elects leaders, and a database fails over, within less.
    public static let patience = Duration.seconds(8)
    /// The time after a failure for which it still counts. Attempts come more often than this while something is to be done.
    public static let memory = Duration.seconds(10)

    public enum End: Sendable {
        case finished
        /// Nothing answered.
        case unanswered
        /// The server answered, and refused.
        case refused
    }

    /// Work that stands still.
    public struct Standstill: Sendable, Hashable {
        public let since: ContinuousClock.Instant
        /// Whether the server refused the latest work.
        public let isRefused: Bool
    }

    /// Failures without a break.
    private struct Failures {
        var since: ContinuousClock.Instant
        var lastAt: ContinuousClock.Instant

        func areRecent(_ now: ContinuousClock.Instant) -> Bool { now - lastAt <= WorkWatch.memory }

        var areLasting: Bool { lastAt - since >= WorkWatch.patience }
    }

    private struct State {
        var last = 0
        /// The work under way, with the time of its beginning or of its last progress.
        var underWay: [Int: ContinuousClock.Instant] = [:]
        var unanswered: Failures?
        var refused: Failures?
    }

    private let state = Mutex(State())

    public init() {}

    /// Returns the number of the work, for ``advance(_:at:)`` and ``end(_:_:at:)``.
    public func begin(at now: ContinuousClock.Instant = .now) -> Int {
        state.withLock { state in
            state.last += 1
            state.underWay[state.last] = now
            return state.last
        }
    }

    /// Notes that a part of the work is done. One message may ask for a million notifications.
    public func advance(_ work: Int, at now: ContinuousClock.Instant = .now) {
        state.withLock { if $0.underWay[work] != nil { $0.underWay[work] = now } }
    }

    /// Notes that the server takes work again after an alarm. The work under way stands still from now on only.
    public func restart(at now: ContinuousClock.Instant = .now) {
        state.withLock { state in state.underWay = state.underWay.mapValues { _ in now } }
    }

    public func end(_ work: Int, _ end: End, at now: ContinuousClock.Instant = .now) {
        state.withLock { state in
            guard let began = state.underWay.removeValue(forKey: work) else { return }
            switch end {
            case .finished: break
            // A caller that left early proves nothing.
            case .unanswered:
                if now - began >= Self.patience { state.unanswered = Self.next(state.unanswered, began: began, now: now) }
            case .refused: state.refused = Self.next(state.refused, began: began, now: now)
            }
        }
    }

    private static func next(_ before: Failures?, began: ContinuousClock.Instant, now: ContinuousClock.Instant) -> Failures {
        let since = before.flatMap { $0.areRecent(began) ? $0.since : nil } ?? began
        return Failures(since: since, lastAt: now)
    }

    /// Nil if work goes on, or none is under way.
    public func standstill(at now: ContinuousClock.Instant = .now) -> Standstill? {
        state.withLock { state in
            let failures = [state.unanswered, state.refused].compactMap(\.self).filter { $0.areRecent(now) && $0.areLasting }
            let waiting = state.underWay.values.min().flatMap { now - $0 >= Self.patience ? $0 : nil }
            guard let since = (failures.map(\.since) + [waiting].compactMap(\.self)).min() else { return nil }
            return Standstill(since: since, isRefused: state.refused?.areRecent(now) ?? false)
        }
    }
}
