public import HTTPTypes
import HummingbirdCore
import NIOCore

/// The answer to a request.
public struct ServerResponse: Sendable {
    /// The body of an answer.
    public enum Body: Sendable {
        case bytes([UInt8])
        /// A body of unknown length. The closure writes it and returns at its end. The connection is closed afterwards.
        ///
        /// The closure is not called if the client has gone or asks for the head alone. It is released in any case, and so is everything
        /// that it holds: a thing that must end with the stream ends in its `deinit`.
        case stream(@Sendable @concurrent (inout ResponseStream) async throws -> Void)
        /// No answer at all: the connection is closed.
        case none
    }

    public var status: HTTPResponse.Status
    public var headers: HTTPFields
    public var body: Body
    /// Whether the connection is closed after the answer.
    public var closesConnection: Bool
    /// Kept until the client has taken the body or has gone, such as a share of the memory.
    public var retained: (any Sendable)?

    public init(_ status: HTTPResponse.Status, headers: HTTPFields = [:], body: Body = .bytes([]), closesConnection: Bool = false) {
        self.status = status
        self.headers = headers
        self.body = body
        self.closesConnection = closesConnection
    }

    /// The connection is closed without an answer.
    public static let hangUp = ServerResponse(.ok, body: .none)
}

/// Writes the body of a streamed answer.
public struct ResponseStream {
    fileprivate var writer: any ResponseBodyWriter
    fileprivate let partBytes: Int
    /// The connection below, for another task to wait for.
    public let connection: OpenConnection

    /// Sends bytes, in parts of ``HTTPServerLimits/answerPartBytes``. Each part waits until the client has taken the parts before it. So the
    /// connection holds no copy of many bytes, and a slow client that takes parts keeps its connection.
    ///
    /// Throws if the connection is gone.
    @concurrent public mutating func write(_ bytes: [UInt8]) async throws {
        guard bytes.count > partBytes else { return try await writer.write(ByteBuffer(bytes: bytes)) }
        for start in stride(from: 0, to: bytes.count, by: partBytes) {
            try await writer.write(ByteBuffer(bytes: bytes[start..<min(start + partBytes, bytes.count)]))
            // The writer waits only after the event loop has told it that the connection is full. It would be many parts further by then.
            try await connection.takeTurn()
        }
    }
}

/// A connection whose answer is being streamed.
public struct OpenConnection: Sendable {
    fileprivate let channel: any Channel

    /// Returns when the event loop has done what it was given before.
    fileprivate func takeTurn() async throws { try await channel.eventLoop.submit {}.get() }

    /// Calls `body` once, on any thread, when the connection is gone. It must not block.
    public func whenClosed(_ body: @escaping @Sendable () -> Void) { channel.closeFuture.whenComplete { _ in body() } }
}

/// Sends a response over a connection, and closes the connection if the next request could not be told from the rest of this one.
struct Answer {
    private let response: ServerResponse
    private let request: Request
    private let body: ServerRequestBody
    private let channel: any Channel
    private let limits: HTTPServerLimits

    init(_ response: ServerResponse, to request: Request, body: ServerRequestBody, channel: any Channel, limits: HTTPServerLimits) {
        self.response = response
        self.request = request
        self.body = body
        self.channel = channel
        self.limits = limits
    }

    /// Throws if the connection must be closed.
    @concurrent func write(to writer: consuming ResponseWriter) async throws {
        defer { withExtendedLifetime(response.retained) {} }
        var head = HTTPResponse(status: response.status, headerFields: response.headers)
        switch response.body {
        case .none: throw ConnectionEnds()
        case .bytes(let bytes):
            let closes = response.closesConnection || isLastRequest || !body.isFinished
            if closes { head.headerFields[.connection] = "close" }
            if hasBody(response.status) { head.headerFields[.contentLength] = String(bytes.count) }
            if request.method == .head || bytes.isEmpty {
                try await writer.write(response: head, body: .init())
            } else if bytes.count <= limits.answerPartBytes {
                try await writer.write(response: head, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
            } else {
                var stream = stream(over: try await writer.writeHead(head))
                try await stream.write(bytes)
                try await stream.writer.finish(nil)
            }
            if closes { try await close() }
        case .stream(let write):
            head.headerFields[.connection] = "close"
            guard request.method != .head else {
                try await writer.write(response: head, body: .init())
                try await close()
            }
            // A client that closes its side of a streamed answer is gone. The guard then closes the connection.
            channel.triggerUserOutboundEvent(StreamBegins(), promise: nil)
            var stream = stream(over: try await writer.writeHead(head))
            try await write(&stream)
            try await stream.writer.finish(nil)
            try await close()
        }
    }

    private func stream(over writer: any ResponseBodyWriter) -> ResponseStream {
        ResponseStream(writer: writer, partBytes: limits.answerPartBytes, connection: OpenConnection(channel: channel))
    }

    /// Whether the client, or a protocol change that is not carried out, ends the connection.
    private var isLastRequest: Bool {
        request.headers[.connection]?.lowercased().split(separator: ",").contains { token in
            ["close", "upgrade"].contains { token.trimming == $0 }
        } ?? false || request.headers[.upgrade] != nil || request.method == .connect
    }

    private func hasBody(_ status: HTTPResponse.Status) -> Bool {
        status != .noContent && status != .notModified && status.kind != .informational
    }

    /// Closes in two steps. A connection that is closed with unread bytes is reset, and the client might not see the answer.
    private func close() async throws -> Never {
        try? await channel.close(mode: .output).get()
        if !body.isFinished {
            // The limit of the request's time ends this wait too.
            await body.drain(upTo: limits.drainedBytes)
        }
        throw ConnectionEnds()
    }
}

/// Ends a connection after its last answer.
private struct ConnectionEnds: Error {}

extension Substring {
    fileprivate var trimming: Substring {
        var rest = self
        while rest.first == " " || rest.first == "\t" { rest.removeFirst() }
        while rest.last == " " || rest.last == "\t" { rest.removeLast() }
        return rest
    }
}
