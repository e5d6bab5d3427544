/// What holds for all requests of one ``HTTPTransport``.
public struct HTTPConfiguration: Sendable {
    /// Requests under way at once, to all hosts together, and connections kept open. A request beyond that waits, and its time-outs run
    /// meanwhile. Over HTTP/1.1 each takes a connection: 256 is a quarter of the usual limit of 1,024 descriptors a process.
    public var maximumRequests: Int
    /// Requests under way at once to one scheme, host and port. 16 keep one slow receiver from taking all of ``maximumRequests``.
    public var maximumRequestsPerHost: Int
    /// The `user-agent` header, unless a request brings its own.
    public var userAgent: String
    /// A PEM file of certificate authorities to trust in place of the system's; nil trusts the system's.
    public var certificateAuthorityFile: String?

    public init(
        maximumRequests: Int = 256,
        maximumRequestsPerHost: Int = 16,
        userAgent: String = "Tidings",
        certificateAuthorityFile: String? = nil
    ) {
        self.maximumRequests = maximumRequests
        self.maximumRequestsPerHost = maximumRequestsPerHost
        self.userAgent = userAgent
        self.certificateAuthorityFile = certificateAuthorityFile
    }
}
