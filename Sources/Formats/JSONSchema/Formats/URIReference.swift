import TidingsEncodings

/// A URI or relative reference, RFC 3986. It is checked character by character, split into parts, and resolved against a base.
struct URIReference: Sendable, Hashable {
    var scheme: String?
    var authority: String?
    var path: String
    var query: String?
    var fragment: String?

    init(scheme: String?, authority: String?, path: String, query: String? = nil, fragment: String? = nil) {
        self.scheme = scheme
        self.authority = authority
        self.path = path
        self.query = query
        self.fragment = fragment
    }

    /// Nil when the text does not follow the grammar of appendix A.
    init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        fragment = Self.cut(&rest, at: UInt8(ascii: "#"))
        query = Self.cut(&rest, at: UInt8(ascii: "?"))
        if let colon = rest.firstIndex(of: UInt8(ascii: ":")), !rest[..<colon].contains(UInt8(ascii: "/")) {
            let name = rest[..<colon]
            // Without a scheme the first segment has no colon, so the text before a colon must be a scheme.
            guard let first = name.first, ASCII.isLetter(first),
                name.allSatisfy({ ASCII.isLetterOrDigit($0) || "+-.".utf8.contains($0) })
            else { return nil }
            scheme = String(decoding: name, as: UTF8.self)
            rest = rest[(colon + 1)...]
        }
        if rest.starts(with: Array("//".utf8)) {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            guard Self.isAuthority(rest[..<end]) else { return nil }
            authority = String(decoding: rest[..<end], as: UTF8.self)
            rest = rest[end...]
        }
        path = String(decoding: rest, as: UTF8.self)
        guard Self.consists(rest, of: "-._~!$&'()*+,;=:@/"),
            Self.consists((query ?? "").utf8, of: "-._~!$&'()*+,;=:@/?"),
            Self.consists((fragment ?? "").utf8, of: "-._~!$&'()*+,;=:@/?")
        else { return nil }
    }

    var withoutFragment: URIReference {
        var reference = self
        reference.fragment = nil
        return reference
    }

    /// Section 5.3.
    var text: String {
        var text = scheme.map { $0 + ":" } ?? ""
        if let authority { text += "//" + authority }
        text += path
        if let query { text += "?" + query }
        if let fragment { text += "#" + fragment }
        return text
    }

    /// Section 5.2.2. `base` must have a scheme.
    func resolved(against base: URIReference) -> URIReference {
        var target = self
        if scheme != nil {
            target.path = Self.withoutDots(path)
            return target
        }
        target.scheme = base.scheme
        if authority != nil {
            target.path = Self.withoutDots(path)
            return target
        }
        target.authority = base.authority
        if path.isEmpty {
            target.path = base.path
            target.query = query ?? base.query
        } else if path.hasPrefix("/") {
            target.path = Self.withoutDots(path)
        } else if base.authority != nil, base.path.isEmpty {
            target.path = Self.withoutDots("/" + path)
        } else {
            let folder = base.path.lastIndex(of: "/").map { String(base.path[...$0]) } ?? ""
            target.path = Self.withoutDots(folder + path)
        }
        return target
    }

    /// Returns the text without percent-encoding, or nil when the bytes are not UTF-8.
    static func percentDecoded(_ text: String) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(hexDigitValue), let low = rest.popFirst().flatMap(hexDigitValue) else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

// MARK: - Grammar

extension URIReference {
    /// Cuts the text at the first `separator` and returns the part after it.
    private static func cut(_ text: inout ArraySlice<UInt8>, at separator: UInt8) -> String? {
        guard let place = text.firstIndex(of: separator) else { return nil }
        defer { text = text[..<place] }
        return String(decoding: text[(place + 1)...], as: UTF8.self)
    }

    /// Whether the text has only letters, digits, the given punctuation and whole percent-encodings.
    private static func consists(_ text: some Collection<UInt8>, of punctuation: StaticString) -> Bool {
        let allowed = UnsafeBufferPointer(start: punctuation.utf8Start, count: punctuation.utf8CodeUnitCount)
        var digitsLeft = 0
        for byte in text {
            if digitsLeft > 0 {
                guard ASCII.isHexDigit(byte) else { return false }
                digitsLeft -= 1
            } else if byte == UInt8(ascii: "%") {
                digitsLeft = 2
            } else if !ASCII.isLetterOrDigit(byte), !allowed.contains(byte) {
                return false
            }
        }
        return digitsLeft == 0
    }

    private static func isAuthority(_ text: ArraySlice<UInt8>) -> Bool {
        var host = text
        if let at = host.lastIndex(of: UInt8(ascii: "@")) {
            guard consists(host[..<at], of: "-._~!$&'()*+,;=:") else { return false }
            host = host[(at + 1)...]
        }
        if host.first == UInt8(ascii: "[") {
            guard let end = host.firstIndex(of: UInt8(ascii: "]")), isLiteral(host[(host.startIndex + 1)..<end]) else { return false }
            let port = host[(end + 1)...]
            return port.isEmpty || (port.first == UInt8(ascii: ":") && port.dropFirst().allSatisfy(ASCII.isDigit))
        }
        if let colon = host.lastIndex(of: UInt8(ascii: ":")) {
            guard host[(colon + 1)...].allSatisfy(ASCII.isDigit) else { return false }
            host = host[..<colon]
        }
        return consists(host, of: "-._~!$&'()*+,;=")
    }

    /// Whether the text between brackets is valid: an IPv6 address, or a form such as `v1.` for future addresses.
    private static func isLiteral(_ text: ArraySlice<UInt8>) -> Bool {
        guard let first = text.first, first | 0x20 == UInt8(ascii: "v") else { return NetworkAddressFormat.isIPv6(text) }
        let parts = text.dropFirst().split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, !parts[1].contains(UInt8(ascii: "%")) else { return false }
        return parts[0].allSatisfy(ASCII.isHexDigit) && consists(parts[1], of: "-._~!$&'()*+,;=:")
    }

    /// Section 5.2.4.
    private static func withoutDots(_ path: String) -> String {
        guard path.contains(".") else { return path }
        var kept: [Substring] = []
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        for (place, segment) in segments.enumerated() {
            let isLast = place == segments.count - 1
            switch segment {
            case ".": if isLast { kept.append("") }
            case "..":
                // Keep the first, empty segment of an absolute path.
                if kept.count > 1 || (kept.count == 1 && kept[0] != "") { kept.removeLast() }
                if isLast { kept.append("") }
            default: kept.append(segment)
            }
        }
        return kept.joined(separator: "/")
    }
}
