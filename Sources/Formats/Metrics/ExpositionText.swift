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
    /// The content type of a response with this text.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    public private(set) var text = ""

    public init() {}

    /// Writes the two lines that come before the samples of a metric.
    public mutating func describe(_ name: String, type: String, help: String) {
        text += "# HELP \(name) \(Self.escaped(help, quote: false))\n# TYPE \(name) \(type)\n"
    }

    /// Writes one line. `value` is a number in the form that Prometheus reads.
    public mutating func sample(_ name: String, _ labels: [Label], _ value: String) {
        text += name
        if !labels.isEmpty {
            text += "{" + labels.map { "\($0.name)=\"\(Self.escaped($0.value, quote: true))\"" }.joined(separator: ",") + "}"
        }
        text += " \(value)\n"
    }

    /// Escapes backslashes and line feeds, and with `quote` also quotes in a label's value. The format escapes nothing else.
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
