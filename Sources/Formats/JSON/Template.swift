import TidingsEncodings

/// A title or body of a type, with `{{field}}` for a top-level member of the intent's data.
///
/// Only strings, numbers and truth values are inserted. An absent member, null, an array or an object inserts nothing. There is no logic
/// and no escaping: the provider must handle the meaning of a text.
public struct Template: Sendable, Hashable {
    enum Part: Sendable, Hashable {
        case text(String)
        case field(String)
    }

    let parts: [Part]

    /// The error for a text that is not a template.
    public struct Problem: Error, Sendable, Hashable {
        public let message: String
    }

    /// - Throws: ``Problem`` for `{{` without `}}` and for an empty field name.
    public init(_ text: String) throws(Problem) {
        var parts: [Part] = []
        var rest = Substring(text)
        while let opening = rest.firstRange(of: "{{") {
            if opening.lowerBound > rest.startIndex { parts.append(.text(String(rest[..<opening.lowerBound]))) }
            rest = rest[opening.upperBound...]
            guard let closing = rest.firstRange(of: "}}") else { throw Problem(message: "\"{{\" is never closed by \"}}\"") }
            let name = rest[..<closing.lowerBound].trimmingBlanks
            guard !name.isEmpty else { throw Problem(message: "\"{{}}\" names no field") }
            parts.append(.field(String(name)))
            rest = rest[closing.upperBound...]
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        self.parts = parts
    }

    /// The names of the fields, in the order of their appearance.
    public var fields: [String] {
        parts.compactMap { part in
            if case .field(let name) = part { name } else { nil }
        }
    }

    /// Whether every field inserts something. An empty string counts: the sender has chosen it.
    public func isFilled(by data: JSONObject) -> Bool {
        parts.allSatisfy { part in
            guard case .field(let name) = part else { return true }
            return switch data[name] {
            case .string, .number, .bool: true
            case .null, .array, .object, nil: false
            }
        }
    }

    /// Returns the text with every field replaced by its value in `data`.
    public func render(_ data: JSONObject) -> String {
        var rendered = ""
        for part in parts {
            switch part {
            case .text(let text): rendered += text
            case .field(let name): rendered += data[name].map(Template.text(of:)) ?? ""
            }
        }
        return rendered
    }

    private static func text(of value: JSON) -> String {
        switch value {
        case .string(let text): text
        case .number(let number): number.text
        case .bool(let flag): flag ? "true" : "false"
        case .null, .array, .object: ""
        }
    }
}
