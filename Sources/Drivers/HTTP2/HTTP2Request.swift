/// What holds for all requests of one ``HTTP2Transport``.
public struct HTTP2Configuration: Sendable {
    /// `https://host` or `https://host:port`, and nothing after it. Every request goes there.
    public var origin: String
    /// Connections at once. A further one is opened only when the streams of those before it are all taken.
    public var maximumConnections: Int
    /// Requests under way at once on one connection, where its server allows as many; servers often allow 100 to 1,000.
    public var maximumStreamsPerConnection: Int
    /// DNS, TCP, TLS and the server's first words of one connection; the addresses of the host share it. A server that allows no streams for
    /// as long is not waited for either.
    public var connectTimeout: Duration
    /// The `user-agent` header, unless a request brings its own.
    public var userAgent: String
    /// A PEM file of certificate authorities to trust in place of the system's; nil trusts the system's.
    public var certificateAuthorityFile: String?

    public init(
        origin: String, maximumConnections: Int = 4, maximumStreamsPerConnection: Int = 500, connectTimeout: Duration = .seconds(5),
        userAgent: String = "Tidings", certificateAuthorityFile: String? = nil
    ) {
        self.origin = origin
        self.maximumConnections = maximumConnections
        self.maximumStreamsPerConnection = maximumStreamsPerConnection
        self.connectTimeout = connectTimeout
        self.userAgent = userAgent
        self.certificateAuthorityFile = certificateAuthorityFile
    }
}

/// One request to the origin of an ``HTTP2Transport``.
public struct HTTP2Request: Sendable {
    /// Upper-case letters only: `POST`.
    public var method: String
    /// Begins with a slash; percent-encoded ASCII.
    public var path: String
    /// Sent in this order, after the pseudo-headers. Names in lower case, as HTTP/2 has them. A name or value that RFC 9113 section 8.2 does not
    /// allow fails with ``HTTPFailure/Kind/invalidHeader`` before anything is sent.
    public var headers: [(String, String)]
    /// Names of ``headers`` whose values are secret or new in every request: they stay out of the compression table.
    public var unindexed: Set<String>
    /// Sent exactly as given, with `content-length`.
    public var body: [UInt8]
    /// From the start, including the wait for a stream, until the last byte of the answer.
    public var totalTimeout: Duration
    /// Bytes of the answer's body to keep; at the next one the stream is reset, with the status and what was kept as the answer.
    public var maximumResponseBytes: Int

    public init(
        method: String = "POST", path: String, headers: [(String, String)] = [], unindexed: Set<String> = [], body: [UInt8] = [],
        totalTimeout: Duration = .seconds(15), maximumResponseBytes: Int = 64 << 10
    ) {
        self.method = method
        self.path = path
        self.headers = headers
        self.unindexed = unindexed
        self.body = body
        self.totalTimeout = totalTimeout
        self.maximumResponseBytes = maximumResponseBytes
    }
}
