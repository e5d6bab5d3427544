/// How far a transaction is kept apart from others that run at the same time (PostgreSQL, "Transaction Isolation").
public enum PostgresIsolation: String, Sendable, CaseIterable {
    case readCommitted = "READ COMMITTED"
    /// One snapshot for all statements; conflicting writes fail with 40001.
    case repeatableRead = "REPEATABLE READ"
    /// As if transactions ran one after another; conflicts fail with 40001.
    case serializable = "SERIALIZABLE"
}

extension PostgresPool {
    /// How long the server keeps a transaction whose client sends nothing (25P03), so that a stopped client cannot hold locks.
    package static let idleInTransactionLimit: Duration = .seconds(60)

    /// Runs `body` between BEGIN and COMMIT on one connection.
    ///
    /// `body` runs again from the start, on a fresh transaction, when it throws a ``PostgresError`` with verdict `.retry` (a conflict, a
    /// deadlock, a timeout) or `.reconnect` (nothing was committed, for COMMIT had not been sent). Its effects outside the database must
    /// bear that. Any other error rolls back and is thrown.
    ///
    /// A connection lost during COMMIT leaves the outcome unknown: the error has `isAmbiguousCommit` set, and only a unique key in the
    /// data can tell. Pass `retryAmbiguous: true` when `body` has one and may simply run again.
    ///
    /// The server cancels each statement after the configuration's `statementTimeout`, and compiles none (`jit`). A body that swallows a statement's error gets
    /// `.rolledBack`, for the server then answers COMMIT with a rollback.
    public func transaction<R>(
        retrying retries: Int = 5, retryAmbiguous: Bool = false, isolation: PostgresIsolation? = nil,
        _ body: (PostgresConnection) async throws -> R
    ) async throws -> R {
        var attempt = 0
        while true {
            do {
                return try await withConnection { connection in
                    try await self.attempt(on: connection, isolation: isolation, body)
                }
            } catch let error as PostgresError where attempt < retries && error.allowsAnotherAttempt(retryAmbiguous: retryAmbiguous) {
                attempt += 1
                log(.transactionRetried(error, attempt: attempt))
                // Jitter keeps those who met once from meeting again.
                try await Task.sleep(for: Backoff.conflict.pause(attempt: attempt))
            }
        }
    }

    private func attempt<R>(
        on connection: PostgresConnection, isolation: PostgresIsolation?, _ body: (PostgresConnection) async throws -> R
    ) async throws -> R {
        connection.begin(beginning(isolation))
        let value: R
        do {
            value = try await body(connection)
        } catch {
            _ = connection.takeOpening()
            throw error
        }
        guard connection.takeOpening().isEmpty else { return value }
        let answer = try await connection.query("COMMIT")
        guard answer.command == "COMMIT" else {
            throw PostgresError(.rolledBack, message: "a statement of the transaction had failed, so COMMIT rolled it back")
        }
        return value
    }

    /// BEGIN with its limits. They end with the transaction, so a pooler in between does not spread them.
    ///
    /// A statement that may look at any day's partition is estimated to cost so much that the server compiles it first (`jit`, on by default),
    /// which takes far longer than the some hundred rows it then reads.
    private func beginning(_ isolation: PostgresIsolation?) -> [SQL] {
        let limits: [(String, Duration)] = [
            ("statement_timeout", configuration.statementTimeout), ("idle_in_transaction_session_timeout", Self.idleInTransactionLimit),
        ]
        return [SQL(unsafeSQL: isolation.map { "BEGIN ISOLATION LEVEL \($0.rawValue)" } ?? "BEGIN")]
            + limits.map { SQL(unsafeSQL: "SET LOCAL \($0.0) = \(Self.milliseconds($0.1))") } + ["SET LOCAL jit = off"]
    }

    /// At least 1, for 0 would mean no limit.
    private static func milliseconds(_ duration: Duration) -> Int { max(1, Int(duration / .milliseconds(1))) }
}

extension PostgresError {
    /// Waiting is not repeated: for a connection the pool has waited already, and a caller's deadline that passed has passed.
    fileprivate func allowsAnotherAttempt(retryAmbiguous: Bool) -> Bool {
        if kind == .connectFailed || kind == .deadlineExceeded { return false }
        if isAmbiguousCommit { return retryAmbiguous }
        return verdict == .retry || verdict == .reconnect
    }
}
