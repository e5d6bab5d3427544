import Yams

/// How much a YAML text stands for once its aliases are followed. A few lines can stand for billions of values, and the reader compares
/// keys with all that is in them.
enum YAMLAliases {
    /// Values that a text with aliases may stand for: more than the largest file holds without any.
    static let maximumNodes = 200_000

    /// Whether the text stands for more than ``maximumNodes`` values. A text that is no YAML is refused by whoever reads it next.
    static func expandTooFar(in yaml: String) throws -> Bool {
        guard yaml.utf8.contains(UInt8(ascii: "*")), yaml.utf8.contains(UInt8(ascii: "&")) else { return false }
        // The parser alone holds the anchors; a node only points at its own.
        let parser = try Yams.Parser(yaml: withPlainAliases(yaml))
        return try withExtendedLifetime(parser) {
            guard let document = try parser.singleRoot() else { return false }
            var sizes: [String: Int] = [:]
            return size(of: document, &sizes) > maximumNodes
        }
    }

    /// Stands where an alias begins, so that it is read as a text and not followed; nobody writes this character (private use).
    private static let mark: Unicode.Scalar = "\u{E000}"

    /// An asterisk begins an alias only at the beginning of a value; elsewhere, and in quotes, changing it changes no structure.
    private static func withPlainAliases(_ yaml: String) -> String {
        var result = String.UnicodeScalarView()
        var before: Unicode.Scalar = "\n"
        for scalar in yaml.unicodeScalars {
            result.append(scalar == "*" && " \t\r\n[{,:?-".unicodeScalars.contains(before) ? mark : scalar)
            before = scalar
        }
        return String(result)
    }

    /// Values in `node`, aliases followed, no further than just beyond the limit. Anchors come before their aliases, so one pass is enough.
    private static func size(of node: Node, _ sizes: inout [String: Int]) -> Int {
        var total = 1
        var anchor: Anchor?
        switch node {
        case .scalar(let scalar):
            anchor = scalar.anchor
            if scalar.string.unicodeScalars.first == mark { total = sizes[String(scalar.string.unicodeScalars.dropFirst())] ?? 1 }
        case .sequence(let sequence):
            anchor = sequence.anchor
            for element in sequence { total += size(of: element, &sizes) }
        case .mapping(let mapping):
            anchor = mapping.anchor
            for (key, value) in mapping { total += size(of: key, &sizes) + size(of: value, &sizes) }
        case .alias: break
        }
        // Sums of these stay far below what overflows: each part is cut, and a file has at most a million parts.
        total = min(total, maximumNodes + 1)
        if let anchor { sizes[anchor.rawValue] = total }
        return total
    }
}
