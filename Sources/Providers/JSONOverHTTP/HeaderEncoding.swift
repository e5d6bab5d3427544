import TidingsEncodings

/// The form of a delivery's texts in a header, whose grammar takes only printable ASCII (RFC 9110 section 5.5).
///
/// In each form a control character becomes a space. So no text ends its header or adds another one.
enum HeaderEncoding: String, CaseIterable, Sendable {
    /// Encoded words of RFC 2047, such as `=?UTF-8?B?R3LDtsOfZQ==?=`, if a text has characters outside of ASCII. The whole value is then
    /// encoded: white space between two encoded words does not count, and beside other text an encoded word needs white space.
    case encodedWords
    /// `%` and two hexadecimal digits for each byte outside of printable ASCII, and for `%` itself: `Gr%C3%B6%C3%9Fe`.
    case percent

    /// Returns the text of a template. The operator's own part of the template stays as it is, unless the whole value is encoded.
    func render(_ template: ValueTemplate, _ values: DeliveryValues) -> String {
        switch self {
        case .encodedWords:
            let text = template.render(values, encoding: Self.withoutControls)
            let isPlain = template.placeholders.allSatisfy { Self.isPlain(Self.withoutControls(values.text(of: $0))) }
            return isPlain ? text : Self.words(of: text)
        case .percent:
            return template.render(values) { text in
                percentEncoded(Self.withoutControls(text)) { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "%") }
            }
        }
    }

    private static func withoutControls(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }

    /// Whether a receiver of encoded words reads the text unchanged. A text that looks like an encoded word would be decoded.
    private static func isPlain(_ text: String) -> Bool {
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
        return text.firstRange(of: "=?").map { text[$0.upperBound...].firstRange(of: "?=") == nil } ?? true
    }

    /// In bytes: an encoded word has at most 75 characters (RFC 2047 section 2). 60 of them are Base64.
    private static let longestPart = 45

    private static func words(of text: String) -> String {
        var words: [String] = []
        var part: [UInt8] = []
        func endWord() {
            words.append("=?UTF-8?B?\(Base64.encode(part))?=")
            part = []
        }
        for scalar in text.unicodeScalars {
            // A scalar stays in one word, because each word is decoded by itself.
            if part.count + UTF8.width(scalar) > longestPart { endWord() }
            part += Array(String(scalar).utf8)
        }
        if !part.isEmpty { endWord() }
        return words.joined(separator: " ")
    }
}
