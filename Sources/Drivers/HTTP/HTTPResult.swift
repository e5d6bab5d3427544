/// The outcome of a request.
public enum HTTPResult: Sendable {
    /// The head of a response arrived completely. This is the outcome even if the body broke off, was too slow or was too long. See
    /// ``HTTPResponse/bodyTruncated``.
    case response(HTTPResponse)
    case failed(HTTPFailure)
}

/// A response with any status. The transport skips 1xx responses and never follows a 3xx response.
public struct HTTPResponse: Sendable {
    public var status: Int
    /// Headers in the order of arrival. Names are in lower case and values are trimmed. Bytes that are not UTF-8 are replaced.
    public var headers: [(String, String)]
    /// At most ``HTTPRequest/maximumResponseBytes`` bytes of the body, as received: nothing is decompressed.
    public var body: [UInt8]
    /// Whether the body is incomplete: it was longer than allowed, it broke off, or the total time-out passed.
    public var bodyTruncated: Bool

    public init(status: Int, headers: [(String, String)], body: [UInt8], bodyTruncated: Bool) {
        self.status = status
        self.headers = headers
        self.body = body
        self.bodyTruncated = bodyTruncated
    }

    /// The first header with this name. Pass the name in lower case.
    public func header(_ name: String) -> String? {
        headers.first { $0.0 == name }?.1
    }
}

/// The reason for a missing response.
public struct HTTPFailure: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The host name has no address, or the resolver failed.
        case dns
        /// The guard refused the address of the host.
        case addressRefused
        /// No connection: it was refused, unreachable, or reset before the request began.
        case connect
        /// The TLS handshake failed: certificate, name or protocol version.
        case tls
        /// A time-out passed before a byte of the request was sent.
        case timeoutBeforeSend
        /// A time-out passed while the request waited for other requests of this process to end. It tells nothing about the host.
        case noRoom
        /// The total time-out passed after sending began and before the head of a response was complete.
        case timeoutAfterSend
        /// The connection ended after sending began and before the head of a response was complete.
        case resetAfterSend
        /// The received bytes are not HTTP, or the response head is too long.
        case protocolError
        /// The URL is malformed or not acceptable. The message says why.
        case invalidURL
        case invalidHeader
        case schemeRefused
        case portRefused
        /// The task was cancelled or the transport closed.
        case cancelled
    }

    public var kind: Kind
    /// Whether sending had begun. If true, the receiver may have acted on the request, and a second send may be a duplicate.
    public var requestMayHaveArrived: Bool
    /// Printable text for operators: libcurl's message, or the rule that refused. The text may name the host and its address, but never a
    /// header value or the body.
    public var message: String

    public init(kind: Kind, requestMayHaveArrived: Bool, message: String) {
        self.kind = kind
        self.requestMayHaveArrived = requestMayHaveArrived
        self.message = message
    }

    /// Creates a failure from before anything was sent.
    init(_ kind: Kind, _ message: String) {
        self.init(kind: kind, requestMayHaveArrived: false, message: message)
    }

    public var description: String { "\(kind.rawValue): \(message)" }
}
