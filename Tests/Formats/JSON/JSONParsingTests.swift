import Testing
import TidingsJSON

@Suite struct JSONParsingTests {
    /// The error with which the text is refused. Nil: the text was accepted.
    private func refusal(_ bytes: [UInt8], _ limits: JSONLimits = .standard) -> JSONParseError? {
        do throws(JSONParseError) {
            _ = try JSON.parse(bytes, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    private func refusal(_ text: String) -> JSONParseError? { refusal(Array(text.utf8)) }

    @Test(arguments: [
        "", " ", "{", "[", "[1", "[1,", "[1,]", "[,1]", "{,}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{'a':1}", "nul", "True",
        "01", "-01", "-", "1.", ".5", "1e", "1e+", "+1", "NaN", "Infinity", "\"abc", "\"\\", "\"\\x41\"", "\"\\u12\"", "\"\\u12G4\"",
        "\"a\u{1}b\"", "\"a\nb\"", "[1 2]", "{\"a\" 1}", "\u{FEFF}{}", "// c\n1", "[1}", "{\"a\":1]",
    ])
    func malformedTextIsNotJSON(_ text: String) {
        #expect(refusal(text)?.code == .notJSON, "\(text)")
    }

    /// A sender that compresses learns that this is the cause.
    @Test(
        arguments: [
            ([0x1F, 0x8B, 0x08, 0x00], "gzip"), (Array("H4sIAAAA".utf8), "gzip in Base64"), ([0x78, 0x9C, 0xAB], "zlib"),
            ([0x78, 0x01, 0xAB], "zlib"), ([0x28, 0xB5, 0x2F, 0xFD, 0x04], "Zstandard"), ([0x04, 0x22, 0x4D, 0x18], "LZ4"),
            (Array("BZh9".utf8), "bzip2"), ([0x78, 0xDA], "zlib"), ([0x1F, 0x8B], "gzip"),
        ] as [([UInt8], String)])
    func aCompressedDocumentIsNamed(_ bytes: [UInt8], _ form: String) throws {
        let error = try #require(refusal(bytes))
        #expect(error.code == .notJSON && error.message.contains("looks like \(form):"), "\(error)")
        let split = #expect(throws: JSONParseError.self) { try JSON.splitArray(bytes, maximumElements: 10) }
        #expect(split?.message == error.message)
    }

    @Test func anotherWidthOfUnicodeIsNamed() {
        for bytes in [[0x7B, 0x00, 0x22, 0x00], [0x00, 0x7B, 0x00, 0x22], [0x00, 0x00, 0x00, 0x7B]] as [[UInt8]] {
            let error = refusal(bytes)
            #expect(error?.code == .nulCharacter && error?.message.contains("UTF-16") == true, "\(bytes): \(String(describing: error))")
        }
        #expect(refusal("{\"a\":\0}")?.message.contains("UTF-16") == false)
    }

    @Test(arguments: ["1 2", "{} {}", "null,", "[]]", "1x", "0x10", "nulll", "truefalse", "\"a\"\"b\""])
    func textBehindTheDocumentIsRefused(_ text: String) { #expect(refusal(text)?.code == .trailingContent) }

    @Test(
        arguments: [
            ("null", JSON.null), ("true", true), (" false ", false), ("\r\n\t0", 0), ("-0", 0), ("[]", []), ("{}", [:]),
            ("[[],{}]", [[], [:]]),
            ("\"\"", ""), (#""\u0041\n\"\\\/\b\f\r\t""#, "A\n\"\\/\u{8}\u{C}\r\t"), (#""\ud83d\udc32""#, "🐲"),
            (#""é🐲 and a longer text""#, "é🐲 and a longer text"),
            (#"{"a":1,"b":[true,null]}"#, .object(object(("a", 1), ("b", .array([true, .null]))))),
        ] as [(String, JSON)])
    func wellFormedTextIsTaken(_ text: String, _ value: JSON) throws { #expect(try JSON.parse(text) == value) }

    @Test func memberOrderAndNumberTextAreKept() throws {
        let text = #"{"z":1.50,"a":-0.0,"m":1e400,"k":123456789012345678901234567890}"#
        #expect(try JSON.parse(text).serialized == text)
    }

    @Test(
        arguments: [
            [0xC0, 0xAF], [0xC3, 0x28], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF], [0x80], [0xE0, 0x80, 0x80],
            [0xF0, 0x80, 0x80, 0x80],
        ] as [[UInt8]])
    func malformedUTF8IsRefusedWhereItStands(_ bad: [UInt8]) {
        for prefix in ["", "abcdefghijklmnop", "\\n"] {
            let bytes = Array("{\"k\":[\"\(prefix)".utf8) + bad + Array("\"]}".utf8)
            let error = refusal(bytes)
            #expect(error?.code == .invalidUTF8)
            #expect(error?.pointer == "/k/0")
        }
        let error = refusal(Array("\"abcdefgh".utf8) + bad + Array("\"".utf8))
        #expect(error?.offset == 9)
        #expect(refusal(Array("{\"".utf8) + bad + Array("\":1}".utf8))?.code == .invalidUTF8)
    }

    @Test(arguments: [
        #""\ud800""#, #""\udc00""#, #""\ud800x""#, #""\ud800\n""#, #""\ud800\ud800""#, #""\ud800\u0041""#, #""\udfff\ud800""#,
    ])
    func loneSurrogatesAreRefused(_ text: String) { #expect(refusal(text)?.code == .invalidUTF8) }

    @Test func nulIsRefusedRawAndEscaped() {
        #expect(refusal(#"{"a":"x\u0000y"}"#)?.code == .nulCharacter)
        #expect(refusal(#"{"a\u0000":1}"#)?.code == .nulCharacter)
        #expect(refusal("\"a\u{0}b\"")?.code == .nulCharacter)
        #expect(refusal("[1,\u{0}]")?.code == .nulCharacter)
        #expect(refusal("\u{0}")?.code == .nulCharacter)
    }

    @Test func nulIsTakenWhenAskedFor() throws {
        var limits = JSONLimits()
        limits.allowsNulCharacter = true
        #expect(try JSON.parse(#""a\u0000""#, limits: limits) == "a\u{0}")
        #expect(refusal(Array("\"a\u{0}b\"".utf8), limits)?.code == .nulCharacter, "a raw NUL is never JSON")
    }

    @Test func duplicateNamesAreRefusedInSmallAndLargeObjects() {
        #expect(refusal(#"{"a":{"b":1,"c":2,"b":3}}"#)?.pointer == "/a/b")
        #expect(refusal(#"{"a":1,"\u0061":2}"#)?.code == .duplicateKey)
        let many = (0..<100).map { "\"k\($0)\":0" }.joined(separator: ",")
        #expect(refusal("{\(many)}") == nil)
        #expect(refusal("{\(many),\"k3\":0}")?.code == .duplicateKey)
        #expect(refusal("{\(many),\"k99\":0}")?.code == .duplicateKey)
    }

    @Test func canonicallyEquivalentNamesAreDifferentNames() throws {
        let value = try JSON.parse("{\"\u{E9}\":1,\"e\u{301}\":2}")
        #expect(value["\u{E9}"] == 1)
        #expect(value["e\u{301}"] == 2)
        #expect(JSON.string("\u{E9}") != JSON.string("e\u{301}"))
    }

    @Test(arguments: [("[", "]"), ("{\"a\":", "}")])
    func depthIsBoundedAtAnyDepth(_ open: String, _ close: String) {
        func nested(_ depth: Int) -> [UInt8] {
            Array(String(repeating: open, count: depth).utf8) + Array("1".utf8) + Array(String(repeating: close, count: depth).utf8)
        }
        #expect(refusal(nested(64)) == nil)
        #expect(refusal(nested(65))?.code == .tooDeep)
        #expect(refusal(nested(10_000))?.code == .tooDeep)
        #expect(refusal(nested(1_000_000))?.code == .tooDeep)
        var limits = JSONLimits()
        limits.maximumDepth = .max
        #expect(refusal(nested(1_000_000), limits)?.code == .tooDeep, "the stack is never at stake")
        #expect(refusal(nested(500), limits) == nil)
    }

    @Test func nodesAndNumbersAreBounded() {
        var limits = JSONLimits()
        limits.maximumNodes = 10
        #expect(refusal(Array("[1,2,3,4,5,6,7,8,9]".utf8), limits) == nil)
        #expect(refusal(Array("[1,2,3,4,5,6,7,8,9,10]".utf8), limits)?.code == .tooManyNodes)
        #expect(refusal(String(repeating: "9", count: 1_000)) == nil)
        #expect(refusal(String(repeating: "9", count: 1_001))?.code == .numberTooLong)
    }

    @Test func errorsNameThePlace() {
        let error = refusal(#"{"data":{"a/b~c":[0,{"x":tru}]}}"#)
        #expect(error?.pointer == "/data/a~1b~0c/1/x")
        #expect(error?.offset == 25)
    }

    @Test func everyTruncationAndEveryFlippedByteEndsInAVerdict() {
        let text = Array(#"{"specversion":"1.0","id":"o-17","data":{"n":[1,-2.5e3,true,null],"s":"é\n\ud83d\udc32"}}"#.utf8)
        for length in text.indices { #expect(refusal(Array(text[..<length])) != nil) }
        for place in text.indices {
            for byte in [0, 0x22, 0x5B, 0x5C, 0x7D, 0x80, 0xFF] as [UInt8] {
                var changed = text
                changed[place] = byte
                if let error = refusal(changed) { #expect(error.offset <= changed.count) }
            }
        }
    }
}

/// An object of these members, in this order.
func object(_ members: (String, JSON)...) -> JSONObject {
    var object = JSONObject()
    for (key, value) in members { object[key] = value }
    return object
}
