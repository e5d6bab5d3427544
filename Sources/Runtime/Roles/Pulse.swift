import Synchronization
import TidingsStore

/// Decides when the next heartbeat is due: one every ``RolesService/heartbeatInterval``, and one at once if the obstacles of the process
/// change, so that other processes and operators learn of them.
final class Pulse: Sendable {
    /// The pause after a heartbeat that failed. The time of the last heartbeat is how others see that the database takes commits again.
    static let retryInterval = Duration.seconds(1)

    private struct State {
        var dueAt: ContinuousClock.Instant = .now
        var told: Set<Told> = []
    }

    /// An obstacle without its growing duration.
    private struct Told: Hashable {
        let kind: WorkerObstacle.Kind
        let subject: String

        init(_ obstacle: WorkerObstacle) { (kind, subject) = (obstacle.kind, obstacle.subject) }
    }

    private let state = Mutex(State())

    func isDue(_ obstacles: [WorkerObstacle], at now: ContinuousClock.Instant = .now) -> Bool {
        state.withLock { $0.dueAt <= now || $0.told != Set(obstacles.map(Told.init)) }
    }

    /// Notes a heartbeat that is recorded.
    func sent(_ obstacles: [WorkerObstacle], at now: ContinuousClock.Instant = .now) {
        state.withLock { state in
            state.dueAt = now.advanced(by: RolesService.heartbeatInterval)
            state.told = Set(obstacles.map(Told.init))
        }
    }

    /// Plans the next heartbeat for soon, to learn what others have recorded meanwhile.
    func hasten(by pause: Duration, at now: ContinuousClock.Instant = .now) {
        state.withLock { $0.dueAt = min($0.dueAt, now.advanced(by: pause)) }
    }
}
