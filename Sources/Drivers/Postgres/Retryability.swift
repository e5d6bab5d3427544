/// The next step for the caller of a failed statement.
public enum Retryability: String, Sendable, Hashable, CaseIterable {
    /// Repeat the whole transaction at once, with a little jitter: a conflict or a time-out may not happen again.
    case retry
    /// The session is lost or unusable: use another session, and repeat if a repetition is safe.
    case reconnect
    /// The server lacks space, memory or slots: wait long, and tell an operator.
    case backOff
    /// A repetition cannot help.
    case permanent

    /// Classifies a SQLSTATE (PostgreSQL 15, appendix A, and "Serialization Failure Handling"). Nil means that the server gave no code.
    init(sqlState: String?) {
        guard let sqlState else {
            self = .reconnect
            return
        }
        switch sqlState {
        case "40001", "40P01": self = .retry  // serialization failure, deadlock
        case "55P03", "57014": self = .retry  // lock timeout, statement timeout
        case "57P01", "57P02", "57P03", "57P05": self = .reconnect  // shutdown, crash, starting up, idle session ended
        case "25006", "25P03": self = .reconnect  // read-only after a failover, idle in transaction ended
        case "26000": self = .reconnect  // a prepared statement of another session behind a pooler
        case "40003": self = .reconnect  // statement completion unknown
        case let state where state.hasPrefix("08"): self = .reconnect  // connection exceptions
        case let state where state.hasPrefix("53") || state.hasPrefix("58"): self = .backOff  // resources, operating system
        default: self = .permanent
        }
    }
}
