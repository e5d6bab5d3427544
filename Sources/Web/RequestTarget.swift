import TidingsEncodings

/// The path and query of a request, decoded. Delimiters are bytes: a combining mark after one does not join it.
package struct RequestTarget: Sendable {
    /// The segments of the path. `/a/b` has `a` and `b`. A path with an empty segment has it here too, and matches no operation.
    package let segments: [String]
    /// The parameters of the query, in their order.
    package let query: [(name: String, value: String)]

    /// Nil if the path does not begin with `/`, if an escape is broken, or if decoded bytes are no UTF-8 or hold a NUL.
    package init?(path: Substring, query: Substring?) {
        guard path.utf8.first == UInt8(ascii: "/") else { return nil }
        var segments: [String] = []
        for segment in path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard let decoded = Self.decoded(segment, plusIsSpace: false) else { return nil }
            segments.append(decoded)
        }
        var parameters: [(String, String)] = []
        for pair in (query ?? "").utf8.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(parts[0], plusIsSpace: true),
                let value = Self.decoded(parts.count > 1 ? parts[1] : "".utf8[...], plusIsSpace: true)
            else { return nil }
            parameters.append((name, value))
        }
        self.segments = segments
        self.query = parameters
    }

    private static func decoded(_ text: Substring.UTF8View, plusIsSpace: Bool) -> String? {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(hexDigitValue), let low = rest.popFirst().flatMap(hexDigitValue) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        guard !bytes.contains(0) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
