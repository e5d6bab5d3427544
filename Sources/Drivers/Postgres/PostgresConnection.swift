import Glibc
import Synchronization
import TidingsSocket

/// One session with PostgreSQL, on a thread of its own.
///
/// Statements run one after another in the order they arrive. Each has a deadline of its own; when it passes the session is dropped,
/// because neither the server's timeouts nor TCP's notice a server process that is frozen. Cancelling the calling task does not cut a
/// statement short: its outcome would be unknown. Nothing is set for the session, and names of statements are given up where they do not hold, so PgBouncer
/// in transaction mode may stand between, except for ``listen(_:)``.
public actor PostgresConnection {
    /// Statements of one pipeline: its answers and its unsent bytes are held in memory.
    public static let pipelineLimit = 10_000
    /// How long a listening session waits for the answer to its question whether the server is there.
    public static let heartbeatTimeout: Duration = .seconds(5)
    /// Notifications kept for a slow reader; older ones go first, which hints allow.
    static let notificationLimit = 1_024

    private let configuration: PostgresConfiguration
    private let thread: SocketThread
    private var session: PostgresSession?
    /// Why there is no session.
    private var ending = PostgresError(.connectionLost, message: "the connection is not open", isUnsent: true)
    private var nextHeartbeat: Deadline?
    /// What goes before the next statement. Outside the actor, for the pool's sake: each switch to the thread costs as much as a statement.
    private nonisolated let opening = Mutex<[SQL]>([])

    private nonisolated let usable = Atomic(false)
    private nonisolated let inTransaction = Atomic(false)
    /// What this session's channels were notified of, for one reader; ends when the session does.
    public nonisolated let notifications: AsyncStream<PostgresNotification>
    private nonisolated let notified: AsyncStream<PostgresNotification>.Continuation

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// Opens a session within the configuration's `connectTimeout`.
    ///
    /// Throws `.connectFailed`, with the SQLSTATE if the server refused, or `.cancelled`.
    public static func connect(_ configuration: PostgresConfiguration) async throws(PostgresError) -> PostgresConnection {
        let connection = PostgresConnection(configuration, thread: try startThread(configuration))
        let outcome = FirstOutcome<Result<Void, PostgresError>>()
        // Resolving a name may block the connection's thread for longer than the caller wants to wait: this side has its own clock.
        let limit = configuration.connectTimeout + openingSlack
        let timer = Task {
            try await Task.sleep(for: limit)
            outcome.settle(.failure(PostgresError(.connectFailed, message: "no connection before the deadline")))
        }
        defer { timer.cancel() }
        // Not awaited itself: opening may outlast the deadline, `outcome` does not.
        _ = Task { outcome.settle(await connection.open()) }
        let result = await withTaskCancellationHandler {
            await outcome.value()
        } onCancel: {
            outcome.settle(.failure(PostgresError(.cancelled, message: "cancelled while connecting")))
        }
        try result.get()
        return connection
    }

    /// What the caller's clock adds to the thread's, so that the thread's error, which says more, usually comes first.
    private static let openingSlack: Duration = .milliseconds(250)

    // An initializer that throws, of an actor with an isolated deinit, crashes Swift 6.3 in release builds; so the thread comes from outside.
    private static func startThread(_ configuration: PostgresConfiguration) throws(PostgresError) -> SocketThread {
        do throws(SocketThread.StartError) {
            return try SocketThread(starting: "pg-\(configuration.applicationName)")
        } catch {
            throw PostgresError(.connectFailed, message: error.description)
        }
    }

    private init(_ configuration: PostgresConfiguration, thread: SocketThread) {
        self.configuration = configuration
        self.thread = thread
        (notifications, notified) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.notificationLimit))
    }

    // On the thread, which has to let go of its callback before it can end.
    isolated deinit {
        drop(because: ending)
        thread.stop()
    }

    // MARK: Statements

    /// Runs one statement.
    ///
    /// - Parameter deadline: how long to wait for the answer; by default the configuration's `statementTimeout` and ``PostgresConfiguration/answerGrace``.
    public func query(_ sql: SQL, deadline: Duration? = nil) throws(PostgresError) -> PostgresResult {
        guard opening.withLock(\.isEmpty) else { return try pipeline([sql], deadline: deadline)[0] }
        try Self.validate([sql])
        return try perform([sql], within: deadline) { session, deadline throws(PostgresError) in
            try session.query(sql, until: deadline)
        }
    }

    /// Runs statements in one round trip, as one transaction unless they hold BEGIN and COMMIT themselves.
    ///
    /// Throws the first failing statement's error, with its index; the statements after it were not run. If the pipeline, or an earlier
    /// statement, began a transaction, the caller rolls it back.
    public func pipeline(_ statements: [SQL], deadline: Duration? = nil) throws(PostgresError) -> [PostgresResult] {
        guard !statements.isEmpty else { return [] }
        guard statements.count <= Self.pipelineLimit else {
            throw PostgresError(.invalidStatement, message: "\(statements.count) statements; the limit is \(Self.pipelineLimit)")
        }
        try Self.validate(statements)
        let before = takeOpening()
        do throws(PostgresError) {
            let results = try perform(before + statements, within: deadline) { session, deadline throws(PostgresError) in
                try session.pipeline(before + statements, until: deadline)
            }
            return Array(results.dropFirst(before.count))
        } catch {
            var error = error
            error.statementIndex = error.statementIndex.map { max(0, $0 - before.count) }
            throw error
        }
    }

    /// Adds rows to a table: `copyIn("intent (id, body)", rows: rows)`. Returns how many; all or, on error, none.
    public func copyIn(_ target: SQL, rows: CopyBuffer, deadline: Duration? = nil) throws(PostgresError) -> Int {
        let statement: SQL = "COPY \(target) FROM STDIN (FORMAT binary)"
        guard statement.bindings.count == 0 else { throw PostgresError(.invalidStatement, message: "COPY takes no bound values") }
        let bytes = try rows.finished()
        try sendOpening(within: deadline)
        return try perform([statement], within: deadline) { session, deadline throws(PostgresError) in
            try session.copyIn(statement, bytes: bytes, until: deadline)
        }
    }

    /// Runs a text of several statements, a migration for example; one transaction unless it holds BEGIN itself. Never pass input.
    public func execute(script: String, deadline: Duration? = nil) throws(PostgresError) {
        let sql = SQL(unsafeSQL: script)
        try Self.validate([sql])
        try sendOpening(within: deadline)
        try perform([sql], within: deadline) { session, deadline throws(PostgresError) in try session.script(script, until: deadline) }
    }

    // MARK: Transactions

    /// Has `statements`, BEGIN and its settings, go before the next statement, in its round trip.
    nonisolated func begin(_ statements: [SQL]) { opening.withLock { $0 = statements } }

    /// What goes before the next statement and was not sent; nothing once the transaction has begun.
    nonisolated func takeOpening() -> [SQL] {
        opening.withLock { statements in
            defer { statements = [] }
            return statements
        }
    }

    private func sendOpening(within deadline: Duration?) throws(PostgresError) {
        if !opening.withLock(\.isEmpty) { _ = try pipeline(["select"], deadline: deadline) }
    }

    // MARK: Notifications

    /// Starts to receive what is notified on `channel`, in ``notifications``. Needs a direct session: a transaction pooler accepts
    /// LISTEN and delivers nothing. From now on the session asks for a sign of life when it hears nothing for a while, and ends if none
    /// comes. After a reconnect listen again, then read the state.
    public func listen(_ channel: String) throws(PostgresError) {
        let quoted = channel.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
        _ = try query("LISTEN \(unsafe: "\"\(quoted)\"")")
        nextHeartbeat = .now + configuration.listenerHeartbeat
        watch()
    }

    // MARK: State

    /// Whether the session was alive when last heard of. A session found dead never comes back.
    public nonisolated var isUsable: Bool { usable.load(ordering: .acquiring) }

    /// Whether the last statement left a transaction open.
    nonisolated var hasOpenTransaction: Bool { inTransaction.load(ordering: .acquiring) }

    /// The server's process for this session, as `pg_stat_activity.pid`; 0 when there is none.
    public var processID: Int32 { session?.processID ?? 0 }

    /// Ends the session, after the statements that arrived before. An open transaction is rolled back.
    public func close() { drop(because: PostgresError(.connectionLost, message: "the connection is closed", isUnsent: true)) }

    // MARK: The thread's side

    private func open() -> Result<Void, PostgresError> {
        do throws(PostgresError) {
            session = try PostgresSession.open(configuration, until: .now + configuration.connectTimeout)
            usable.store(true, ordering: .releasing)
            thread.whenReady { [weak self] ready in self?.assumeIsolated { $0.attend(isDue: ready.isEmpty) } }
            watch()
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    /// Between statements the thread waits for what the server says by itself, the end of the session above all.
    private func watch() {
        guard let session else { return thread.watch([], until: nil) }
        thread.watch([.reading(session.socket)], until: nextHeartbeat)
    }

    private func attend(isDue: Bool) {
        guard let session else { return }
        guard session.absorbInput() else { return drop(because: session.loss) }
        deliverNotifications()
        if let due = nextHeartbeat {
            if isDue && due <= .now {
                do throws(PostgresError) {
                    try session.script("", until: .now + Self.heartbeatTimeout)
                } catch {
                    return drop(because: error)
                }
                deliverNotifications()
            }
            nextHeartbeat = .now + configuration.listenerHeartbeat
            watch()
        }
    }

    private func deliverNotifications() {
        while let notification = session?.nextNotification() { notified.yield(notification) }
    }

    /// Runs `work`, which holds the thread until the answer or the deadline, and drops the session if it is not fit for more.
    private func perform<Value>(
        _ statements: [SQL], within duration: Duration?, _ work: (PostgresSession, Deadline) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value {
        guard let session else { throw ending }
        guard session.absorbInput() else {
            drop(because: session.loss)
            throw ending
        }
        let wasInTransaction = session.isInTransaction
        defer { noteState() }
        do throws(PostgresError) {
            return try work(session, .now + (duration ?? configuration.statementTimeout + PostgresConfiguration.answerGrace))
        } catch {
            guard !session.isHealthy || error.isReadOnlySession else { throw error }
            drop(because: error)
            // The server answered: nothing is ambiguous.
            guard !error.isReadOnlySession else { throw error }
            guard !error.isUnsent else { throw error }
            var lost = error
            let isInTransaction = wasInTransaction || statements.first.map(\.beginsTransaction) ?? false
            lost.isAmbiguousCommit = !isInTransaction || statements.contains(where: \.endsTransaction)
            throw lost
        }
    }

    private func noteState() {
        deliverNotifications()
        inTransaction.store(session?.isInTransaction ?? false, ordering: .releasing)
    }

    private func drop(because reason: PostgresError) {
        guard session != nil else { return }
        ending = reason
        ending.kind = .connectionLost
        ending.isUnsent = true
        ending.statementIndex = nil
        session = nil
        usable.store(false, ordering: .releasing)
        inTransaction.store(false, ordering: .releasing)
        nextHeartbeat = nil
        thread.watch([], until: nil)
        thread.whenReady(nil)
        notified.finish()
    }

    private static func validate(_ statements: [SQL]) throws(PostgresError) {
        for (index, statement) in statements.enumerated() {
            do throws(PostgresError) {
                try statement.bindings.validate()
                if statement.text.utf8.contains(0) { throw PostgresError(.invalidStatement, message: "a zero byte in the statement") }
            } catch {
                var error = error
                if statements.count > 1 { error.statementIndex = index }
                throw error
            }
        }
    }
}

extension SQL {
    fileprivate var beginsTransaction: Bool { text.hasPrefix("BEGIN") }

    /// Whether a statement of the text begins with COMMIT or END; a false yes only makes an error more careful.
    fileprivate var endsTransaction: Bool {
        text.lowercased().split(separator: ";").contains { statement in
            ["commit", "end"].contains(statement.drop(while: \.isWhitespace).prefix(while: \.isLetter))
        }
    }
}
