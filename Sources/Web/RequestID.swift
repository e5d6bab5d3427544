import TidingsEncodings

/// The id of one request, in its answer (`X-Request-Id`), in its log line and in a problem document.
package struct RequestID: Sendable, CustomStringConvertible {
    package let description: String

    /// Keeps an id that the caller, or a proxy before the API, chose: 1 to 128 letters, digits, `.`, `_` and `-`. Makes a new one otherwise.
    package init(given: String?) {
        if let given, (1...128).contains(given.utf8.count), given.utf8.allSatisfy(Self.isAllowed) {
            description = given
        } else {
            description = Self.random()
        }
    }

    /// The URI of the request in a problem document.
    var instance: String { "urn:tidings:request:\(description)" }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        ASCII.isLetterOrDigit(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }

    private static func random() -> String {
        var bytes: [UInt8] = []
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2 { withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) } }
        return Hexadecimal.encode(bytes)
    }
}
