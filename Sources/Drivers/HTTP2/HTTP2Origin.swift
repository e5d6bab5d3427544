import TidingsHTTP

/// The destination of an ``HTTP2Transport``.
struct HTTP2Origin: Sendable, Hashable {
    /// A host name, or an address without brackets.
    var host: String
    var port: UInt16
    /// The authority of a request: `api.push.apple.com`, `[::1]:8443`.
    var authority: String

    /// Reads `https://host` or `https://host:port`.
    init(_ text: String) throws(HTTPFailure) {
        let scheme = "https://"
        guard text.hasPrefix(scheme) else { throw Self.invalid("does not begin with https://, which HTTP/2 needs") }
        authority = String(text.dropFirst(scheme.count))
        let isPlain = authority.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"/?#@\\".utf8.contains($0) }
        guard !authority.isEmpty, isPlain else { throw Self.invalid("is not https://host or https://host:port") }
        var rest = Substring(authority)
        if rest.first == "[", let end = rest.firstIndex(of: "]") {
            host = String(rest[rest.index(after: rest.startIndex)..<end])
            rest = rest[rest.index(after: end)...]
        } else {
            host = String(rest.prefix { $0 != ":" })
            rest = rest.dropFirst(host.count)
        }
        guard !host.isEmpty else { throw Self.invalid("has no host") }
        guard !rest.isEmpty else {
            port = 443
            return
        }
        guard rest.first == ":", let number = UInt16(rest.dropFirst()), number > 0 else {
            throw Self.invalid("has a port that is not a number from 1 to 65535")
        }
        port = number
    }

    private static func invalid(_ problem: String) -> HTTPFailure {
        HTTPFailure(kind: .invalidURL, requestMayHaveArrived: false, message: "the origin \(problem)")
    }
}
