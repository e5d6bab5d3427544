/// One HTTP request. The URL must be absolute and already percent-encoded ASCII. ``HTTPTransport`` lists the features that it never uses,
/// such as redirects.
public struct HTTPRequest: Sendable {
    /// The HTTP method in upper-case letters only, such as `POST`.
    public var method: String
    public var url: String
    /// Headers, sent in this order. A name must be a token of RFC 9110. A value must hold no control character except tab. If a header
    /// breaks these rules, the request fails with ``HTTPFailure/Kind/invalidHeader`` before a connection is made. A value can therefore
    /// never smuggle in a second header.
    public var headers: [(String, String)]
    /// The body, sent unchanged and with `content-length`.
    public var body: [UInt8]
    /// The time limit from the start until DNS, TCP and TLS are done. The wait for a free connection counts.
    public var connectTimeout: Duration
    /// The time limit from the start until the last byte of the response.
    public var totalTimeout: Duration
    /// The time limit from the complete head of the response until its last byte, within ``totalTimeout``. The status is known by then, so a
    /// body that is later is cut off: the result is a response with the bytes so far. Nil for no limit of its own.
    public var bodyTimeout: Duration?
    /// The largest number of bytes of the response body to keep. The next byte ends the transfer. The result then has the status and the
    /// bytes kept so far.
    public var maximumResponseBytes: Int
    public var guarding: AddressGuard

    /// The default time-outs are 5 s for connecting and 15 s in all, the lower end of the recommendation of Standard Webhooks 1.0.0.
    public init(
        method: String = "POST",
        url: String,
        headers: [(String, String)] = [],
        body: [UInt8] = [],
        connectTimeout: Duration = .seconds(5),
        totalTimeout: Duration = .seconds(15),
        bodyTimeout: Duration? = nil,
        maximumResponseBytes: Int = 64 << 10,
        guarding: AddressGuard = AddressGuard()
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.connectTimeout = connectTimeout
        self.totalTimeout = totalTimeout
        self.bodyTimeout = bodyTimeout
        self.maximumResponseBytes = maximumResponseBytes
        self.guarding = guarding
    }

    /// Returns the problem of a URL, as the end of a sentence. Nil if a request can go there, unless its ``guarding`` refuses the place. For a
    /// check long before the first request.
    public static func problem(inURL text: String) -> String? { HTTPTarget.problem(text) }

    /// Why this request must not reach libcurl, which would send a line break inside a header unchanged. Nil for a valid request.
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

/// Whether the byte may be part of a token (RFC 9110 section 5.6.2).
private func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}
