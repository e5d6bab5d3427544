/// Values at the edge of what an author may have considered.
enum Extremes {
    static let numbers: [String] = [
        "0", "-0", "1", "-1", "00", "255", "256", "65535", "65536", "2147483647", "-2147483648", "4294967296", "9007199254740993",
        "9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551616", "1.0", "1e2", "1.5", "-0.0", "1e400",
        "-1e-400", "1e999999999999", "1E-9999999999999999999", "0.1e1", "1e", "1.", ".5", "+1", "0x10", "1_000", "NaN",
        "99999999999999999999d",
        String(repeating: "9", count: 1_000), String(repeating: "9", count: 1_001), "1e" + String(repeating: "0", count: 30) + "1",
        "0." + String(repeating: "0", count: 900) + "1",
    ]

    /// One letter with so many combining marks that it is a single character of thousands of bytes.
    static let tower = "a" + String(repeating: "\u{301}", count: 4_000)

    static let texts: [String] = [
        "", " ", "\u{0}", "a\u{0}b", "\t", "\r\n", "\u{1B}[31m", "\u{7F}", "\u{85}", "\u{2028}", "\u{FEFF}", "\u{FFFF}", "\u{10FFFF}",
        "\u{202E}abc", "e\u{301}", "\u{E9}", "\u{212A}", "group\u{212A}ey", "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", "\u{1F1E9}",
        "\\", "\"", "'", "/", "~", "~0", "~1", "/a/b", "%00", "%", "#", "?", "{{", "{{}}", "{{number}}", "}}", "null", "true", "~",
        "default", "user-42", "2026-06-01T12:00:00Z", "2026-06-01t12:00:00.123456789z", "2026-02-29T12:00:00Z", "2016-12-31T23:59:60Z",
        "9999-12-31T23:59:59.999999Z", "0001-01-01T00:00:00+23:59", "0000-01-01T00:00:00Z", "2026-06-01T12:00:00+24:00", "1970-01-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "01900000-0000-7abc-8000-000000000001", "01900000-0000-4abc-8000-000000000001", tower, String(repeating: "x", count: 255),
        String(repeating: "x", count: 257), String(repeating: "ü", count: 129), String(repeating: "\u{1F600}", count: 65),
        String(repeating: "k", count: 2_000),
    ]

    /// Contents of a JSON string in source form: escapes, complete and broken.
    static let escapes: [String] =
        [
            "\\u0000", "\\ud83d\\ude00", "\\ud83d", "\\ude00", "\\ud83d\\u0041", "\\ud83d\\ud83d", "\\u00", "\\u00zz", "\\x41", "\\",
            "\\\\", "\\\"", "\\/", "\\b\\f\\n\\r\\t", "\\uFFFF", "\\uFEFF", "\\u212a", "\\ud83d\\d", "\n",
        ] + texts.map { $0.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") }

    /// Names that differ only in the order of nine combining marks. Unicode calls names equivalent if the marks do not interact, and the
    /// hash of a string cannot tell such names apart.
    static func equivalentNames(_ count: Int) -> [String] {
        let marks: [Unicode.Scalar] = ["\u{316}", "\u{301}", "\u{334}", "\u{345}", "\u{327}", "\u{31B}", "\u{322}", "\u{35C}", "\u{360}"]
        var names: [String] = []
        func extend(_ text: String.UnicodeScalarView, _ rest: [Unicode.Scalar]) {
            guard names.count < count else { return }
            if rest.isEmpty { return names.append(String(text)) }
            for (place, mark) in rest.enumerated() {
                var longer = text
                longer.append(mark)
                var others = rest
                others.remove(at: place)
                extend(longer, others)
            }
        }
        extend("a".unicodeScalars, marks)
        return names
    }
}
