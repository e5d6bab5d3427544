import Synchronization
import TidingsPostgres
import TidingsStore

/// Watches whether the database takes commits. A query that only reads does not show that.
///
/// The heartbeat is a commit of one row. A database whose disk is full may take it, because it needs no new page, and refuses the commits of
/// the roles. So the watch also gets each refusal that the roles meet.
final class CommitWatch: Sendable {
    /// The time without a heartbeat after which commits wait: two beats, so one was not taken in time.
    static let longestSilence = Duration.seconds(10)
    /// The time for which refusals must come before they count. A single one is no state of the server.
    static let patience = Duration.seconds(4)
    /// The time after a refusal for which it counts. A batch that was refused is tried again within ``Intake/longestPause``.
    static let memory = Duration.seconds(8)

    private struct Refusals {
        var since: ContinuousClock.Instant
        var lastAt: ContinuousClock.Instant
        var words: String
    }

    private struct State {
        /// Nil before the first heartbeat.
        var committedAt: ContinuousClock.Instant?
        var refusals: Refusals?
    }

    private let state = Mutex(State())

    /// Notes a heartbeat that the database has committed.
    func committed(at now: ContinuousClock.Instant = .now) { state.withLock { $0.committedAt = now } }

    /// Notes the events of a pool.
    func receive(_ event: PostgresPoolEvent, at now: ContinuousClock.Instant = .now) {
        guard case .refused(let error) = event else { return }
        let words = [error.sqlState, error.cause].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " ")
        state.withLock { state in
            let since = state.refusals.flatMap { now - $0.lastAt <= Self.memory ? $0.since : nil } ?? now
            state.refusals = Refusals(since: since, lastAt: now, words: words)
        }
    }

    func obstacles(at now: ContinuousClock.Instant) -> [WorkerObstacle] {
        state.withLock { state in
            var found: [WorkerObstacle] = []
            if let refusals = state.refusals, now - refusals.lastAt <= Self.memory, refusals.lastAt - refusals.since >= Self.patience {
                found.append(WorkerObstacle(.commitsRefused, detail: refusals.words, lasting: now - refusals.since))
            }
            if let last = state.committedAt, now - last >= Self.longestSilence {
                found.append(WorkerObstacle(.commitsWait, lasting: now - last))
            }
            return found
        }
    }
}
