/// A label of a series, such as `channel="inApp"`.
public struct Label: Sendable, Hashable {
    public let name: String
    public let value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// Writes the text format 0.0.4 of Prometheus ("Exposition formats", text-based format).
public struct ExpositionText: Sendable {
    /// What a response with this text declares itself as.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    public private(set) var text = ""

    public init() {}

    /// The two lines that come before the samples of a metric.
    public mutating func describe(_ name: String, type: String, help: String) {
        text += "# HELP \(name) \(Self.escaped(help, quote: false))\n# TYPE \(name) \(type)\n"
    }

    /// One line; `value` is a number as Prometheus reads it.
    public mutating func sample(_ name: String, _ labels: [Label], _ value: String) {
        text += name
        if !labels.isEmpty {
            text += "{" + labels.map { "\($0.name)=\"\(Self.escaped($0.value, quote: true))\"" }.joined(separator: ",") + "}"
        }
        text += " \(value)\n"
    }

    /// Backslashes and line feeds, and in a label's value the quotes, are all that the format escapes.
    static func escaped(_ value: String, quote: Bool) -> String {
        var result = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quote: result += "\\\""
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
