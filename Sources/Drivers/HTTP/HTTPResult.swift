/// How a request ended.
public enum HTTPResult: Sendable {
    /// The head of an answer arrived whole. That is an answer even when its body broke off, came too slowly or was too long: see
    /// ``HTTPResponse/bodyTruncated``.
    case response(HTTPResponse)
    case failed(HTTPFailure)
}

/// An answer, of any status; 1xx are skipped and 3xx never followed.
public struct HTTPResponse: Sendable {
    public var status: Int
    /// In the order they came; names in lower case, values trimmed, bytes that are not UTF-8 replaced.
    public var headers: [(String, String)]
    /// At most ``HTTPRequest/maximumResponseBytes``, as sent: nothing is decompressed.
    public var body: [UInt8]
    /// The body is not complete: longer than allowed, or it broke off, or the total time-out passed.
    public var bodyTruncated: Bool

    public init(status: Int, headers: [(String, String)], body: [UInt8], bodyTruncated: Bool) {
        self.status = status
        self.headers = headers
        self.body = body
        self.bodyTruncated = bodyTruncated
    }

    /// The first header of that name, which must be given in lower case.
    public func header(_ name: String) -> String? {
        headers.first { $0.0 == name }?.1
    }
}

/// Why there is no answer.
public struct HTTPFailure: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The host name has no address, or the resolver failed.
        case dns
        /// The guard refused the address that the host stands for.
        case addressRefused
        /// No connection: refused, unreachable, or reset before the request began.
        case connect
        /// The handshake failed: certificate, name or protocol version.
        case tls
        /// A time-out passed before a byte of the request was sent.
        case timeoutBeforeSend
        /// The total time-out passed after sending began and before the head of an answer was complete.
        case timeoutAfterSend
        /// The connection ended after sending began and before the head of an answer was complete.
        case resetAfterSend
        /// What came back is not HTTP, or its head is too long.
        case protocolError
        /// The URL is not one that is sent to at all: see the message.
        case invalidURL
        case invalidHeader
        case schemeRefused
        case portRefused
        /// The task was cancelled or the transport closed.
        case cancelled
    }

    public var kind: Kind
    /// Sending had begun: the receiver may have acted on the request. Sending again may be a duplicate.
    public var requestMayHaveArrived: Bool
    /// For operators: libcurl's words or the rule that refused, printable. May name the host and its address, never header or body.
    public var message: String

    public init(kind: Kind, requestMayHaveArrived: Bool, message: String) {
        self.kind = kind
        self.requestMayHaveArrived = requestMayHaveArrived
        self.message = message
    }

    /// A failure before anything was sent.
    init(_ kind: Kind, _ message: String) {
        self.init(kind: kind, requestMayHaveArrived: false, message: message)
    }

    public var description: String { "\(kind.rawValue): \(message)" }
}
