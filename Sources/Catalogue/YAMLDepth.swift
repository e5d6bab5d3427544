/// Measures how deep the mappings of a YAML text are nested. The reader compares each key with its whole content, so a text of 2 KB whose keys are mappings
/// within mappings takes seconds.
enum YAMLDepth {
    /// The most levels of braces, and the most marks of keys (`?`) in a row. A catalogue has fewer than ten.
    static let maximum = 50

    /// Whether the text is nested deeper than ``maximum``. Braces in texts count too: a text with so many that are not closed is no content.
    static func isTooDeep(_ yaml: String) -> Bool {
        var (open, marks) = (0, 0)
        for byte in yaml.utf8 {
            switch byte {
            case UInt8(ascii: "{"): open += 1
            case UInt8(ascii: "}"): open = max(0, open - 1)
            case UInt8(ascii: "?"): marks += 1
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): continue
            default: marks = 0
            }
            if open > maximum || marks > maximum { return true }
        }
        return false
    }
}
