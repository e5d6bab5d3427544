import TidingsJSON

/// Writes the small part of YAML that a catalogue needs, in the layout a person would choose.
struct YAMLWriter {
    private(set) var text = ""
    private var depth = 0

    mutating func comment(_ lines: String) {
        for line in lines.split(separator: "\n", omittingEmptySubsequences: false) {
            indent()
            text += line.isEmpty ? "#\n" : "# \(line)\n"
        }
    }

    mutating func blankLine() {
        text += "\n"
    }

    /// Writes a key, and as its value the lines that `body` writes, one level deeper.
    mutating func section(_ name: String, _ body: (inout YAMLWriter) -> Void) {
        indent()
        text += "\(key(name)):"
        let before = text.utf8.count
        text += "\n"
        depth += 1
        body(&self)
        depth -= 1
        if text.utf8.count == before + 1 {
            text.removeLast()
            text += " {}\n"
        }
    }

    mutating func line(_ name: String, _ value: String) {
        indent()
        text += "\(key(name)): \(YAMLWriter.scalar(value))\n"
    }

    /// Writes a value that must not get quotes: a number, a truth value, a duration.
    mutating func line(_ name: String, verbatim value: String) {
        indent()
        text += "\(key(name)): \(value)\n"
    }

    mutating func line(_ name: String, list: [String]) {
        line(name, verbatim: "[\(list.map(YAMLWriter.scalar).joined(separator: ", "))]")
    }

    /// Writes objects as indented lines and arrays on one line.
    mutating func line(_ name: String, json: JSON) {
        guard case .object(let object) = json, !object.isEmpty else { return line(name, verbatim: YAMLWriter.flow(json)) }
        section(name) { writer in
            for entry in object.entries { writer.line(entry.key, json: entry.value) }
        }
    }

    private mutating func indent() {
        text += indentation
    }

    private var indentation: String { String(repeating: "  ", count: depth) }

    /// The longest key, in bytes, that is written without a `?`. YAML readers look for the colon within 1,024 characters (YAML 1.2.2
    /// section 7.4.2).
    private static let longestPlainKey = 1_000

    private func key(_ name: String) -> String {
        let key = YAMLWriter.scalar(name)
        return key.utf8.count > YAMLWriter.longestPlainKey ? "? \(key)\n\(indentation)" : key
    }

    private static func flowKey(_ name: String) -> String {
        let key = scalar(name)
        return key.utf8.count > longestPlainKey ? "? \(key) " : key
    }

    private static func flow(_ json: JSON) -> String {
        switch json {
        case .string(let text): scalar(text)
        case .array(let elements): "[\(elements.map(flow).joined(separator: ", "))]"
        case .object(let object): "{\(object.entries.map { "\(flowKey($0.key)): \(flow($0.value))" }.joined(separator: ", "))}"
        case .null, .bool, .number: json.serialized
        }
    }

    /// Returns the text without quotes if every YAML reader, old or new, reads it as this text. Otherwise returns it in double quotes.
    private static func scalar(_ text: String) -> String {
        let isPlain =
            text.utf8.allSatisfy(isPlainByte) && text.utf8.first.map(isPlainStart) == true
            && !mistakable.contains(text.lowercased())
        return isPlain ? text : quoted(text)
    }

    private static func isPlainStart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "$"), UInt8(ascii: "_"): true
        default: false
        }
    }

    private static func isPlainByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "/"): true
        default: isPlainStart(byte)
        }
    }

    /// Words that YAML 1.1 readers take for a truth value or null.
    private static let mistakable: Set<String> = ["true", "false", "yes", "no", "on", "off", "y", "n", "null"]

    /// Returns a double-quoted scalar. The escapes of JSON are valid in YAML. Characters that YAML reads as line breaks, or refuses
    /// unescaped, are escaped too.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x22: result += "\\\""
            case 0x5C: result += "\\\\"
            case 0x0A: result += "\\n"
            case 0x00..<0x20, 0x7F...0x9F, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
