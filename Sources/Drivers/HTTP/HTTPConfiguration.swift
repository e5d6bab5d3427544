/// Settings for all requests of one ``HTTPTransport``.
public struct HTTPConfiguration: Sendable {
    /// The number of requests in progress at once to all hosts together, and of connections kept open. A further request waits while its
    /// time-outs run. Over HTTP/1.1, each request takes a connection: 256 is a quarter of the usual limit of 1,024 descriptors per process.
    public var maximumRequests: Int
    /// The number of requests in progress at once to one scheme, host and port. With 16, one slow receiver cannot take all of
    /// ``maximumRequests``.
    public var maximumRequestsPerHost: Int
    /// The `user-agent` header of each request that does not set its own.
    public var userAgent: String
    /// A PEM file with the certificate authorities to trust in place of the system's. Nil means the system's.
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
