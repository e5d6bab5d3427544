/// The parser of an AMQP URL. Errors name the wrong part and never quote the URL, which holds the password.
struct URLParser {
    private var rest: Substring

    init(_ url: String) { rest = Substring(url) }

    mutating func parse() throws(AMQPError) -> AMQPConfiguration {
        let isSecure = try takeScheme()
        let query = cut(after: "?")
        let path = cut(after: "/")
        let (user, password) = try takeCredentials()
        var configuration = AMQPConfiguration(nodes: try takeNodes(defaultPort: isSecure ? 5671 : 5672), user: user, password: password)
        if let path, !path.isEmpty { configuration.virtualHost = try Self.decode(path, "virtual host") }
        if isSecure { configuration.tls = AMQPTLS() }
        for pair in (query ?? "").split(separator: "&") { try Self.apply(pair, to: &configuration) }
        return configuration
    }

    private mutating func takeScheme() throws(AMQPError) -> Bool {
        for (scheme, isSecure) in [("amqps://", true), ("amqp://", false)] where rest.lowercased().hasPrefix(scheme) {
            rest = rest.dropFirst(scheme.count)
            return isSecure
        }
        throw .invalidURL("it must start with amqp:// or amqps://")
    }

    /// Splits at the first `separator`. Keeps the text before it and returns the text after it. Returns nil when there is no separator.
    private mutating func cut(after separator: Character) -> Substring? {
        guard let index = rest.firstIndex(of: separator) else { return nil }
        let tail = rest[rest.index(after: index)...]
        rest = rest[..<index]
        return tail
    }

    private mutating func takeCredentials() throws(AMQPError) -> (String, String) {
        guard let at = rest.lastIndex(of: "@") else { return ("guest", "guest") }
        let credentials = rest[..<at]
        rest = rest[rest.index(after: at)...]
        let parts = credentials.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let user = try Self.decode(parts[0], "user")
        return (user, parts.count == 2 ? try Self.decode(parts[1], "password") : "")
    }

    private func takeNodes(defaultPort: Int) throws(AMQPError) -> [AMQPNode] {
        let authorities = rest.split(separator: ",", omittingEmptySubsequences: false)
        guard authorities.count <= AMQPConfiguration.maximumNodes else {
            throw .invalidURL("it names more than \(AMQPConfiguration.maximumNodes) nodes")
        }
        return try authorities.map { authority throws(AMQPError) in try Self.node(authority, defaultPort: defaultPort) }
    }

    private static func node(_ authority: Substring, defaultPort: Int) throws(AMQPError) -> AMQPNode {
        var host = authority
        var tail: Substring = ""
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { throw .invalidURL("the host has no closing bracket") }
            host = authority[authority.index(after: authority.startIndex)..<end]
            tail = authority[authority.index(after: end)...]
        } else if let colon = authority.firstIndex(of: ":") {
            host = authority[..<colon]
            tail = authority[colon...]
        }
        guard !host.isEmpty else { throw .invalidURL("the host is missing") }
        guard !tail.isEmpty else { return AMQPNode(host: try decode(host, "host"), port: defaultPort) }
        guard tail.first == ":", let port = UInt16(tail.dropFirst()), port > 0 else {
            throw .invalidURL("the port is not a number from 1 to 65535")
        }
        return AMQPNode(host: try decode(host, "host"), port: Int(port))
    }

    private static func apply(_ pair: Substring, to configuration: inout AMQPConfiguration) throws(AMQPError) {
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        let value = parts.count == 2 ? try decode(parts[1], name) : ""
        switch name {
        case "heartbeat": configuration.heartbeat = .seconds(try number(value, name, in: 1...600))
        case "connect_timeout", "connection_timeout": configuration.connectTimeout = .seconds(try number(value, name, in: 1...600))
        case "frame_max": configuration.frameMaximum = try number(value, name, in: 4096...(1 << 20))
        case "cacertfile": configuration.tls?.authorities = value
        case "certfile": configuration.tls?.certificate = value
        case "keyfile": configuration.tls?.key = value
        case "verify":
            guard value == "verify_peer" || value == "verify_none" else {
                throw .invalidURL("verify must be verify_peer or verify_none")
            }
            configuration.tls?.verifiesPeer = value == "verify_peer"
            configuration.tls?.verifiesHostName = value == "verify_peer"
        case "server_name_indication":
            guard value == "disable" else { throw .invalidURL("server_name_indication may only be disable") }
            configuration.tls?.verifiesHostName = false
        default: throw .invalidURL("unknown parameter \(name)")
        }
    }

    private static func number(_ text: String, _ name: String, in range: ClosedRange<Int>) throws(AMQPError) -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw .invalidURL("\(name) must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Decodes percent-encoding. Throws if the text is malformed, not UTF-8, or contains NUL, which would end a C string too early.
    private static func decode(_ text: Substring, _ part: String) throws(AMQPError) -> String {
        var bytes: [UInt8] = []
        var iterator = text.utf8.makeIterator()
        while let byte = iterator.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = iterator.next().flatMap(hexDigit), let low = iterator.next().flatMap(hexDigit) else {
                throw .invalidURL("the \(part) has a malformed percent-encoding")
            }
            bytes.append(high << 4 | low)
        }
        guard !bytes.contains(0), let decoded = String(validating: bytes, as: UTF8.self) else {
            throw .invalidURL("the \(part) is not text")
        }
        return decoded
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
