import Testing
import TidingsJSON

/// The place of a value in a document that cannot be parsed as a whole.
@Suite struct LenientReaderTests {
    private func text(_ path: [String], _ document: String) -> String? {
        let bytes = Array(document.utf8)
        return LenientReader.place(of: path, in: bytes).map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    /// A path with a document, and the text of the value there.
    static let places: [([String], String, String?)] = [
        ([], " [1, 2] ", "[1, 2]"), (["a"], #"{"a": 1 , "b":2}"#, "1"), (["b"], #"{"a":1,"b": "x,]}" }"#, #""x,]}""#),
        (["a", "1", "b"], #"{"a":[{"b":0},{"b":[3]}]}"#, "[3]"), (["a/b", ""], #"{"a/b":{"":{}}}"#, "{}"),
        (["a"], #"{"\u0061":7}"#, "7"), ([], "\u{FEFF}[]", "[]"), (["0"], "[]", nil), (["01"], "[1,2]", nil), (["-"], "[1]", nil),
        (["a"], "[1]", nil), (["a"], "7", nil), (["a", "b"], #"{"a":"b"}"#, nil), (["a"], "", nil), ([], "", nil),
        // Of equal names, the last one counts.
        (["a"], #"{"a":1,"a":2}"#, "2"), (["a", "b"], #"{"a":{"b":1},"a":[]}"#, nil),
        // Values beside the place may have any fault, as long as brackets and strings end.
        (["a"], #"{"x":[tru,{"y":}],"a":[1,,{"z":'q'}],"x":9}"#, #"[1,,{"z":'q'}]"#),
        (["a"], #"{"a":1"#, nil), (["a"], #"{"a":1} x"#, nil), (["a"], #"{"a":1,"b":"x}"#, nil), (["a"], #"{"a":1,"b":[}"#, nil),
    ]

    @Test(arguments: places) func aPathLeadsToAValue(_ path: [String], _ document: String, _ value: String?) {
        #expect(text(path, document) == value)
    }

    @Test func aValueMayBeBesideOneOfAnyDepth() {
        let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        #expect(text(["b"], #"{"a":\#(deep),"b":true}"#) == "true")
        #expect(text(["a"], #"{"a":\#(deep),"b":true}"#) == deep)
    }
}
