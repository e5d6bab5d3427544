import Glibc
import Synchronization
import TidingsSocket
import TidingsWaiting

/// One session with PostgreSQL, on a thread of its own.
///
/// Statements run one after another in the order of their arrival. Each statement has its own deadline. If the deadline passes, the session
/// is dropped, because neither the server's time-outs nor TCP's notice a frozen server process. Cancelling the calling task does not
/// interrupt a statement, because its outcome would then be unknown.
///
/// PgBouncer in transaction mode may stand between. Behind a pooler, the connection makes no settings for the session and names no prepared
/// statements.
public actor PostgresConnection {
    /// The largest number of statements in one pipeline. Memory holds all its results and unsent bytes.
    public static let pipelineLimit = 10_000

    private let configuration: PostgresConfiguration
    private let thread: SocketThread
    private var session: PostgresSession?
    /// Why there is no session.
    private var ending = PostgresError(.connectionLost, message: "the connection is not open", isUnsent: true)

    private nonisolated let usable = Atomic(false)
    private nonisolated let inTransaction = Atomic(false)
    private nonisolated let leftBehind = Atomic(false)
    private nonisolated let readOnly = Atomic(false)
    /// The time before the session was opened.
    nonisolated let openedAt = ContinuousClock.now
    private nonisolated let admitted = Mutex(SessionTicket?.none)

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// Opens a session within the configuration's `connectTimeout`. With a ``PostgresConfiguration/admission``, each host gets this time.
    ///
    /// Throws `.connectFailed`, with the SQLSTATE if the server refused, or `.cancelled`.
    public static func connect(_ configuration: PostgresConfiguration) async throws(PostgresError) -> PostgresConnection {
        guard let admission = configuration.admission else { return try await open(configuration) }
        return try await connect(configuration, admittedBy: admission)
    }

    static func open(_ configuration: PostgresConfiguration) async throws(PostgresError) -> PostgresConnection {
        let connection = PostgresConnection(configuration, thread: try startThread(configuration))
        let outcome = OneShot<Result<Void, PostgresError>>()
        // Resolving a name may block the connection's thread beyond the deadline, so the caller's side has its own timer.
        let limit = configuration.connectTimeout + openingSlack
        let timer = Task {
            try await Task.sleep(for: limit)
            outcome.set(.failure(PostgresError(.connectFailed, message: "no connection before the deadline")))
        }
        defer { timer.cancel() }
        // Do not await this task: opening may take longer than the deadline, but `outcome` does not.
        _ = Task { outcome.set(await connection.open()) }
        let result = await withTaskCancellationHandler {
            await outcome.value()
        } onCancel: {
            outcome.set(.failure(PostgresError(.cancelled, message: "cancelled while connecting")))
        }
        try result.get()
        return connection
    }

    /// The time by which the caller's timer is later than the thread's. The thread's error has more detail and usually comes first.
    private static let openingSlack: Duration = .milliseconds(250)

    // The thread comes from outside: a throwing initializer of an actor with an isolated deinit crashes Swift 6.3 in release builds.
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
    }

    // Isolated, so that it runs on the thread: the thread can end only after its callback is removed.
    isolated deinit {
        drop(because: ending)
        thread.stop()
    }

    // MARK: Statements

    /// Runs one statement.
    ///
    /// - Parameter deadline: the time limit for the result. By default, the configuration's `statementTimeout` plus
    ///   ``PostgresConfiguration/answerGrace``.
    public func query(_ sql: SQL, deadline: Duration? = nil) throws(PostgresError) -> PostgresResult {
        try Self.validate([sql])
        return try perform([sql], within: deadline) { session, deadline throws(PostgresError) in
            try session.query(sql, until: deadline)
        }
    }

    /// Runs statements in one round trip. They are one transaction, unless they contain BEGIN and COMMIT.
    ///
    /// Throws the error of the first failing statement, with its index. The statements after it were not executed. If the pipeline, or an
    /// earlier statement, began a transaction, the caller must roll it back.
    public func pipeline(_ statements: [SQL], deadline: Duration? = nil) throws(PostgresError) -> [PostgresResult] {
        try pipeline(statements, after: TransactionOpening([]), deadline: deadline)
    }

    /// - Parameter opening: the statements to send first in the same round trip, such as BEGIN. They are taken on the thread, after the check
    ///   of `statements`. So the statement that arrives first takes them along, and a refused one leaves them.
    func pipeline(
        _ statements: [SQL], after opening: TransactionOpening, deadline: Duration? = nil
    ) throws(PostgresError) -> [PostgresResult] {
        guard !statements.isEmpty else { return [] }
        guard statements.count <= Self.pipelineLimit else {
            throw PostgresError(.invalidStatement, message: "\(statements.count) statements; the limit is \(Self.pipelineLimit)")
        }
        try Self.validate(statements)
        let opening = opening.dequeueAll()
        do throws(PostgresError) {
            let results = try perform(opening + statements, within: deadline) { session, deadline throws(PostgresError) in
                try session.pipeline(opening + statements, until: deadline)
            }
            return Array(results.dropFirst(opening.count))
        } catch {
            var error = error
            error.statementIndex = error.statementIndex.map { max(0, $0 - opening.count) }
            throw error
        }
    }

    /// Adds rows to a table: `copyIn("intent (id, body)", rows: rows)`. Returns the number of rows. On error, no row was added.
    public func copyIn(_ target: SQL, rows: CopyBuffer, deadline: Duration? = nil) throws(PostgresError) -> Int {
        try copyIn(target, rows: rows, after: TransactionOpening([]), deadline: deadline)
    }

    func copyIn(
        _ target: SQL, rows: CopyBuffer, after opening: TransactionOpening, deadline: Duration? = nil
    ) throws(PostgresError) -> Int {
        let statement: SQL = "COPY \(target) FROM STDIN (FORMAT binary)"
        guard statement.bindings.count == 0 else { throw PostgresError(.invalidStatement, message: "COPY takes no bound values") }
        let bytes = try rows.finished()
        try open(opening, within: deadline)
        return try perform([statement], within: deadline) { session, deadline throws(PostgresError) in
            try session.copyIn(statement, bytes: bytes, until: deadline)
        }
    }

    /// Runs a text of several statements, such as a migration. The text is one transaction unless it contains BEGIN. Never pass user input.
    public func execute(script: String, deadline: Duration? = nil) throws(PostgresError) {
        try execute(script: script, after: TransactionOpening([]), deadline: deadline)
    }

    func execute(script: String, after opening: TransactionOpening, deadline: Duration? = nil) throws(PostgresError) {
        let sql = SQL(unsafeSQL: script)
        try Self.validate([sql])
        try open(opening, within: deadline)
        let last = try perform([sql], within: deadline) { session, deadline throws(PostgresError) in
            try session.script(script, until: deadline)
        }
        if sql.endsTransaction, last == "ROLLBACK" { throw .commitRolledBack }
    }

    /// Sends the opening by itself, ahead of a statement that cannot share a round trip.
    private func open(_ opening: TransactionOpening, within deadline: Duration?) throws(PostgresError) {
        let statements = opening.dequeueAll()
        if !statements.isEmpty { _ = try pipeline(statements, deadline: deadline) }
    }

    // MARK: State

    /// Whether the session was alive at its last use. A dead session never becomes usable again.
    public nonisolated var isUsable: Bool { usable.load(ordering: .acquiring) }

    /// Whether the last statement left a transaction open.
    nonisolated var hasOpenTransaction: Bool { inTransaction.load(ordering: .acquiring) }

    /// Whether the session was dropped at a deadline, while its server process may have been committing. The server process then goes on.
    nonisolated var isLeftBehind: Bool { leftBehind.load(ordering: .acquiring) }

    /// Whether the session was dropped because its server takes no writes.
    nonisolated var endedReadOnly: Bool { readOnly.load(ordering: .acquiring) }

    /// The server process of this session, as in `pg_stat_activity.pid`. 0 when there is no session.
    public var processID: Int32 { session?.processID ?? 0 }

    /// The name and port of the host that this session uses. Nil when there is no session.
    var hostName: String? { session?.hostName }

    /// Makes new sessions try the other hosts first. Returns the host of this session, as a position in the URL, or nil without a session.
    func avoidHost() -> Int? {
        session?.avoidHost()
        return session?.host
    }

    /// The admission of this session. Nil if none was asked for.
    nonisolated var ticket: SessionTicket? { admitted.withLock { $0 } }

    nonisolated func keep(_ ticket: SessionTicket) { admitted.withLock { $0 = ticket } }

    /// Ends the session after the statements that arrived before. The server rolls an open transaction back.
    public func close() { drop(because: PostgresError(.connectionLost, message: "the connection is closed", isUnsent: true)) }

    // MARK: On the thread

    private func open() -> Result<Void, PostgresError> {
        do throws(PostgresError) {
            session = try PostgresSession.open(configuration, until: .now + configuration.connectTimeout)
            usable.store(true, ordering: .releasing)
            thread.whenReady { [weak self] _, _ in self?.assumeIsolated { $0.absorb() } }
            watch()
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    /// Between statements, the thread waits for unrequested messages of the server, above all for the end of the session.
    private func watch() {
        guard let session else { return thread.watch([], until: nil) }
        thread.watch([.reading(session.socket)], until: nil)
    }

    private func absorb() {
        guard let session else { return }
        if !session.absorbInput() { drop(because: session.loss) }
    }

    /// Runs `work`, which blocks the thread until the result or the deadline. Drops the session if it is unusable afterwards.
    private func perform<Value>(
        _ statements: [SQL], within duration: Duration?, _ work: (PostgresSession, Deadline) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value {
        guard let session else { throw ending }
        guard session.absorbInput() else {
            drop(because: session.loss)
            throw ending
        }
        let wasInTransaction = session.isInTransaction
        session.notices.forgetDoubt()
        defer { noteState() }
        do throws(PostgresError) {
            let value = try work(session, .now + (duration ?? configuration.statementTimeout + PostgresConfiguration.answerGrace))
            if let doubt = session.doubt(about: statements) { throw doubt }
            if session.becameReadOnly, !session.isInTransaction { leave(session, because: .becameReadOnly) }
            return value
        } catch {
            // The server answered, so the outcome is known.
            if error.isReadOnlySession {
                leave(session, because: error)
                throw error
            }
            guard !session.isHealthy else { throw error }
            drop(because: error)
            guard !error.isUnsent else { throw error }
            var lost = error
            let isInTransaction = wasInTransaction || statements.first.map(\.beginsTransaction) ?? false
            lost.isAmbiguousCommit = !isInTransaction || statements.contains(where: \.endsTransaction)
            if lost.isAmbiguousCommit, lost.kind == .deadlineExceeded { leftBehind.store(true, ordering: .releasing) }
            throw lost
        }
    }

    /// Drops a session whose server takes no writes.
    private func leave(_ session: PostgresSession, because error: PostgresError) {
        session.avoidHost()
        readOnly.store(true, ordering: .releasing)
        drop(because: error)
    }

    private func noteState() {
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
        thread.watch([], until: nil)
        thread.whenReady(nil)
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

extension PostgresSession {
    /// The warning that contradicts the answers of the statements. Nil if there is none.
    ///
    /// If the session is not in the state that its caller assumes, it is out of step.
    fileprivate func doubt(about statements: [SQL]) -> PostgresError? {
        guard let doubt = notices.doubt else { return nil }
        if doubt.kind == .notReplicated { return doubt }
        // PostgreSQL gives the same warnings for a ROLLBACK or a SET LOCAL outside of a transaction, which change nothing.
        guard statements.contains(where: { $0.beginsTransaction || $0.endsTransaction }) else { return nil }
        markOutOfStep()
        return doubt
    }
}

extension PostgresError {
    /// The server reported that transactions of the session now begin read-only.
    fileprivate static let becameReadOnly = PostgresError(
        .connectionLost, sqlState: "25006", message: "the transactions of this session begin read-only")

    /// COMMIT was answered by ROLLBACK.
    static let commitRolledBack = PostgresError(
        .rolledBack, message: "a statement of the transaction had failed, so COMMIT rolled it back")
}

extension SQL {
    fileprivate var beginsTransaction: Bool { text.hasPrefix("BEGIN") }

    /// Whether a statement of the text begins with COMMIT or END. A wrong "true" only makes an error more cautious.
    fileprivate var endsTransaction: Bool {
        text.lowercased().split(separator: ";").contains { statement in
            ["commit", "end"].contains(statement.drop(while: \.isWhitespace).prefix(while: \.isLetter))
        }
    }
}
