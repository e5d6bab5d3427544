import Synchronization
import TidingsPostgres
import TidingsServer

/// Says once that a command cannot reach the database and goes on trying. Otherwise the user would see nothing until the time limit.
final class ConnectNote: Sendable {
    private let patience: Duration
    private let isSaid = Atomic(false)

    /// - Parameter patience: the longest wait for a connection.
    init(for patience: Duration = PostgresPool.standardAcquireTimeout) { self.patience = patience }

    func note(_ event: PostgresPoolEvent) {
        guard case .connectFailed(let error, retryAfter: .some) = event, !isSaid.exchange(true, ordering: .relaxed) else { return }
        Output.note("tidings: \(Failure(error).message), trying for \(Self.tenths(patience))")
    }

    /// The rest of a deadline has many digits, and a person needs none of them.
    private static func tenths(_ duration: Duration) -> Duration {
        .milliseconds(Int((duration / .milliseconds(100)).rounded()) * 100)
    }
}
