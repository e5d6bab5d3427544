public import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1
import Synchronization

/// A request whose head has arrived. The body is read on demand.
public struct ServerRequest: Sendable {
    public let head: HTTPRequest
    public let body: ServerRequestBody
    /// The numeric address of the connection's other end. Behind a proxy, this is the proxy.
    public let remoteAddress: String?

    public var method: HTTPRequest.Method { head.method }

    /// The request target up to the query, still percent-encoded.
    public var path: Substring {
        let target = head.path ?? ""
        return target[..<(Self.questionMark(in: target) ?? target.endIndex)]
    }

    /// The request target after the question mark, still percent-encoded. Nil if there is no question mark.
    public var query: Substring? {
        let target = head.path ?? ""
        return Self.questionMark(in: target).map { target[target.utf8.index(after: $0)...] }
    }

    /// The first question mark, as a byte: a combining mark after it does not join it.
    private static func questionMark(in target: String) -> String.Index? { target.utf8.firstIndex(of: UInt8(ascii: "?")) }

    /// The value of a header. If the header repeats, the values joined by a comma.
    public func header(_ name: HTTPField.Name) -> String? { head.headerFields[name] }
}

/// The body of a request. It can be read once. Until it is read, most of it stays with the client.
public final class ServerRequestBody: Sendable {
    /// The reason why a body cannot be read.
    public enum Failure: Error, Sendable, Hashable {
        /// The body is longer than the limit.
        case tooLarge
        /// The body did not arrive in time.
        case tooSlow
        /// The bytes are not HTTP, or the connection was lost.
        case broken
    }

    // Safe: only the task that answers the request reads the body, the handler first and the server after it.
    private nonisolated(unsafe) var chunks: RequestBody.AsyncIterator
    /// The length that the client announced. Nil without an announcement.
    public let declaredBytes: Int?
    private let isChunked: Bool
    private let channel: any Channel
    private let isAskedFor = Mutex(false)
    private let isWholeRead = Mutex(false)

    init(_ request: Request, on channel: any Channel) {
        self.channel = channel
        chunks = request.body.makeAsyncIterator()
        declaredBytes = request.headers[.contentLength].flatMap { Int($0) }
        isChunked = request.headers[.transferEncoding] != nil
    }

    /// Whether nothing of the body is left to read.
    var isFinished: Bool { !isAnnounced || isWholeRead.withLock { $0 } }

    /// Whether the client sends a body at all.
    public var isAnnounced: Bool { isChunked || declaredBytes ?? 0 > 0 }

    /// Reads the whole body.
    ///
    /// - Parameter limit: the largest length in bytes. An announced length above it fails without reading.
    public func bytes(upTo limit: Int) async throws(Failure) -> [UInt8] {
        if let declaredBytes, declaredBytes > limit { throw .tooLarge }
        let (bytes, isCut) = try await beginning(upTo: limit)
        guard !isCut else { throw .tooLarge }
        return bytes
    }

    /// Reads the whole body, and asks for each byte of memory before it is used.
    ///
    /// Throws a ``Failure``, or the error of `take`.
    ///
    /// - Parameters:
    ///   - limit: the largest length in bytes. An announced length above it fails without reading.
    ///   - take: gets the announced length before the first byte is read. Without an announcement, it gets the length of each part before the
    ///     part is kept. If it throws, nothing more is read.
    @concurrent public func bytes(upTo limit: Int, taking take: @Sendable (Int) throws -> Void) async throws -> [UInt8] {
        if let declaredBytes {
            guard declaredBytes <= limit else { throw Failure.tooLarge }
            try take(declaredBytes)
            return try await self.bytes(upTo: limit)
        }
        var bytes: [UInt8] = []
        while let chunk = try await next() {
            guard chunk.readableBytes <= limit - bytes.count else { throw Failure.tooLarge }
            try take(chunk.readableBytes)
            bytes.append(contentsOf: chunk.readableBytesView)
        }
        isWholeRead.withLock { $0 = true }
        return bytes
    }

    /// Reads at most `limit` bytes of the body. If there are more, they stay unread.
    @concurrent public func beginning(upTo limit: Int) async throws(Failure) -> (bytes: [UInt8], isCut: Bool) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(declaredBytes ?? 0, limit))
        while let chunk = try await next() {
            let room = limit - bytes.count
            bytes.append(contentsOf: chunk.readableBytesView.prefix(room))
            if chunk.readableBytes > room { return (bytes, true) }
        }
        isWholeRead.withLock { $0 = true }
        return (bytes, false)
    }

    /// Lets the client send the body.
    private func ask() {
        guard isAnnounced else { return }
        let wasAskedFor = isAskedFor.withLock { isAskedFor -> Bool in
            defer { isAskedFor = true }
            return isAskedFor
        }
        if !wasAskedFor { channel.triggerUserOutboundEvent(BodyIsWanted(), promise: nil) }
    }

    /// The next part of the body. Nil at its end.
    @concurrent private func next() async throws(Failure) -> ByteBuffer? {
        ask()
        do {
            return try await chunks.next()
        } catch is RequestTooSlow {
            throw .tooSlow
        } catch {
            throw .broken
        }
    }

    /// Reads and drops at most `limit` bytes, so that a client that is still sending sees the answer.
    @concurrent func drain(upTo limit: Int) async {
        var dropped = 0
        ask()
        do {
            while let chunk = try await chunks.next() {
                dropped += chunk.readableBytes
                if dropped > limit { return }
            }
        } catch {
            // The connection is closed next in any case.
        }
    }
}

extension HTTPField.Name {
    /// A header that HTTPTypes does not name. The text must be a token of RFC 9110.
    public init(known text: StaticString) {
        guard let name = HTTPField.Name("\(text)") else { preconditionFailure("\(text) is no name of a header") }
        self = name
    }
}
