public import HTTPTypes

/// The settings of an ``HTTPServer``.
public struct HTTPServerConfiguration: Sendable {
    /// A numeric address.
    public var host: String
    /// 0 takes a free port.
    public var port: Int
    public var limits: HTTPServerLimits
    /// The longest time for requests in work when the server stops.
    public var grace: Duration
    /// The group for which the connections of a numeric address count, such as the address itself. Nil: the address has no bound of its own.
    public var connectionGroup: @Sendable (_ address: String) -> String?
    /// Whether a group may open another connection now. Called once for each connection that is within the other bounds. A connection that
    /// is not admitted is answered with 429. It must not wait for anything.
    public var admitsConnection: @Sendable (_ group: String) -> Bool
    /// Makes the TLS session of a new connection. Nil: the server speaks HTTP in clear text. A connection without a session, for lack of
    /// memory, is closed.
    public var session: (@Sendable () -> (any TLSSession)?)?
    /// Makes the answer that the server itself gives: 400, 408 or 431 to a request, 429 or 503 to a connection.
    public var refusal: @Sendable (HTTPResponse.Status) -> (headers: HTTPFields, body: [UInt8])

    public init(
        host: String, port: Int, limits: HTTPServerLimits = HTTPServerLimits(), grace: Duration = .seconds(5),
        connectionGroup: @escaping @Sendable (_ address: String) -> String? = { $0 },
        admitsConnection: @escaping @Sendable (_ group: String) -> Bool = { _ in true },
        session: (@Sendable () -> (any TLSSession)?)? = nil,
        refusal: @escaping @Sendable (HTTPResponse.Status) -> (headers: HTTPFields, body: [UInt8]) = { status in
            ([.contentType: "text/plain"], Array("\(status.code) \(status.reasonPhrase.lowercased())\n".utf8))
        }
    ) {
        self.host = host
        self.port = port
        self.limits = limits
        self.grace = grace
        self.connectionGroup = connectionGroup
        self.admitsConnection = admitsConnection
        self.session = session
        self.refusal = refusal
    }
}

/// The most that a client may cost.
public struct HTTPServerLimits: Sendable, Hashable {
    /// Connections open at once. More are answered with 503, or wait in the backlog if there are no ``spareConnections``.
    public var connections = 1_024
    /// Connections of one group, see ``HTTPServerConfiguration/connectionGroup``. More are answered with 429.
    public var connectionsPerGroup = Int.max
    /// Connections that are accepted beyond ``connections`` only to be answered with 503. Each is closed within a quarter of a second.
    public var spareConnections = 0
    /// Connections that wait to be accepted.
    public var backlog = 1_024
    /// Names and values of all headers of one request. More gets 431.
    public var headerBytes = 32 * 1024
    /// Name and value of one header. A token of 8 KiB fits. More gets 431.
    public var headerFieldBytes = 16 * 1024
    /// Headers of one request. More gets 431.
    public var headerFields = 100
    /// The largest body that any handler reads. A client that asks first (`Expect: 100-continue`) is told no above it.
    public var bodyBytes = 4 * 1024 * 1024
    /// Bytes that are read from a connection at once. Up to four times as many of a body are in memory before the body is asked for.
    public var partBytes = 16 * 1024
    /// From the first byte of a request to its last. A slower request gets 408. Also the longest time of a TLS handshake.
    public var request = Duration.seconds(15)
    /// A connection without a request stays open for this time.
    public var idle = Duration.seconds(75)
    /// The largest answer that is written at once. A larger one is written in such parts, as its client takes them. The kernel keeps one or
    /// two more parts that it has not sent.
    public var answerPartBytes = 64 * 1024
    /// The time in which a client takes two and a half parts of its answer. If they take longer, the connection may be closed. One part has
    /// to leave the server, and the kernel takes it when its own two parts have shrunk to a half.
    public var writeStall = Duration.seconds(30)
    /// Bytes of an unread body that are read and dropped after an early answer. Without this, the client might not see the answer.
    public var drainedBytes = 1024 * 1024

    public init() {}

    /// Connections that the server accepts at once.
    var acceptedConnections: Int {
        let (sum, isOverflow) = connections.addingReportingOverflow(spareConnections)
        return isOverflow ? .max : sum
    }
}
