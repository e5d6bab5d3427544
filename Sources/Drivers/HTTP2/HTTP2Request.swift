/// Settings for all requests of one ``HTTP2Transport``.
public struct HTTP2Configuration: Sendable {
    /// `https://host` or `https://host:port`, with nothing after it. Every request goes to this origin.
    public var origin: String
    /// The largest number of connections at once. The transport opens another one only when all streams of the existing ones are taken.
    public var maximumConnections: Int
    /// The largest number of requests in progress at once on one connection. The server's limit also applies; servers often allow 100 to
    /// 1,000.
    public var maximumStreamsPerConnection: Int
    /// The time limit for opening one connection: DNS, TCP, TLS and the server's settings. The addresses of the host share this time. A
    /// connection whose server allows no streams for this time is abandoned too.
    public var connectTimeout: Duration
    /// The `user-agent` header of each request that does not set its own.
    public var userAgent: String
    /// A PEM file with the certificate authorities to trust in place of the system's. Nil means the system's.
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
    /// The HTTP method in upper-case letters only, such as `POST`.
    public var method: String
    /// The path in percent-encoded ASCII. The first character is a slash.
    public var path: String
    /// Headers, sent in this order after the pseudo-headers. Names are in lower case, as HTTP/2 requires. If a name or value breaks RFC
    /// 9113 section 8.2, the request fails with ``HTTPFailure/Kind/invalidHeader`` before anything is sent.
    public var headers: [(String, String)]
    /// Names of ``headers`` whose values are secret or different in every request. These headers stay out of the compression table.
    public var unindexed: Set<String>
    /// The body, sent unchanged and with `content-length`.
    public var body: [UInt8]
    /// The time limit from the start until the last byte of the response. The wait for a stream counts.
    public var totalTimeout: Duration
    /// The largest number of bytes of the response body to keep. The next byte resets the stream. The result then has the status and the
    /// bytes kept so far.
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
