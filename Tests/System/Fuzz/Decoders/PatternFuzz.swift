@testable import TidingsJSONSchema

/// Regular expressions of schemas: reading them, compiling them and matching with them.
struct PatternFuzz: FuzzTarget {
    struct Input {
        var pattern: String
        var text: String
    }

    static let name = "patterns"

    let corpus: [Input] = [
        Input(pattern: "^[a-z]{1,1000}$", text: String(repeating: "a", count: 1_000)),
        Input(pattern: "(a*)*(b*)*(a|b)*$", text: String(repeating: "ab", count: 500)),
        Input(pattern: "((((a{10}){10}){10}){10})", text: "a"), Input(pattern: "(){2000}{2000}", text: ""),
        Input(pattern: String(repeating: "(", count: 40) + String(repeating: ")", count: 40), text: ""),
        Input(pattern: "\\ud83d\\d", text: "5"), Input(pattern: "\\u{\u{130}}", text: "0"), Input(pattern: "[\\d-z]", text: "-"),
        Input(pattern: "[z-a]", text: "b"), Input(pattern: "[^\\S]", text: "\u{2028}"), Input(pattern: "\\p{L}+\\P{Lu}", text: "aB\u{130}"),
    ]

    func input(_ random: inout FuzzRandom) -> Input {
        var pattern = ""
        for _ in 0...random.size(upTo: 24) { pattern += random.pick(Self.parts) }
        var text = ""
        for _ in 0..<random.size(upTo: 40) { text += random.pick(Self.letters) }
        return Input(pattern: pattern, text: text)
    }

    func bytes(of input: Input) -> [UInt8] { Array("\(input.pattern)\n\(input.text)".utf8) }

    func feed(_ input: Input) throws -> FuzzVerdict {
        let compiled = Result { () throws(PatternError) in try Pattern(input.pattern) }
        switch compiled {
        case .success(let pattern):
            let isMatch = pattern.matches(input.text)
            try require(isMatch == pattern.matches(input.text), "matched twice, two results")
            try checkAgainstItself(input, isMatch)
            return .accepted
        case .failure(let error):
            try require(!error.message.isEmpty, "no message")
            return .refused
        }
    }

    /// Checks that changes without a meaning have no effect: a group around the pattern, an alternative of the pattern with itself, and a
    /// single repetition.
    private func checkAgainstItself(_ input: Input, _ isMatch: Bool) throws {
        for same in ["(?:\(input.pattern))", "(?:\(input.pattern))|(?:\(input.pattern))", "(?:\(input.pattern)){1}"] {
            guard let pattern = try? Pattern(same) else { continue }  // only if the pattern is now nested too deep or too large
            try require(pattern.matches(input.text) == isMatch, "\(same) does not match what it stands for")
        }
    }

    private static let parts = [
        "a", "b", "é", "\u{1F600}", ".", "\\d", "\\D", "\\w", "\\W", "\\s", "\\S", "\\b", "\\B", "^", "$", "(", "(?:", "(?<n>", "(?=", ")",
        "[", "[^",
        "]", "-", "a-z", "*", "+", "?", "{2}", "{0,3}", "{1,}", "{3,1}", "{2000}", "{", "}", ",", "|", "\\", "\\/", "\\u0041", "\\u{1F600}",
        "\\ud83d",
        "\\ude00", "\\x41", "\\cA", "\\0", "\\1", "\\k", "\\p{L}", "\\P{Lu}", "\\p{Nope}", "\\p{gc=Nd}", "\\-", "\\n", " ", "\u{130}",
        "\u{212A}",
    ]

    private static let letters = [
        "a", "b", "é", "e\u{301}", "\u{1F600}", "0", "9", " ", "\n", "\u{2028}", "_", "-", "A", "\u{212A}", "\u{0}", "\\",
    ]
}
