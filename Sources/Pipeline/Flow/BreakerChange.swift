/// The circuit breaker of a host or of an endpoint opened or closed.
public struct BreakerChange: Sendable, Equatable {
    public enum Kind: Sendable, Equatable {
        /// This number of calls failed without a good answer. The first trial call follows after the pause.
        case opened(failures: Int, pause: Duration)
        /// A trial call succeeded, after this number of failures and this time.
        case closed(failures: Int, after: Duration)
    }

    /// Host and port, in the form that may appear in a log: without user, password, path and query. Nil for the provider as a whole. Also
    /// nil for an address that is no URL, because it may be a token.
    public let host: String?
    /// Whether it is the breaker of one endpoint of the host. Other endpoints are called as before.
    public let isOfEndpoint: Bool
    public let kind: Kind

    public init(host: String?, isOfEndpoint: Bool = false, _ kind: Kind) {
        self.host = host
        self.isOfEndpoint = isOfEndpoint
        self.kind = kind
    }
}
