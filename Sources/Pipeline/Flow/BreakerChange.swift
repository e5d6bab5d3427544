/// A host's circuit breaker opened or closed.
public struct BreakerChange: Sendable, Equatable {
    public enum Kind: Sendable, Equatable {
        /// So many calls failed in a row; the first trial call comes after the pause.
        case opened(failures: Int, pause: Duration)
        /// A trial call succeeded, after so many failures and so long.
        case closed(failures: Int, after: Duration)
    }

    /// Host and port, as they may stand in a log: without user, password, path and query. Nil for the provider as a whole, and for an
    /// address that is no URL, which may be a token.
    public let host: String?
    public let kind: Kind

    public init(host: String?, _ kind: Kind) {
        self.host = host
        self.kind = kind
    }
}
