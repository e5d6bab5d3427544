import Synchronization
import TidingsWaiting

/// A shared pool with a maximum number of connections.
///
/// The pool opens connections when they are first needed, and keeps them. If none is free, a caller waits in a queue until
/// `acquireTimeout`. The pool replaces a lost connection when the next caller needs it. While the server is unreachable, the pool makes one
/// attempt at a time, with growing pauses. A server that restarts is therefore not flooded.
///
/// If commits wait for a standby, the server keeps the session of each commit whose deadline passed. The pool counts these sessions against
/// its size until they are gone (``look()``).
///
/// If a session proves read-only, such as after a switch-over, the pool leaves all its sessions for new ones.
public final class PostgresPool: Sendable {
    /// The default time that a caller waits for a free connection.
    public static let standardAcquireTimeout = Duration.seconds(10)

    public let name: String
    public let size: Int
    let configuration: PostgresConfiguration
    let log: @Sendable (PostgresPoolEvent) -> Void
    private let acquireTimeout: Duration
    let state: Mutex<PoolState<PostgresConnection>>

    /// - Parameters:
    ///   - size: the largest number of connections. All pools of all processes share the server's `max_connections`.
    ///   - acquireTimeout: the time that a caller waits for a free connection.
    ///   - log: called on any thread; it must not block.
    public init(
        _ configuration: PostgresConfiguration, size: Int, name: String, acquireTimeout: Duration = standardAcquireTimeout,
        log: @escaping @Sendable (PostgresPoolEvent) -> Void = { _ in }
    ) {
        precondition(size > 0, "a pool without connections")
        self.configuration = configuration
        self.size = size
        self.name = name
        self.acquireTimeout = acquireTimeout
        self.log = log
        state = Mutex(PoolState(size: size))
    }

    // MARK: Use

    /// Lends a connection to `body`. If `body` leaves a transaction open, the pool rolls it back. Do not keep the connection.
    ///
    /// Throws the error of `body`. While acquiring, throws `.poolExhausted`, `.poolClosed`, `.cancelled`, or the reason why no connection
    /// can be opened.
    public func withConnection<R>(_ body: (PostgresConnection) async throws -> R) async throws -> R {
        let connection = try await acquire()
        do {
            let value = try await body(connection)
            await giveBack(connection)
            return value
        } catch {
            await giveBack(connection)
            if let error = error as? PostgresError { tell(error) }
            throw error
        }
    }

    /// Runs one statement on a free connection. If a connection proves dead before anything was sent, the pool replaces it and sends the
    /// statement on the next one.
    public func query(_ sql: SQL, deadline: Duration? = nil) async throws(PostgresError) -> PostgresResult {
        try await withLiveConnection { connection throws(PostgresError) in try await connection.query(sql, deadline: deadline) }
    }

    /// Runs statements in one round trip on a free connection, as one transaction with the same settings as every other transaction. The
    /// statements must not contain BEGIN. See ``PostgresConnection/pipeline(_:deadline:)``.
    ///
    /// - Parameters:
    ///   - limit: the server's time limit for each statement, waits for locks included. By default, the configuration's
    ///     `statementTimeout`. The client waits ``PostgresConfiguration/answerGrace`` longer, so the server's error usually comes first.
    ///   - isProof: whether the answers are proof of a durable state, also if the statements found nothing left to change (``mark``).
    public func pipeline(
        _ statements: [SQL], limit: Duration? = nil, asProof isProof: Bool = false
    ) async throws(PostgresError) -> [PostgresResult] {
        let limit = limit ?? configuration.statementTimeout
        let sent = isProof ? statements + [Self.mark] : statements
        let answers = try await withLiveConnection { connection throws(PostgresError) in
            try await connection.pipeline(
                sent, after: TransactionOpening([Self.settings(statementTimeout: limit)]),
                deadline: limit + PostgresConfiguration.answerGrace)
        }
        return isProof ? Array(answers.dropLast()) : answers
    }

    private func withLiveConnection<R: Sendable>(
        _ body: (PostgresConnection) async throws(PostgresError) -> R
    ) async throws(PostgresError) -> R {
        // Each failed attempt uses up one dead connection, so after `size` repetitions the connection must be a new one.
        var repetitions = size
        while true {
            let connection = try await acquire()
            do throws(PostgresError) {
                let value = try await body(connection)
                await giveBack(connection)
                return value
            } catch {
                await giveBack(connection)
                tell(error)
                guard error.isUnsent, repetitions > 0 else { throw error }
                repetitions -= 1
            }
        }
    }

    private func tell(_ error: PostgresError) {
        if error.isShortage { log(.refused(error)) }
    }

    /// Refuses new callers, closes the free connections, and waits until all lent ones are returned, at most for `grace`.
    public func close(grace: Duration = .seconds(10)) async {
        let (idle, waiters, drained) = state.withLock { $0.close() }
        for waiter in waiters { waiter.set(.failure(Self.closed)) }
        for connection in idle { await connection.close() }
        // End the wait after `grace`: a borrower that never returns must not block the shutdown.
        let timer = Task {
            try await Task.sleep(for: grace)
            drained.set(())
        }
        await drained.value()
        timer.cancel()
    }

    // MARK: Lending

    private static let closed = PostgresError(.poolClosed, message: "the pool is closed")

    func acquire() async throws(PostgresError) -> PostgresConnection {
        let waiter = PoolState<PostgresConnection>.Waiter()
        let (answer, openers) = state.withLock { state in
            let answer = state.acquire(waiter, isUsable: isUsable)
            return (answer, state.openersToStart())
        }
        switch answer {
        case .lent(let connection): return connection
        case .closed: throw Self.closed
        case .waiting: startOpening(openers)
        }
        // The timer fails the waiter after this time, and is cancelled when a connection comes first.
        let timer = Task {
            try await Task.sleep(for: acquireTimeout)
            waiter.set(.failure(state.withLock { $0.lastFailure ?? exhausted(leftBehind: $0.leftBehind) }))
        }
        defer { timer.cancel() }
        let outcome = await withTaskCancellationHandler {
            await waiter.value()
        } onCancel: {
            waiter.set(.failure(PostgresError(.cancelled, message: "cancelled while waiting for a connection")))
        }
        if case .failure = outcome { state.withLock { $0.forget(waiter) } }
        return try outcome.get()
    }

    func giveBack(_ connection: PostgresConnection) async {
        if connection.hasOpenTransaction {
            do throws(PostgresError) {
                _ = try await connection.query("ROLLBACK")
            } catch {
                await connection.close()
            }
        }
        let isUsable = isUsable(connection)
        let (isKept, retired, openers, mustLook) = state.withLock { state in
            let retired = connection.endedReadOnly ? state.retire(at: .now) : []
            let isKept = state.giveBack(
                connection, isUsable: isUsable && !state.isRetired(openedAt: connection.openedAt),
                isLeftBehind: connection.isLeftBehind)
            return (isKept, retired, state.openersToStart(), state.lookToStart())
        }
        if !isUsable { log(.lost) }
        if !isKept { await connection.close() }
        for connection in retired { await connection.close() }
        startOpening(openers)
        // Unstructured: the caller of the lost connection does not wait for the look.
        if mustLook { Task { await look() } }
    }

    private func exhausted(leftBehind: Int) -> PostgresError {
        let cause = leftBehind > 0 ? ", \(leftBehind) of them by commits that wait for a standby" : ""
        return PostgresError(.poolExhausted, message: "all \(size) connections of pool \(name) stayed in use\(cause)")
    }

    // MARK: Opening

    func startOpening(_ count: Int) {
        // Unstructured tasks: the new connection serves any waiter, so it must not end with the task of the caller that started it.
        for _ in 0..<count { Task { await open() } }
    }

    /// Opens one connection for the waiters. After a failure, tries again as long as someone waits.
    private func open() async {
        while true {
            do throws(PostgresError) {
                let connection = try await PostgresConnection.connect(configuration)
                let (isKept, openers) = state.withLock { state in
                    let isKept = state.opened(connection)
                    return (isKept, state.openersToStart())
                }
                log(.connected)
                if !isKept { await connection.close() }
                return startOpening(openers)
            } catch {
                let (retry, refused) = state.withLock { $0.failed(error) }
                for waiter in refused { waiter.set(.failure(error)) }
                let pause = retry.map { Backoff.connecting.pause(afterFailure: $0) }
                log(.connectFailed(error, retryAfter: pause))
                guard let pause else { return }
                // Nothing cancels this task. An early end of the pause would only mean an early attempt.
                try? await Task.sleep(for: pause)
            }
        }
    }
}

/// Events for the pool's owner, to log and count.
public enum PostgresPoolEvent: Sendable {
    case connected
    /// `retryAfter` is nil when no caller waits any more, or when the error is permanent.
    case connectFailed(PostgresError, retryAfter: Duration?)
    /// A lent connection was dead on its return and was dropped. The pool replaces a connection that died while idle without this event.
    case lost
    /// The server answered a question about commits that wait, while such commits take up the pool.
    case looked(waiting: Int)
    /// The server refused a statement because it lacks something: see ``PostgresError/isShortage``.
    case refused(PostgresError)
    /// A transaction runs again. `attempt` counts its repetitions from 1.
    case transactionRetried(PostgresError, attempt: Int)
}
