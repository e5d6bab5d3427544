import Synchronization
import TidingsWaiting

/// The isolation of a transaction from others that run at the same time (PostgreSQL, "Transaction Isolation").
public enum PostgresIsolation: String, Sendable, CaseIterable {
    case readCommitted = "READ COMMITTED"
    /// One snapshot for all statements. Conflicting writes fail with 40001.
    case repeatableRead = "REPEATABLE READ"
    /// Transactions take effect as if they ran one after another. Conflicts fail with 40001.
    case serializable = "SERIALIZABLE"
}

/// One transaction on one connection, for the statements between BEGIN and COMMIT.
///
/// BEGIN and the transaction's settings travel in the same round trip as the first statement. A transaction without a statement sends
/// nothing at all. If a statement fails, so does each later one: throw, and the pool rolls the transaction back.
public struct PostgresTransaction: Sendable {
    private let connection: PostgresConnection
    private let opening: TransactionOpening

    fileprivate init(_ connection: PostgresConnection, _ isolation: PostgresIsolation?, settings: SQL) {
        self.connection = connection
        opening = TransactionOpening([SQL(unsafeSQL: isolation.map { "BEGIN ISOLATION LEVEL \($0.rawValue)" } ?? "BEGIN"), settings])
    }

    /// Runs one statement.
    public func query(_ sql: SQL) async throws(PostgresError) -> PostgresResult { try await pipeline([sql])[0] }

    /// Runs statements in one round trip. See ``PostgresConnection/pipeline(_:deadline:)``.
    @discardableResult public func pipeline(_ statements: [SQL]) async throws(PostgresError) -> [PostgresResult] {
        try await connection.pipeline(statements, after: opening)
    }

    /// Adds rows to a table. See ``PostgresConnection/copyIn(_:rows:deadline:)``.
    @discardableResult public func copyIn(_ target: SQL, rows: CopyBuffer) async throws(PostgresError) -> Int {
        try await connection.copyIn(target, rows: rows, after: opening)
    }

    /// Runs a text of several statements. See ``PostgresConnection/execute(script:deadline:)``.
    public func execute(script: String, deadline: Duration? = nil) async throws(PostgresError) {
        try await connection.execute(script: script, after: opening, deadline: deadline)
    }

    /// - Parameter isProof: whether the commit is proof that everything before it is durable, see ``PostgresPool/mark``.
    fileprivate func commit(asProof isProof: Bool) async throws(PostgresError) {
        guard opening.dequeueAll().isEmpty else { return }
        do throws(PostgresError) {
            let answers = try await connection.pipeline((isProof ? [PostgresPool.mark] : []) + ["COMMIT"])
            guard answers.last?.command == "COMMIT" else { throw PostgresError.commitRolledBack }
        } catch {
            // The mark, too, is refused in a transaction that has failed.
            throw error.sqlState == "25P02" ? PostgresError.commitRolledBack : error
        }
    }
}

/// BEGIN and the settings of a transaction, until its first statement takes them along.
final class TransactionOpening: Sendable {
    private let statements: Mutex<[SQL]>

    init(_ statements: [SQL]) { self.statements = Mutex(statements) }

    /// Empty from the second time on.
    func dequeueAll() -> [SQL] {
        statements.withLock { statements in
            defer { statements = [] }
            return statements
        }
    }
}

extension PostgresPool {
    /// The time after which the server ends a transaction whose client sends nothing (25P03), so that a stopped client cannot hold locks.
    package static let idleInTransactionLimit: Duration = .seconds(60)

    /// Runs `body` between BEGIN and COMMIT on one connection. BEGIN travels with the first statement of `body`.
    ///
    /// `body` runs again from the start in a new transaction, if it throws a ``PostgresError`` with one of two verdicts:
    ///
    /// - `.retry`: a conflict, a deadlock or a time-out.
    /// - `.reconnect`: the session is lost or unusable. COMMIT was not sent, so nothing was committed.
    ///
    /// The effects of `body` outside the database must tolerate this repetition. Any other error rolls the transaction back and is thrown.
    ///
    /// If the connection is lost during COMMIT, or if the wait for a synchronous standby is cancelled, the outcome is unknown and the error
    /// has `isAmbiguousCommit` set. Only a unique key in the data can then tell. Pass `retryAmbiguous: true` when `body` has such a key and
    /// may simply run again. The value is then proof of a durable commit, also if `body` found its work done (``mark``).
    ///
    /// The server cancels each statement after the configuration's `statementTimeout`. If `body` ignores the error of a statement, this
    /// method throws `.rolledBack`, because the server then answers COMMIT with a rollback.
    public func transaction<R>(
        retrying retries: Int = 5, retryAmbiguous: Bool = false, isolation: PostgresIsolation? = nil,
        _ body: (PostgresTransaction) async throws -> R
    ) async throws -> R {
        var attempt = 0
        while true {
            do {
                return try await withConnection { connection in
                    let transaction = PostgresTransaction(
                        connection, isolation, settings: Self.settings(statementTimeout: configuration.statementTimeout))
                    let value = try await body(transaction)
                    try await transaction.commit(asProof: retryAmbiguous)
                    return value
                }
            } catch let error as PostgresError where attempt < retries && error.allowsAnotherAttempt(retryAmbiguous: retryAmbiguous) {
                attempt += 1
                log(.transactionRetried(error, attempt: attempt))
                // Jitter keeps two transactions that conflicted once from conflicting again.
                try await Task.sleep(for: Backoff.conflict.pause(afterFailure: attempt))
            }
        }
    }

    /// The settings of every transaction, in one statement. They end with the transaction, so a pooler in between does not spread them.
    /// Unlike `SET LOCAL`, they also apply in a pipeline without BEGIN.
    ///
    /// - `statement_timeout` includes the wait for locks, and ends before the client's own wait.
    /// - `synchronous_commit`: a commit before an acknowledgement or a send must survive a crash. `off`, wherever it was set, becomes `on`.
    ///   A higher setting stays.
    /// - `client_min_messages`: the server must send warnings, because one of them says that a commit was not replicated.
    /// - `jit` is off, also behind a pooler. A session without a pooler has turned it off at its start.
    static func settings(statementTimeout: Duration) -> SQL {
        """
        select set_config('statement_timeout', \(String(milliseconds(statementTimeout))), true),
            set_config('idle_in_transaction_session_timeout', \(String(milliseconds(Self.idleInTransactionLimit))), true),
            set_config('synchronous_commit', case current_setting('synchronous_commit') when 'off' then 'on'
                else current_setting('synchronous_commit') end, true),
            \(PostgresSession.transactionSettings)
        """
    }

    /// Whole milliseconds, at least 1, because 0 would mean no limit.
    private static func milliseconds(_ duration: Duration) -> Int { max(1, Int(duration / .milliseconds(1))) }
}

extension PostgresError {
    /// Whether the transaction may run again. A failed connect is final, because the pool has waited already. A passed deadline of the
    /// caller is final too.
    fileprivate func allowsAnotherAttempt(retryAmbiguous: Bool) -> Bool {
        if kind == .connectFailed || kind == .deadlineExceeded { return false }
        if isAmbiguousCommit { return retryAmbiguous }
        return retryability == .retry || retryability == .reconnect
    }
}
