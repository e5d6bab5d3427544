import Yams

/// Measures the size of a YAML text with its aliases followed. A few lines can expand to billions of values, and the reader compares each
/// key with its whole content.
enum YAMLAliases {
    /// The most values to which a text with aliases may expand. A catalogue that a person writes has far fewer.
    static let maximumNodes = 200_000

    /// Whether the text expands to more than ``maximumNodes`` values. A text without aliases is not parsed here. The next reader reports a
    /// text that is not YAML.
    static func expandTooFar(in yaml: String) throws -> Bool {
        guard yaml.utf8.contains(UInt8(ascii: "*")), yaml.utf8.contains(UInt8(ascii: "&")) else { return false }
        // Keep the parser alive: it owns the anchors, and a node only refers to its own.
        let parser = try Yams.Parser(yaml: withPlainAliases(yaml))
        return try withExtendedLifetime(parser) {
            guard let document = try parser.singleRoot() else { return false }
            var sizes: [String: Int] = [:]
            return size(of: document, &sizes) > maximumNodes
        }
    }

    /// The character that replaces the beginning of an alias, so that the alias is read as a text and not followed. No file uses this
    /// private-use character.
    private static let mark: Unicode.Scalar = "\u{E000}"

    /// Replaces the asterisk of each alias. An asterisk begins an alias only at the beginning of a value. Elsewhere, and in quotes,
    /// replacing it does not change the structure.
    private static func withPlainAliases(_ yaml: String) -> String {
        var result = String.UnicodeScalarView()
        var before: Unicode.Scalar = "\n"
        for scalar in yaml.unicodeScalars {
            result.append(scalar == "*" && " \t\r\n[{,:?-".unicodeScalars.contains(before) ? mark : scalar)
            before = scalar
        }
        return String(result)
    }

    /// Returns the number of values in `node` with aliases followed, at most one more than the limit. Anchors come before their aliases, so
    /// one pass is enough.
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
        // Cut each part, so that sums stay far below an overflow: a file has at most a million parts.
        total = min(total, maximumNodes + 1)
        if let anchor { sizes[anchor.rawValue] = total }
        return total
    }
}
