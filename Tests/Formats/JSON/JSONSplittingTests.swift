import Testing
import TidingsJSON

@Suite struct JSONSplittingTests {
    private func split(_ text: String, maximum: Int = 100) throws -> [String] {
        let bytes = Array(text.utf8)
        return try JSON.splitArray(bytes, maximumElements: maximum).map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    @Test(arguments: [
        ("[]", []), (" [ ] ", []), ("[1]", ["1"]),
        (" [ 1 , \"a,]\\\"[\" ,{\"k\":[1,2]}, [] ] ", ["1", "\"a,]\\\"[\"", "{\"k\":[1,2]}", "[]"]),
        ("[{\"a\":1},{broken},{\"b\":2}]", ["{\"a\":1}", "{broken}", "{\"b\":2}"]), ("[1,,2]", ["1", "", "2"]), ("[1,]", ["1", ""]),
        ("[\"\\\\\",2]", ["\"\\\\\"", "2"]),
    ])
    func elementsAreFoundWhole(_ text: String, _ elements: [String]) throws { #expect(try split(text) == elements) }

    @Test(arguments: [
        ("", JSONParseError.Code.notJSON), ("{}", .notJSON), ("1", .notJSON), ("[1", .notJSON), ("[\"a]", .notJSON), ("[\"a\\", .notJSON),
        ("[{]", .notJSON),
        ("[1}", .notJSON), ("[1] x", .trailingContent), ("[1][2]", .trailingContent),
    ])
    func aBrokenArrayIsRefused(_ text: String, _ code: JSONParseError.Code) {
        #expect { try split(text) } throws: { ($0 as? JSONParseError)?.code == code }
    }

    @Test func elementsAreCountedBeforeTheEnd() throws {
        #expect(try split("[1,2,3]", maximum: 3).count == 3)
        #expect { try split("[1,2,3,4]", maximum: 3) } throws: { ($0 as? JSONParseError)?.code == .tooManyElements }
        #expect { try split("[1,2,3,4, never ending", maximum: 3) } throws: { ($0 as? JSONParseError)?.code == .tooManyElements }
        #expect { try split("[1]", maximum: 0) } throws: { ($0 as? JSONParseError)?.code == .tooManyElements }
        let many = "[" + Array(repeating: "{}", count: 100_000).joined(separator: ",") + "]"
        #expect { try split(many, maximum: 1_000) } throws: { ($0 as? JSONParseError)?.code == .tooManyElements }
    }

    @Test func aDeepElementHarmsNoNeighbour() throws {
        let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        #expect(try split("[1,\(deep),2]") == ["1", deep, "2"])
    }
}
