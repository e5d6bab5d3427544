import Testing
import TidingsEncodings

@Suite struct PlaceholderTextTests {
    private struct Unknown: Error, Equatable { let name: String }

    private static func text(_ text: String) throws -> PlaceholderText<String> {
        let (read, problems) = PlaceholderText<String>.read(text)
        try #require(problems.isEmpty)
        return read
    }

    @Test func aTextIsReadPartByPart() throws {
        #expect(try Self.text("a {{b}}{{ c\t}} d").parts == [.text("a "), .value("b"), .value("c"), .text(" d")])
        #expect(try Self.text("{{a b}}").names == ["a b"])
        #expect(try Self.text("plain } {").parts == [.text("plain } {")])
        #expect(try Self.text("").parts.isEmpty)
    }

    @Test func valuesAreEscapedAndTheTextIsNot() throws {
        let text = try Self.text("<{{a}}> & {{b}}")
        #expect(text.render({ $0 + "<" }, escaping: { $0.uppercased() }) == "<A<> & B<")
        #expect(text.render { "{{\($0)}}" } == "<{{a}}> & {{b}}", "a value is no template")
    }

    @Test(arguments: [
        ("{{", 0, ["\"{{\" is never closed by \"}}\""]), ("a {{b}} {{c", 1, ["\"{{\" is never closed by \"}}\""]),
        ("{{}} {{ }} {{a}}", 1, ["\"{{}}\" names no field"]),
        ("{{}}{{", 0, ["\"{{}}\" names no field", "\"{{\" is never closed by \"}}\""]),
    ])
    func everyProblemIsToldOnce(_ text: String, _ names: Int, _ problems: [String]) {
        let found = PlaceholderText<String>.read(text)
        #expect(found.problems == problems)
        #expect(found.text.names.count == names, "the part before a problem is read")
    }

    @Test func namesGetTheirMeaning() throws {
        let text = try Self.text("{{1}} and {{22}}")
        let counted = text.naming { $0.count }
        #expect(counted.parts == [.value(1), .text(" and "), .value(2)])
        #expect(counted.names == [1, 2])
        #expect(throws: Unknown(name: "22")) {
            try text.naming { (name: String) throws(Unknown) -> Int in
                guard name.count == 1 else { throw Unknown(name: name) }
                return 1
            }
        }
    }
}
