/// A media type as a header such as `Content-Type` has it (RFC 9110 section 8.3.1): a type, a subtype and parameters, in any case.
package struct MediaType: Sendable, Hashable {
    /// Type and subtype in lower case, for example `application/json`.
    package let essence: String
    /// The values of the parameters by their names in lower case. If a name comes twice, its first value counts.
    package let parameters: [String: String]

    /// Nil if the text is absent, or if it is not a type, a slash, a subtype, and then parameters. A parameter of another form is left out.
    package init?(_ text: String?) {
        guard let text else { return nil }
        var reader = Reader(rest: text.utf8[...])
        reader.skipBlanks()
        guard let type = reader.token(), reader.take("/"), let subtype = reader.token() else { return nil }
        reader.skipBlanks()
        guard reader.rest.isEmpty || reader.rest.first == UInt8(ascii: ";") else { return nil }
        essence = "\(type)/\(subtype)".lowercased()
        var parameters: [String: String] = [:]
        while reader.skip(to: ";") {
            reader.skipBlanks()
            guard let (name, value) = reader.parameter(), parameters[name] == nil else { continue }
            parameters[name] = value
        }
        self.parameters = parameters
    }

    /// Whether the content is JSON: `application/json`, another type whose subtype is `json`, or one with the suffix `+json` (RFC 6839
    /// section 3.1).
    package var isJSON: Bool { essence.hasSuffix("/json") || essence.hasSuffix("+json") }

    /// Whether the charset is UTF-8. True without a charset, because JSON is UTF-8 by default.
    package var isUTF8: Bool { parameters["charset"].map { ["utf-8", "utf8", "us-ascii"].contains($0.lowercased()) } ?? true }

    /// Whether a content type is JSON in UTF-8. The usual type needs no parsing.
    package static func isJSON(_ text: String) -> Bool {
        text == "application/json" || MediaType(text).map { $0.isJSON && $0.isUTF8 } ?? false
    }
}

extension MediaType {
    /// Reads the parts from left to right. If a part is not there, its method returns nil or false.
    private struct Reader {
        var rest: Substring.UTF8View

        mutating func skipBlanks() {
            while let byte = rest.first, byte == 0x20 || byte == 0x09 { rest.removeFirst() }
        }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest.removeFirst()
            return true
        }

        /// Skips up to the next such character, and the character itself. Returns false if there is none.
        mutating func skip(to character: Unicode.Scalar) -> Bool {
            guard let place = rest.firstIndex(of: UInt8(ascii: character)) else { return false }
            rest = rest[rest.index(after: place)...]
            return true
        }

        /// Section 5.6.2.
        mutating func token() -> String? {
            let token = rest.prefix { ASCII.isLetterOrDigit($0) || "!#$%&'*+-.^_`|~".utf8.contains($0) }
            guard !token.isEmpty else { return nil }
            rest = rest[token.endIndex...]
            return String(decoding: token, as: UTF8.self)
        }

        /// Section 5.6.6: a name in lower case, and a value without its quotes.
        mutating func parameter() -> (name: String, value: String)? {
            guard let name = token(), take("="), let value = take("\"") ? restOfQuoted() : token() else { return nil }
            return (name.lowercased(), value)
        }

        /// Section 5.6.4. Nil if the closing quote is missing.
        private mutating func restOfQuoted() -> String? {
            var bytes: [UInt8] = []
            while let byte = rest.popFirst() {
                if byte == UInt8(ascii: "\"") { return String(decoding: bytes, as: UTF8.self) }
                guard byte == UInt8(ascii: "\\") else {
                    bytes.append(byte)
                    continue
                }
                guard let escaped = rest.popFirst() else { return nil }
                bytes.append(escaped)
            }
            return nil
        }
    }
}
