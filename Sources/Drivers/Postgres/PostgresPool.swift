import Synchronization

/// A fixed number of connections, shared.
///
/// Connections are opened when they are first needed and kept. Who finds none free waits in line, until `acquireTimeout`. A lost
/// connection is replaced when the next caller needs it; while the server cannot be reached only one attempt at a time is made, with
/// growing pauses, so that a server that comes back is not met by all at once.
public final class PostgresPool: Sendable {
    /// How long a caller waits for a free connection, unless the pool is told otherwise.
    public static let standardAcquireTimeout = Duration.seconds(10)

    public let name: String
    public let size: Int
    let configuration: PostgresConfiguration
    let log: @Sendable (PostgresPoolEvent) -> Void
    private let acquireTimeout: Duration
    private let state: Mutex<PoolState<PostgresConnection>>

    /// - Parameters:
    ///   - size: connections at most; the server's `max_connections` is shared by all pools of all processes.
    ///   - acquireTimeout: how long a caller waits for a free connection.
    ///   - log: called on any thread, must not block.
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

    /// Lends a connection to `body`. A transaction that `body` leaves open is rolled back. Do not keep the connection.
    ///
    /// Throws what `body` throws, and while acquiring `.poolExhausted`, `.poolClosed`, `.cancelled` or the reason why no connection
    /// can be opened.
    public func withConnection<R>(_ body: (PostgresConnection) async throws -> R) async throws -> R {
        let connection = try await acquire()
        do {
            let value = try await body(connection)
            await giveBack(connection)
            return value
        } catch {
            await giveBack(connection)
            throw error
        }
    }

    /// Runs one statement on a free connection. A connection found dead before anything was sent is replaced and the statement sent
    /// on the next one.
    public func query(_ sql: SQL, deadline: Duration? = nil) async throws(PostgresError) -> PostgresResult {
        try await withLiveConnection { connection throws(PostgresError) in try await connection.query(sql, deadline: deadline) }
    }

    /// Runs statements in one round trip on a free connection, as one transaction with the settings of every other. They hold
    /// no BEGIN of their own. See ``PostgresConnection/pipeline(_:deadline:)``.
    ///
    /// - Parameter limit: how long the server works on each statement, the wait for locks included; by default the configuration's
    ///   `statementTimeout`. The client waits ``PostgresConfiguration/answerGrace`` longer, so the server gives up first.
    public func pipeline(_ statements: [SQL], limit: Duration? = nil) async throws(PostgresError) -> [PostgresResult] {
        let limit = limit ?? configuration.statementTimeout
        return try await withLiveConnection { connection throws(PostgresError) in
            connection.begin([Self.settings(statementTimeout: limit)])
            defer { _ = connection.takeOpening() }
            return try await connection.pipeline(statements, deadline: limit + PostgresConfiguration.answerGrace)
        }
    }

    private func withLiveConnection<R: Sendable>(
        _ body: (PostgresConnection) async throws(PostgresError) -> R
    ) async throws(PostgresError) -> R {
        // Each attempt uses up one dead connection, so that many reach a new one.
        var repetitions = size
        while true {
            let connection = try await acquire()
            do throws(PostgresError) {
                let value = try await body(connection)
                await giveBack(connection)
                return value
            } catch {
                await giveBack(connection)
                guard error.isUnsent, repetitions > 0 else { throw error }
                repetitions -= 1
            }
        }
    }

    /// Refuses new callers, ends the free connections, and waits for the lent ones to come back, at most for `grace`.
    public func close(grace: Duration = .seconds(10)) async {
        let (idle, waiters, drained) = state.withLock { $0.close() }
        for waiter in waiters { waiter.settle(.failure(Self.closed)) }
        for connection in idle { await connection.close() }
        // A borrower that never returns must not hold up the end for ever.
        let timer = Task {
            try await Task.sleep(for: grace)
            drained.settle(())
        }
        await drained.value()
        timer.cancel()
    }

    // MARK: Lending

    private static let closed = PostgresError(.poolClosed, message: "the pool is closed")

    func acquire() async throws(PostgresError) -> PostgresConnection {
        let waiter = PoolState<PostgresConnection>.Waiter()
        let (answer, openers) = state.withLock { state in
            let answer = state.acquire(waiter) { $0.isUsable }
            return (answer, state.openersToStart())
        }
        switch answer {
        case .lent(let connection): return connection
        case .closed: throw Self.closed
        case .waiting: startOpening(openers)
        }
        // Whoever waits is told after this time; cancelled when a connection comes first.
        let timer = Task {
            try await Task.sleep(for: acquireTimeout)
            let reason = state.withLock { $0.lastFailure }
            waiter.settle(
                .failure(reason ?? PostgresError(.poolExhausted, message: "all \(size) connections of pool \(name) stayed in use")))
        }
        defer { timer.cancel() }
        let outcome = await withTaskCancellationHandler {
            await waiter.value()
        } onCancel: {
            waiter.settle(.failure(PostgresError(.cancelled, message: "cancelled while waiting for a connection")))
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
        let isUsable = connection.isUsable
        let (isKept, openers) = state.withLock { state in
            let isKept = state.giveBack(connection, isUsable: isUsable)
            return (isKept, state.openersToStart())
        }
        if !isUsable { log(.lost) }
        if !isKept { await connection.close() }
        startOpening(openers)
    }

    // MARK: Opening

    private func startOpening(_ count: Int) {
        // Nobody's child: a connection serves whoever waits when it is open, not the one who asked for it.
        for _ in 0..<count { Task { await open() } }
    }

    /// Opens one connection for those who wait; goes on after failures for as long as somebody waits.
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
                for waiter in refused { waiter.settle(.failure(error)) }
                let pause = retry.map { Backoff.connecting.pause(attempt: $0) }
                log(.connectFailed(error, retryAfter: pause))
                guard let pause else { return }
                // Nothing cancels this task; an early end of the pause would only mean an early attempt.
                try? await Task.sleep(for: pause)
            }
        }
    }
}

/// What a pool tells its owner, to log and count.
public enum PostgresPoolEvent: Sendable {
    case connected
    /// `retryAfter` is nil when nobody waits any more, or waiting cannot help.
    case connectFailed(PostgresError, retryAfter: Duration?)
    /// A lent connection came back dead and was thrown away. One that died while nobody used it is replaced without a word.
    case lost
    /// A transaction is run again, for the given time.
    case transactionRetried(PostgresError, attempt: Int)
}
