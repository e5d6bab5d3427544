/// One request. The URL must be absolute and already percent-encoded ASCII; see ``HTTPTransport`` for what is never done with it.
public struct HTTPRequest: Sendable {
    /// Upper-case letters only: `POST`.
    public var method: String
    public var url: String
    /// Sent in this order. A name must be an RFC 9110 token, a value free of control characters except tab; anything else fails with
    /// ``HTTPFailure/Kind/invalidHeader`` before a connection is made, so no value can smuggle in another header.
    public var headers: [(String, String)]
    /// Sent exactly as given, with `content-length`.
    public var body: [UInt8]
    /// From the start, including the wait for a free connection, until DNS, TCP and TLS are done.
    public var connectTimeout: Duration
    /// From the start until the last byte of the answer.
    public var totalTimeout: Duration
    /// Bytes of the answer's body to keep; at the next one the transfer ends, with the status and what was kept.
    public var maximumResponseBytes: Int
    public var guarding: AddressGuard

    /// The time-outs default to 5 s for connecting and 15 s in all, the lower end of what Standard Webhooks 1.0.0 recommends.
    public init(
        method: String = "POST",
        url: String,
        headers: [(String, String)] = [],
        body: [UInt8] = [],
        connectTimeout: Duration = .seconds(5),
        totalTimeout: Duration = .seconds(15),
        maximumResponseBytes: Int = 64 << 10,
        guarding: AddressGuard = AddressGuard()
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.connectTimeout = connectTimeout
        self.totalTimeout = totalTimeout
        self.maximumResponseBytes = maximumResponseBytes
        self.guarding = guarding
    }

    /// Why this request must not be handed to libcurl, which would write a line break in a header as it stands.
    var refusal: HTTPFailure? {
        guard !method.isEmpty, method.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
            return HTTPFailure(.invalidHeader, "the method must be upper-case letters")
        }
        for (name, value) in headers {
            guard !name.isEmpty, name.utf8.allSatisfy(isTokenByte) else {
                return HTTPFailure(.invalidHeader, "a header name is not a token of RFC 9110")
            }
            guard value.utf8.allSatisfy({ ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }) else {
                return HTTPFailure(.invalidHeader, "the value of header \(name) holds a control character")
            }
        }
        return nil
    }
}

/// RFC 9110 section 5.6.2.
private func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}
