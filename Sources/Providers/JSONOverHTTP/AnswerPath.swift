import TidingsJSON

/// A place in a JSON answer or callback: a JSON Pointer (RFC 6901), such as `/result/id` or `/results/0/status`.
struct AnswerPath: Sendable, Hashable {
    private let segments: [String]

    init(_ text: String) throws(SettingProblem) {
        guard text.hasPrefix("/") else {
            throw SettingProblem("\"\(text)\" is not a JSON pointer, which begins with a slash: /result/id")
        }
        var segments: [String] = []
        for segment in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            segments.append(try Self.unescaped(segment))
        }
        self.segments = segments
    }

    /// Returns the value at that place. Nil if the place is absent.
    func value(in answer: JSON) -> JSON? {
        var value = answer
        for segment in segments {
            guard let inner = Self.value(segment, in: value) else { return nil }
            value = inner
        }
        return value
    }

    /// Returns the bytes of the value at that place, in a body that cannot be parsed as a whole. Nil if the place is absent, or cannot be
    /// found because the brackets of the body do not match.
    static func bytes(at path: AnswerPath?, in body: [UInt8]) -> [UInt8]? {
        LenientReader.place(of: path?.segments ?? [], in: body).map { Array(body[$0]) }
    }

    /// Returns the text, number or truth value at that place, as text. Returns nil for any other value and if the place is absent.
    func text(in answer: JSON) -> String? {
        switch value(in: answer) {
        case .string(let text): text
        case .number(let number): JSON.number(number).serialized
        case .bool(let bool): JSON.bool(bool).serialized
        case .null, .array, .object, nil: nil
        }
    }

    /// Whether a part of the text could not be kept: see ``TidingsJSON/JSON/parse(leniently:limits:refusingDuplicates:)``. Such a text
    /// names nothing.
    static func isLost(_ text: String) -> Bool { text.unicodeScalars.contains("\u{FFFD}") }

    private static func value(_ segment: String, in value: JSON) -> JSON? {
        guard let elements = value.arrayValue else { return value[segment] }
        // RFC 6901 section 4 allows only one spelling of a number, so `01` is not an index.
        guard let index = Int(segment), String(index) == segment, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// Replaces `~1` by a slash and `~0` by a tilde. A tilde before any other character is an error.
    private static func unescaped(_ segment: Substring) throws(SettingProblem) -> String {
        let parts = segment.split(separator: "~", omittingEmptySubsequences: false)
        var text = parts.first.map { String($0) } ?? ""
        for part in parts.dropFirst() {
            switch part.first {
            case "0": text += "~"
            case "1": text += "/"
            default: throw SettingProblem("in \"\(segment)\" a tilde is neither ~0 (a tilde) nor ~1 (a slash)")
            }
            text += part.dropFirst()
        }
        return text
    }
}
