/// A host's circuit breaker opened or closed.
public struct BreakerChange: Sendable, Equatable {
    public enum Kind: Sendable, Equatable {
        /// This number of calls failed in a row. The first trial call follows after the pause.
        case opened(failures: Int, pause: Duration)
        /// A trial call succeeded, after this number of failures and this time.
        case closed(failures: Int, after: Duration)
    }

    /// Host and port, in the form that may appear in a log: without user, password, path and query. Nil for the provider as a whole. Also
    /// nil for an address that is no URL, because it may be a token.
    public let host: String?
    public let kind: Kind

    public init(host: String?, _ kind: Kind) {
        self.host = host
        self.kind = kind
    }
}
