/// A failure of the database, or of the connection to it.
///
/// ``description`` never holds data, because PostgreSQL quotes row values in its messages and details. It has the cause of a refused
/// connection, in which no statement took part. ``debugDescription`` holds everything.
public struct PostgresError: Error, Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable {
        /// The server refused the statement. ``PostgresError/sqlState`` says why.
        case server
        /// The session ended, or had ended before, without a result. ``PostgresError/isAmbiguousCommit`` says whether the statement may
        /// have taken effect.
        case connectionLost
        /// No session could be opened.
        case connectFailed
        /// The caller's deadline passed without a result. The session was dropped, because its next result would belong to this statement.
        case deadlineExceeded
        /// The task was cancelled while it waited for a connection. A statement already sent is never interrupted.
        case cancelled
        /// Every connection of the pool stayed in use until the deadline.
        case poolExhausted
        /// The pool is closed.
        case poolClosed
        /// A parameter or statement that PostgreSQL cannot accept. Nothing was sent.
        case invalidStatement
        /// A result column does not hold a value of the type that the caller decodes.
        case decoding
        /// The configuration cannot be read.
        case configuration
        /// The server answered COMMIT with a rollback, because an earlier statement of the transaction had failed and its error was
        /// ignored.
        case rolledBack
        /// The server committed on its own disk and stopped waiting for a synchronous standby, because the wait was cancelled. A failover
        /// may lose the commit.
        case notReplicated
    }

    public var kind: Kind
    /// The five characters of the server's first error code (PostgreSQL, appendix A). Nil when the server gave none.
    public var sqlState: String?
    /// The primary message of the server or libpq. Unless ``isFreeOfData``, it may quote data: log it, but do not show it to users.
    public var message: String
    /// The server's detail text, which may quote row values.
    public var detail: String?
    public var hint: String?
    /// The constraint, index or exclusion that was violated (class 23).
    public var constraint: String?
    /// The position of the failing statement in a pipeline, counted from 0.
    public var statementIndex: Int?
    /// True when the connection was lost while a commit may have been running, or when no standby confirmed the commit: after a failover,
    /// the changes may or may not be in the database. Only a unique key in the data can tell.
    public var isAmbiguousCommit: Bool
    /// True when the loss was noticed before anything was sent. A repetition on another connection is then always safe.
    public var isUnsent: Bool
    /// True when a ``SessionAdmission`` refused the server, because it is an old primary.
    public internal(set) var isOldTimeline = false

    init(
        _ kind: Kind, sqlState: String? = nil, message: String, detail: String? = nil, hint: String? = nil, constraint: String? = nil,
        isUnsent: Bool = false
    ) {
        self.kind = kind
        self.sqlState = sqlState
        self.message = message
        self.detail = detail
        self.hint = hint
        self.constraint = constraint
        self.isUnsent = isUnsent
        statementIndex = nil
        isAmbiguousCommit = false
    }

    /// Creates an error for decoders of other modules, when the column's type was right and its value was wrong.
    public static func decoding(_ message: String) -> PostgresError { PostgresError(.decoding, message: message) }

    /// The next step for a caller.
    public var retryability: Retryability {
        switch kind {
        case .server: Retryability(sqlState: sqlState)
        case .connectFailed: sqlState.map { Retryability(sqlState: $0) } ?? .reconnect
        case .connectionLost, .deadlineExceeded: .reconnect
        case .notReplicated: .retry
        case .poolExhausted: .backOff
        case .cancelled, .poolClosed, .invalidStatement, .decoding, .configuration, .rolledBack: .permanent
        }
    }

    /// Whether the values of the statement are at fault: a data exception (class 22), a violated constraint (23), an exceeded limit (54),
    /// or values that cannot be sent. Every other error concerns the server's state, such as a missing grant, table or index, which an
    /// operator can repair.
    public var isAboutTheData: Bool {
        switch kind {
        case .invalidStatement: true
        // PostgreSQL reports a row without a partition as a violated check that has no constraint name.
        case .server: !isMissingPartition && ["22", "23", "54"].contains { sqlState?.hasPrefix($0) ?? false }
        default: false
        }
    }

    /// Whether ``message`` is about the server, the session or the schema, so that it quotes no row: connection (class 08), state of the
    /// session (25, 26, 28), conflict (40), schema and rights (42), resources (53), use of an object (55), intervention of an operator (57)
    /// and operating system (58).
    public var isFreeOfData: Bool {
        ["08", "25", "26", "28", "40", "42", "53", "55", "57", "58"].contains { sqlState?.hasPrefix($0) ?? false }
    }

    /// Whether the server answered that it lacks something for the statement: disk, memory or another resource (class 53), or its operating
    /// system (class 58). An operator can give it that.
    public var isShortage: Bool { kind == .server && ["53", "58"].contains { sqlState?.hasPrefix($0) ?? false } }

    /// Whether a row belongs to a day whose partition does not exist.
    public var isMissingPartition: Bool { kind == .server && sqlState == "23514" && constraint == nil }

    /// Whether the session can never write again, because its server became a standby or writes were forbidden for it. A new session may be
    /// able to write.
    var isReadOnlySession: Bool { sqlState == "25006" }

    /// Whether the server takes no writes: it is a standby, or its sessions begin read-only. libpq gives no SQLSTATE if it refuses such a
    /// session (``PostgresConfiguration/needsWritableSession``).
    public var isReadOnly: Bool {
        isReadOnlySession
            || kind == .connectFailed && ["session is read-only", "server is in hot standby mode"].contains { message.contains($0) }
    }
}

extension PostgresError: CustomStringConvertible, CustomDebugStringConvertible {
    /// Kind, SQLSTATE, constraint and position, without message and data. For a refused connection also ``cause``.
    public var description: String {
        guard kind == .connectFailed, !cause.isEmpty else { return summary }
        return "\(summary): \(cause)"
    }

    private var summary: String {
        var text = "database: \(kind.rawValue)"
        if let sqlState { text += " \(sqlState)" }
        if let constraint { text += ", constraint \(constraint)" }
        if let statementIndex { text += ", statement \(statementIndex)" }
        if isAmbiguousCommit { text += ", outcome unknown" }
        return text
    }

    /// The first line of the message. For a refused connection, libpq names host, port, user and reason there, and only guesses in the lines
    /// after it. Any other kind of error may quote data.
    public var cause: String { message.split(separator: "\n").first.map(String.init) ?? "" }

    public var debugDescription: String {
        var text = "\(summary): \(message)"
        if let detail { text += "; detail: \(detail)" }
        if let hint { text += "; hint: \(hint)" }
        return text
    }
}
