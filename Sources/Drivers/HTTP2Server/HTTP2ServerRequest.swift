/// A request as an ``HTTP2Server`` received it.
public struct HTTP2ServerRequest: Sendable {
    /// The number of the connection, counted from 1.
    public var connection: Int
    public var method: String
    /// The path with its query.
    public var path: String
    public var authority: String
    /// Headers without the pseudo-headers. Names are in lower case.
    public var headers: [(String, String)]
    public var body: [UInt8]
    /// Whether the body was longer than ``HTTP2ServerConfiguration/maximumBodyBytes``. The rest of such a body is dropped.
    public var bodyIsTooLong: Bool
}

/// The server's answer to a request.
public enum HTTP2ServerAnswer: Sendable {
    case response(status: Int, headers: [(String, String)], body: [UInt8])
    /// Resets the stream with a code of RFC 9113 section 7. Code 7 says that the request was not processed, code 2 that an internal error
    /// happened.
    case reset(code: UInt32)
    /// Closes the connection with a GOAWAY that carries `words`. `processed` says whether the GOAWAY counts this request's stream as
    /// processed. This request gets no response in either case. Later requests are refused, and earlier ones still get their responses.
    case goAway(processed: Bool, words: String)
    /// Closes the connection without a message.
    case hangUp
}

/// The time at which an ``HTTP2Server`` answers a request.
public enum HTTP2ServerReply: Sendable {
    case now(HTTP2ServerAnswer)
    /// The answer comes from a task of its own. The server cancels this task when it stops.
    case later(@Sendable () async -> HTTP2ServerAnswer)
}

/// Settings of an ``HTTP2Server``.
public struct HTTP2ServerConfiguration: Sendable {
    /// The port on 127.0.0.1. 0 takes a free port.
    public var port: UInt16
    public var certificate: SelfSignedCertificate
    /// The largest number of streams at once on one connection before its first response with a 2xx status. APNs has such a limit.
    public var firstStreams: UInt32
    /// The largest number of streams at once on one connection after its first response with a 2xx status.
    public var maximumStreams: UInt32
    /// The largest number of bytes of one request body to keep.
    public var maximumBodyBytes: Int

    public init(
        port: UInt16 = 0, certificate: SelfSignedCertificate, firstStreams: UInt32 = 1, maximumStreams: UInt32 = 1_000,
        maximumBodyBytes: Int = 1 << 20
    ) {
        self.port = port
        self.certificate = certificate
        self.firstStreams = firstStreams
        self.maximumStreams = maximumStreams
        self.maximumBodyBytes = maximumBodyBytes
    }
}
