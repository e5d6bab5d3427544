/// Why the database, or the way to it, did not do what was asked.
///
/// ``description`` never holds data: PostgreSQL quotes row values in its messages and details. ``debugDescription`` holds everything.
public struct PostgresError: Error, Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable {
        /// The server refused the statement; ``PostgresError/sqlState`` says why.
        case server
        /// The session ended, or had ended, without an answer. Whether the statement took effect: ``PostgresError/isAmbiguousCommit``.
        case connectionLost
        /// No session could be opened.
        case connectFailed
        /// The caller's deadline passed without an answer; the session was dropped, because its next answer would belong to this statement.
        case deadlineExceeded
        /// The waiting task was cancelled before it had a connection. Statements already sent are never cut short.
        case cancelled
        /// Every connection of the pool stayed in use until the deadline.
        case poolExhausted
        /// The pool is closed.
        case poolClosed
        /// A parameter or statement that PostgreSQL cannot take; nothing was sent.
        case invalidStatement
        /// A result column does not hold what the caller decodes it as.
        case decoding
        /// The configuration cannot be read.
        case configuration
        /// COMMIT was answered with a rollback: a statement of the transaction had failed and the failure was not passed on.
        case rolledBack
    }

    public var kind: Kind
    /// The five characters of the server's first error (PostgreSQL, appendix A). Nil when the server said nothing.
    public var sqlState: String?
    /// The server's or libpq's primary message. May quote data: log it, do not show it to users.
    public var message: String
    /// May quote row values.
    public var detail: String?
    public var hint: String?
    /// The constraint, index or exclusion that was violated (class 23).
    public var constraint: String?
    /// Position of the failing statement in a pipeline, from 0.
    public var statementIndex: Int?
    /// True when the connection was lost while a commit may have been under way: the work may or may not be in the database.
    /// Only a key that makes the work repeatable can tell.
    public var isAmbiguousCommit: Bool
    /// True when the loss was noticed before anything was sent, so that repeating on another connection is always safe.
    public var isUnsent: Bool

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

    /// For decoders of other modules: the column's type was right and its value was not.
    public static func decoding(_ message: String) -> PostgresError { PostgresError(.decoding, message: message) }

    /// What a caller should do next.
    public var verdict: Verdict {
        switch kind {
        case .server: Verdict(sqlState: sqlState)
        case .connectFailed: sqlState.map { Verdict(sqlState: $0) } ?? .reconnect
        case .connectionLost, .deadlineExceeded: .reconnect
        case .poolExhausted: .backOff
        case .cancelled, .poolClosed, .invalidStatement, .decoding, .configuration, .rolledBack: .permanent
        }
    }

    /// The values of the statement are at fault: a data exception (class 22), a violated constraint (23) or an exceeded limit (54), or values
    /// that cannot be sent. Every other error is the server's state, and an operator can mend it: a missing grant, table or index.
    public var isAboutTheData: Bool {
        switch kind {
        case .invalidStatement: true
        // PostgreSQL reports a row without a partition as a violated check, and names no constraint.
        case .server: !isMissingPartition && ["22", "23", "54"].contains { sqlState?.hasPrefix($0) ?? false }
        default: false
        }
    }

    /// A row belongs to a day whose partition does not exist.
    public var isMissingPartition: Bool { kind == .server && sqlState == "23514" && constraint == nil }

    /// The session cannot write, and never will: its server became a standby, or writes were forbidden for it. A new session may.
    var isReadOnlySession: Bool { sqlState == "25006" }
}

extension PostgresError: CustomStringConvertible, CustomDebugStringConvertible {
    /// Kind, SQLSTATE, constraint and position; no message, no data.
    public var description: String {
        var text = "database: \(kind.rawValue)"
        if let sqlState { text += " \(sqlState)" }
        if let constraint { text += ", constraint \(constraint)" }
        if let statementIndex { text += ", statement \(statementIndex)" }
        if isAmbiguousCommit { text += ", outcome unknown" }
        return text
    }

    public var debugDescription: String {
        var text = "\(description): \(message)"
        if let detail { text += "; detail: \(detail)" }
        if let hint { text += "; hint: \(hint)" }
        return text
    }
}
