import Synchronization
package import TidingsPipeline

/// Whether the work of this process goes on. If it does not, only a restart helps: `/health/live` says no, and a supervisor restarts the
/// process.
///
/// Nothing is said while a server is away, and work has its full patience when the server is back. A process that was stopped, such as by
/// the sleep of its machine, has it too.
package final class Liveness: Sendable {
    /// The time between two looks of the process itself.
    static let interval = Duration.seconds(1)
    /// The time between two looks after which the process was stopped.
    static let longestGap = Duration.seconds(60)

    private struct State {
        var lookedAt: ContinuousClock.Instant?
        /// The last look at which a server was away, or after which the process was stopped.
        var troubledAt: ContinuousClock.Instant?
    }

    /// Watches the loops of all roles.
    package let progress = ProgressWatch()
    private let state = Mutex(State())

    /// The work that stands still although nothing keeps it.
    ///
    /// - Parameter isTroubled: whether a server is away, or the process has no zone data or stops.
    func standstills(isTroubled: Bool, at now: ContinuousClock.Instant = .now) -> [ProgressWatch.Standstill] {
        let troubledAt = state.withLock { state in
            let wasStopped = state.lookedAt.map { now - $0 > Self.longestGap } ?? false
            if isTroubled || wasStopped { state.troubledAt = now }
            state.lookedAt = now
            return state.troubledAt
        }
        return isTroubled ? [] : progress.standstills(after: troubledAt, at: now)
    }
}

extension [ProgressWatch.Standstill] {
    /// The body of `/health/live`.
    func words(at now: ContinuousClock.Instant = .now) -> String {
        guard !isEmpty else { return "ok\n" }
        return map { "no progress for \(Int((now - $0.since) / .seconds(1))) s: \($0.kind)\n" }.joined()
    }
}
