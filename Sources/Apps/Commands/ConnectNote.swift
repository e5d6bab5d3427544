import Synchronization
import TidingsPostgres
import TidingsServer

/// Says once that a command cannot reach the database and goes on trying. Otherwise the user would see nothing until the time limit.
final class ConnectNote: Sendable {
    private let isSaid = Atomic(false)

    func note(_ event: PostgresPoolEvent) {
        guard case .connectFailed(let error, retryAfter: .some) = event, !isSaid.exchange(true, ordering: .relaxed) else { return }
        Output.note("tidings: \(Failure(error).message), trying for \(PostgresPool.standardAcquireTimeout)")
    }
}
