/// A URL that one strict parser takes apart once. libcurl gets a URL joined from the same parts, so the checked parts are the parts that
/// are used.
///
/// The parser accepts a plain subset of RFC 3986: `http` or `https`, a host, an optional port, a path and a query, in printable ASCII. It
/// refuses user information and drops a fragment. A host is a canonical address, or a DNS name whose last label cannot be read as a number.
/// A decimal, octal or hexadecimal spelling of an IPv4 address therefore never reaches a resolver.
public struct HTTPTarget: Sendable, Hashable {
    /// The longest URL in bytes. RFC 9110 asks for at least 8,000. A longer URL is refused before it costs a connection.
    static let maximumURLBytes = 8_192

    var scheme: String
    /// The host in lower case; an IPv6 address has no brackets.
    var host: String
    var isIPv6: Bool
    var port: UInt16
    /// The path and the query. The first character is a slash.
    var pathAndQuery: String

    /// The URL that libcurl gets.
    var url: String { "\(scheme)://\(authorityHost):\(port)\(pathAndQuery)" }

    private var authorityHost: String { isIPv6 ? "[\(host)]" : host }

    /// Scheme, host and port: the unit of the limit for each host.
    var origin: String { "\(scheme)://\(host):\(port)" }

    /// Returns the problem of a URL, as the end of a sentence. Nil if the text is a URL of http or https that can be sent to.
    static func problem(_ text: String) -> String? {
        do throws(HTTPFailure) {
            _ = try HTTPTarget(text)
            return nil
        } catch {
            return error.kind == .schemeRefused ? "is no http or https URL" : String(error.message.trimmingPrefix("the URL "))
        }
    }

    static func parse(_ text: String, guarding: AddressGuard) -> Result<HTTPTarget, HTTPFailure> {
        guard text.utf8.count <= maximumURLBytes else { return invalid("longer than \(maximumURLBytes) bytes") }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return invalid("holds a space, a control character or a character outside ASCII")
        }
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return invalid("has no scheme") }
        let scheme = text[..<colon].lowercased()
        guard guarding.allowedSchemes.contains(scheme), scheme == "https" || scheme == "http" else {
            return .failure(HTTPFailure(.schemeRefused, "the scheme \(scheme) is not allowed"))
        }
        let rest = text[text.index(colon, offsetBy: 3)...]
        let authority = rest.prefix { !"/?#\\".contains($0) }
        guard !authority.contains("@") else { return invalid("carries user information") }
        let tail = rest[authority.endIndex...]
        guard tail.first != "\\" else { return invalid("holds a backslash after the host") }
        return parseAuthority(authority).flatMap { host, isIPv6, givenPort in
            let port = givenPort ?? defaultPort(of: scheme)
            if let allowed = guarding.allowedPorts, !allowed.contains(port) {
                return .failure(HTTPFailure(.portRefused, "the port \(port) is not allowed"))
            }
            let withoutFragment = tail.prefix { $0 != "#" }
            let path = (withoutFragment.first == "/" ? "" : "/") + withoutFragment
            return .success(HTTPTarget(scheme: scheme, host: host, isIPv6: isIPv6, port: port, pathAndQuery: path))
        }
    }

    private static func defaultPort(of scheme: String) -> UInt16 { scheme == "https" ? 443 : 80 }

    private static func parseAuthority(_ text: Substring) -> Result<(host: String, isIPv6: Bool, port: UInt16?), HTTPFailure> {
        var host = text
        var portText: Substring?
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return invalid("has an unclosed bracket") }
            host = text[text.index(after: text.startIndex)..<end]
            let after = text[text.index(after: end)...]
            guard after.isEmpty || after.first == ":" else { return invalid("has text after the address") }
            portText = after.isEmpty ? nil : after.dropFirst()
        } else if let colon = text.firstIndex(of: ":") {
            host = text[..<colon]
            portText = text[text.index(after: colon)...]
        }
        var port: UInt16?
        if let portText {
            guard portText.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(portText), number > 0 else {
                return invalid("has a port that is not a number from 1 to 65535")
            }
            port = number
        }
        let name = host.lowercased()
        if text.first == "[" {
            guard case .v6 = IPAddress(name) else { return invalid("has brackets around what is not an IPv6 address") }
            return .success((name, true, port))
        }
        if case .v4 = IPAddress(name) { return .success((name, false, port)) }
        if let problem = problem(inDNSName: name) { return invalid(problem) }
        return .success((name, false, port))
    }

    /// Checks the sizes of RFC 1035, and the characters of RFC 952 plus the underscore. Returns nil when the name may be looked up.
    private static func problem(inDNSName name: String) -> String? {
        guard !name.isEmpty else { return "has no host" }
        guard name.utf8.count <= 253 else { return "has a host longer than 253 bytes" }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        for label in labels {
            guard (1...63).contains(label.utf8.count) else { return "has a host with an empty label or one over 63 bytes" }
            let isPlain = label.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x5F }
            guard isPlain else { return "has a host that is neither a canonical address nor a DNS name in ASCII" }
        }
        guard let last = labels.last, !last.hasPrefix("0x"), !last.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return "spells an IPv4 address in a form other than four decimal numbers"
        }
        return nil
    }

    private static func invalid<Value>(_ problem: String) -> Result<Value, HTTPFailure> {
        .failure(HTTPFailure(.invalidURL, "the URL \(problem)"))
    }
}

extension HTTPTarget {
    /// Reads an absolute URL that a request could be sent to, whatever its port. Throws the failure that such a request would end with. A
    /// host below `.invalid` is refused as well: no name there ever exists (RFC 6761 section 6.4), and Chrome gives a revoked subscription
    /// such a host.
    public init(_ text: String) throws(HTTPFailure) {
        self = try Self.parse(text, guarding: AddressGuard(allowedSchemes: ["http", "https"], allowedPorts: nil)).get()
        guard !isBelow("invalid") else { throw HTTPFailure(.invalidURL, "the URL has a host below .invalid, which never exists") }
    }

    /// Whether the host is this top-level domain, or a name below it.
    fileprivate func isBelow(_ domain: String) -> Bool { host == domain || host.hasSuffix("." + domain) }

    /// The URL in its normal form (RFC 3986 section 6.2): scheme and host in lower case, no default port, no fragment, and a path. Two
    /// URLs with the same normal form name the same resource. The path and the query keep their bytes.
    public var normalURL: String { normalOrigin + pathAndQuery }

    /// Scheme, host and port as RFC 6454 section 6.2 writes them: `https://push.example.net`, without the default port.
    public var normalOrigin: String {
        let isDefault = port == Self.defaultPort(of: scheme)
        return "\(scheme)://\(authorityHost)\(isDefault ? "" : ":\(port)")"
    }
}

extension AddressGuard {
    /// Returns the failure that every request to the URL would end with. Nil if a request may begin.
    ///
    /// For a check long before the first request. Scheme, port and an address are judged. A name is judged when it is resolved, except
    /// `localhost`, which is always loopback (RFC 6761 section 6.3).
    public func refusal(ofURL text: String) -> HTTPFailure? {
        switch HTTPTarget.parse(text, guarding: self) {
        case .failure(let failure): return failure
        case .success(let target):
            let addresses = (target.isBelow("localhost") ? ["127.0.0.1", "::1"] : [target.host]).compactMap { IPAddress($0) }
            let refusals = addresses.compactMap { refusal(of: $0) }
            guard let first = refusals.first, refusals.count == addresses.count else { return nil }
            return HTTPFailure(.addressRefused, first)
        }
    }
}
