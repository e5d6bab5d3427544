import Testing
import TidingsJSON

/// Documents of other systems. A text that nobody reads must not cost the texts beside it.
@Suite struct LenientParsingTests {
    private func refusal(_ text: String, _ limits: JSONLimits = .standard, refusingDuplicates: Bool = false) -> JSONParseError.Code? {
        do throws(JSONParseError) {
            _ = try JSON.parse(leniently: Array(text.utf8), limits: limits, refusingDuplicates: refusingDuplicates)
            return nil
        } catch {
            return error.code
        }
    }

    /// Texts in quotes, and the texts that are read.
    static let texts: [(String, String)] = [
        (#"\ud83d"#, "\u{FFFD}"), (#"Anna \ud83d"#, "Anna \u{FFFD}"), (#"\udc32x"#, "\u{FFFD}x"), (#"\ud800\ud83d\udc32"#, "\u{FFFD}🐲"),
        (#"\ud800\u0041"#, "\u{FFFD}A"), (#"\ud800\n"#, "\u{FFFD}\n"), (#"\ud83d\udc32"#, "🐲"), (#"\ud800\ud800"#, "\u{FFFD}\u{FFFD}"),
        (#"a\u0000b"#, "a\u{FFFD}b"), ("a\u{0}b", "a\u{FFFD}b"), ("a\u{1}\tb\nc", "a\u{1}\tb\nc"), (#"it\'s \x41"#, "it's x41"),
        (#"\u12"#, "\u{FFFD}"), (#"\u12G4"#, "\u{FFFD}G4"), (#"\u"#, "\u{FFFD}"), (#"\é"#, "é"), ("\\\u{0}", "\u{FFFD}"),
    ]

    @Test(arguments: texts)
    func aTextThatCannotBeKeptIsReplaced(_ written: String, _ read: String) throws {
        let document = try JSON.parse(leniently: Array("{\"a\":\"\(written)\",\"b\":[1]}".utf8))
        #expect(document == ["a": .string(read), "b": [1]], "\(document.serialized)")
        #expect(try JSON.parse(leniently: Array("\"\(written)\"".utf8)) == .string(read))
    }

    @Test func malformedUTF8IsReplaced() throws {
        let latin1 = Array(#"{"name":"Jos"#.utf8) + [0xE9] + Array(#"","state":"read"}"#.utf8)
        #expect(try JSON.parse(leniently: latin1) == ["name": "Jos\u{FFFD}", "state": "read"])
        let inName = Array("{\"".utf8) + [0xFF] + Array(#"":1,"state":"read"}"#.utf8)
        #expect(try JSON.parse(leniently: inName) == ["\u{FFFD}": 1, "state": "read"])
    }

    @Test(
        arguments: [
            ("\u{FEFF}{}", [:]), ("\u{FEFF} 1", 1), (#"[NaN,Infinity,-Infinity,-1]"#, [.null, .null, .null, -1]),
        ] as [(String, JSON)])
    func anAdditionOfSomeWritersIsRead(_ text: String, _ value: JSON) throws {
        #expect(try JSON.parse(leniently: Array(text.utf8)) == value)
    }

    @Test func theLastOfEqualNamesCounts() throws {
        let document = try JSON.parse(leniently: Array(#"{"a":1,"b":2,"\u0061":3,"c":{"d":4,"d":5}}"#.utf8))
        #expect(document == ["a": 3, "b": 2, "c": ["d": 5]])
        let many = (0..<100).map { "\"k\($0 % 60)\":\($0)" }.joined(separator: ",")
        let object = try #require(try JSON.parse(leniently: Array("{\(many)}".utf8)).objectValue)
        #expect(object.count == 60 && object["k3"] == 63 && object["k50"] == 50)
        for text in [#"{"a":1,"a":2}"#, "{\(many)}"] { #expect(refusal(text, refusingDuplicates: true) == .duplicateKey) }
        #expect(refusal(#"{"a":"\ud83d"}"#, refusingDuplicates: true) == nil)
    }

    @Test(arguments: [
        "", "\u{FEFF}", "{", "[1,]", "{a:1}", "01", "nan", "inf", "+1", "-I", "-Inf", "N", "<html>", #""abc"#, #""abc\"#, #""\u12"#,
        #"{"a":1}{}"#,
    ])
    func otherTextIsStillNoJSON(_ text: String) { #expect(refusal(text) != nil) }

    @Test func theLimitsAreThoseOfTheStrictReading() {
        let deep = String(repeating: "[", count: 65) + String(repeating: "]", count: 65)
        #expect(refusal(deep) == .tooDeep)
        #expect(refusal(String(repeating: "[", count: 1_000_000)) == .tooDeep)
        #expect(refusal(String(repeating: "9", count: 1_001)) == .numberTooLong)
        var limits = JSONLimits()
        limits.maximumNodes = 3
        #expect(refusal("[1,2,3]", limits) == .tooManyNodes)
    }

    @Test func aStrictDocumentIsReadAlike() throws {
        let text = #"{"z":1.50,"a":-0.0,"m":1e400,"s":"é\n\ud83d\udc32\"\\\/","n":[true,null,{}]}"#
        #expect(try JSON.parse(leniently: Array(text.utf8)) == JSON.parse(text))
        #expect(try JSON.parse(leniently: Array(text.utf8)).serialized == JSON.parse(text).serialized)
    }

    /// For documents that say who somebody is: a text that cannot be kept is no text, and nothing else is lenient.
    @Test func halfASurrogateMayBeReadAsNull() throws {
        var limits = JSONLimits()
        limits.readsHalfSurrogatesAsNull = true
        let document = try JSON.parse(#"{"name":"Anna \ud83d","sub":"p-7","list":["\udc00","a"],"\ud800":1}"#, limits: limits)
        #expect(document == ["name": .null, "sub": "p-7", "list": [.null, "a"], "\u{FFFD}": 1])
        for text in [#"{"a":"\u0000"}"#, #"{"a":1,"a":2}"#, #"{"\ud800":1,"\udc00":2}"#, #"{"a":"\x"}"#] {
            #expect(throws: JSONParseError.self) { try JSON.parse(text, limits: limits) }
        }
        let both = try JSON.parse(leniently: Array(#"["\ud83d","\u0000"]"#.utf8), limits: limits)
        #expect(both == [.null, "\u{FFFD}"])
    }
}
