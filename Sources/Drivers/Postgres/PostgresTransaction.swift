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
    /// The server cancels each statement after the configuration's `statementTimeout`. A body that swallows a statement's error gets
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

    /// BEGIN with its settings.
    private func beginning(_ isolation: PostgresIsolation?) -> [SQL] {
        [
            SQL(unsafeSQL: isolation.map { "BEGIN ISOLATION LEVEL \($0.rawValue)" } ?? "BEGIN"),
            Self.settings(statementTimeout: configuration.statementTimeout),
        ]
    }

    /// The settings of every transaction, in one statement. They end with the transaction, so a pooler in between does not spread them; unlike
    /// `SET LOCAL` they also count in a pipeline without BEGIN.
    ///
    /// - `statement_timeout` covers the wait for locks, and ends before the client's own wait.
    /// - `synchronous_commit`: a commit that precedes an acknowledgement or a send must survive a crash. `off`, wherever it was set, becomes `on`;
    ///   a higher setting stays.
    /// - `jit`: the planner expects a statement that may look at every day's partition to cost so much that the server compiles it first. That
    ///   takes far longer than the few hundred rows it then reads.
    static func settings(statementTimeout: Duration) -> SQL {
        """
        select set_config('statement_timeout', \(String(milliseconds(statementTimeout))), true),
            set_config('idle_in_transaction_session_timeout', \(String(milliseconds(Self.idleInTransactionLimit))), true),
            set_config('synchronous_commit', case current_setting('synchronous_commit') when 'off' then 'on'
                else current_setting('synchronous_commit') end, true),
            set_config('jit', 'off', true)
        """
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
