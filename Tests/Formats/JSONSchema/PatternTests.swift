import Testing

@testable import TidingsJSONSchema

@Suite struct PatternTests {
    @Test(arguments: [
        ("", "", true), ("", "abc", true), ("b", "abc", true), ("^b", "abc", false), ("c$", "abc", true), ("^abc$", "abc\n", false),
        ("a|b|", "x", true),
        ("^(?:ab|c)+$", "abcab", true), ("^(?:ab|c)+$", "abca", false), ("^a?b*c+$", "c", true), ("^a{2}$", "aa", true),
        ("^a{2}$", "aaa", false),
        ("^a{2,}$", "aaaa", true), ("^a{2,3}$", "aaaa", false), ("^a{0,1}$", "", true), ("^a{0}$", "", true), ("^a+?$", "aaa", true),
        ("^.$", "🐲", true),
        ("^.$", "\n", false), ("^[^a-c]$", "d", true), ("^[^a-c]$", "b", false), ("^[a\\-z]$", "-", true), ("^[-a]$", "-", true),
        ("^[a-]$", "-", true),
        ("^[\\d\\s]+$", "1 2", true), ("^[^\\d]$", "5", false), ("[]", "a", false), ("^[^]$", "\n", true),
        ("^\\u0041\\x42\\u{1F432}$", "AB🐲", true),
        ("^\\ud83d\\udc32$", "🐲", true), ("^\\p{Lu}\\P{Lu}$", "Éé", true), ("^\\p{General_Category=Nd}$", "৪", true),
        ("\\bcat\\b", "a cat.", true),
        ("\\bcat\\b", "concat", false), ("\\Bcat", "concat", true), ("^(a*)*$", "aaab", false), ("^(a|a)*$", "aaaa", true),
        ("(^a|b)c", "bc", true),
        ("(^a|b)c", "xac", false), ("^(?<year>\\d{4})-\\d\\d$", "2026-11", true), ("^\\/\\.\\-$", "/.-", true), ("^\\cJ$", "\n", true),
        ("x*$", "yyx", true),
        ("^^a$$", "a", true), ("^[\\b]$", "\u{8}", true), ("^\\w+$", "é", false), ("é", "e\u{301}", false),
    ])
    func aPatternMatchesAsECMAScriptDoes(_ pattern: String, _ text: String, _ isMatch: Bool) throws {
        #expect(try Pattern(pattern).matches(text) == isMatch, "\(pattern) on \(text)")
    }

    @Test(arguments: [
        "(", ")", "(a", "a)", "[a", "[z-a]", "*", "a**", "+a", "?", "{1}", "a{2,1}", "a{", "a{1", "a{x}", "}", "]", "\\", "\\1", "\\k<a>",
        "(?=a)", "(?!a)", "(?<=a)",
        "(?<!a)", "(?x)", "\\y", "\\p", "\\p{Nope}", "\\p{Script=Latin}", "\\u12", "\\u{110000}", "\\x1", "\\c1", "^*", "\\b+", "[\\d-z]",
        "\\01", "a{100000}",
        "((a{1000}){1000}){1000}", "(((){2000}){2000}){2000}", String(repeating: "(", count: 100_000), "(?<1>",
    ])
    func aPatternThatIsNotOfferedIsRefused(_ pattern: String) {
        #expect(throws: PatternError.self) { try Pattern(pattern) }
    }

    @Test func timeGrowsWithTheTextAndNotWithItsPossibilities() throws {
        let text = String(repeating: "a", count: 5_000) + "!"
        for pattern in ["^(a+)+$", "^(a|aa)+$", "^(a|a?)+$", "(a*)*b", "(.*.*.*)=", "^(([a-z])+.)+[A-Z]([a-z])+$"] {
            #expect(try !Pattern(pattern).matches(text), "\(pattern)")
        }
    }
}
