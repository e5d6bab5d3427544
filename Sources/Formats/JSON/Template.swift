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

    /// - Throws: the first of ``problems(in:)``.
    public init(_ text: String) throws(Problem) {
        let (parts, problems) = Template.read(text)
        if let problem = problems.first { throw problem }
        self.parts = parts
    }

    /// The part of a text that can be read, for a check that goes on after ``problems(in:)``. It must not be rendered.
    package init(readablePartOf text: String) {
        parts = Template.read(text).parts
    }

    /// Returns the problems of a text, each once: an empty field name, and `{{` without `}}`.
    package static func problems(in text: String) -> [Problem] { read(text).problems }

    private static func read(_ text: String) -> (parts: [Part], problems: [Problem]) {
        var parts: [Part] = []
        var problems: [Problem] = []
        var rest = Substring(text)
        while let opening = rest.firstRange(of: "{{") {
            if opening.lowerBound > rest.startIndex { parts.append(.text(String(rest[..<opening.lowerBound]))) }
            rest = rest[opening.upperBound...]
            guard let closing = rest.firstRange(of: "}}") else {
                problems.append(Problem(message: "\"{{\" is never closed by \"}}\""))
                return (parts, problems)
            }
            let name = rest[..<closing.lowerBound].trimmingBlanks
            if !name.isEmpty {
                parts.append(.field(String(name)))
            } else if problems.isEmpty {
                problems.append(Problem(message: "\"{{}}\" names no field"))
            }
            rest = rest[closing.upperBound...]
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        return (parts, problems)
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
