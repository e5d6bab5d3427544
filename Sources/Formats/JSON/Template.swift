import TidingsEncodings

/// A title or body of a type, with `{{field}}` for a top-level member of the intent's data.
///
/// Only strings, numbers and truth values are inserted. An absent member, null, an array or an object inserts nothing. There is no logic
/// and no escaping: the provider must handle the meaning of a text.
public struct Template: Sendable, Hashable {
    private let template: PlaceholderText<String>

    /// The error for a text that is not a template.
    public struct Problem: Error, Sendable, Hashable {
        public let message: String
    }

    /// - Throws: the first of ``problems(in:)``.
    public init(_ text: String) throws(Problem) {
        let (template, problems) = PlaceholderText<String>.read(text)
        if let problem = problems.first { throw Problem(message: problem) }
        self.template = template
    }

    /// The part of a text that can be read, for a check that goes on after ``problems(in:)``. It must not be rendered.
    package init(readablePartOf text: String) {
        template = PlaceholderText<String>.read(text).text
    }

    /// Returns the problems of a text, each once: an empty field name, and `{{` without `}}`.
    package static func problems(in text: String) -> [Problem] {
        PlaceholderText<String>.read(text).problems.map { Problem(message: $0) }
    }

    /// The names of the fields, in the order of their appearance.
    public var fields: [String] { template.names }

    /// Whether every field inserts something. An empty string counts: the sender has chosen it.
    public func isFilled(by data: JSONObject) -> Bool {
        template.names.allSatisfy { name in
            switch data[name] {
            case .string, .number, .bool: true
            case .null, .array, .object, nil: false
            }
        }
    }

    /// Returns the text with every field replaced by its value in `data`.
    public func render(_ data: JSONObject) -> String {
        template.render { data[$0].map(Template.text(of:)) ?? "" }
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
