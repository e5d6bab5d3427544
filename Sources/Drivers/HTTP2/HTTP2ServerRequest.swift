/// What an ``HTTP2Server`` is given.
public struct HTTP2ServerRequest: Sendable {
    /// Counts connections from 1.
    public var connection: Int
    public var method: String
    /// With its query.
    public var path: String
    public var authority: String
    /// Without the pseudo-headers; names in lower case.
    public var headers: [(String, String)]
    public var body: [UInt8]
    /// The body was longer than ``HTTP2ServerConfiguration/maximumBodyBytes``, and is cut there.
    public var bodyIsTooLong: Bool
}

/// What an ``HTTP2Server`` does with a request.
public enum HTTP2ServerAnswer: Sendable {
    case response(status: Int, headers: [(String, String)], body: [UInt8])
    /// Resets the stream with a code of RFC 9113 section 7: 7 says that the request was not processed, 2 that something broke.
    case reset(code: UInt32)
    /// Closes the connection with a GOAWAY that carries these words. `processed` says whether this request's stream is among those that were
    /// looked at; it is not answered either way, later ones are refused, and earlier ones still get their answers.
    case goAway(processed: Bool, words: String)
    /// Closes the connection without a word.
    case hangUp
}

/// When an ``HTTP2Server`` answers a request.
public enum HTTP2ServerReply: Sendable {
    case now(HTTP2ServerAnswer)
    /// In a task of its own, which is cancelled when the server stops.
    case later(@Sendable () async -> HTTP2ServerAnswer)
}

/// How an ``HTTP2Server`` listens.
public struct HTTP2ServerConfiguration: Sendable {
    /// On 127.0.0.1; 0 takes a free one.
    public var port: UInt16
    public var certificate: SelfSignedCertificate
    /// Streams at once on one connection before anything was answered with success, as APNs has it.
    public var firstStreams: UInt32
    /// Streams at once on one connection from then on.
    public var maximumStreams: UInt32
    /// Bytes of one request's body to keep.
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
