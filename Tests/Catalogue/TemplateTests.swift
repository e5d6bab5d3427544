import Testing
import TidingsCatalogue
import TidingsJSON

@Suite struct TemplateTests {
    private func render(_ template: String, _ data: JSON) throws -> String {
        try Template(template).render(#require(data.objectValue))
    }

    @Test func fieldsTakeTheirValue() throws {
        #expect(try render("Order {{id}} of {{ who }}", ["id": 17, "who": "Ann"]) == "Order 17 of Ann")
        #expect(try render("{{a}}{{b}}", ["a": true, "b": "{{a}}"]) == "true{{a}}")
        #expect(try render("plain } {", [:]) == "plain } {")
    }

    @Test func aValueWithoutTextGivesNothing() throws {
        #expect(try render("<{{x}}{{list}}{{object}}>", ["list": [1], "object": ["a": 1]]) == "<>")
        #expect(try render("<{{n}}>", .object(#require(JSON.parse(#"{"n":null}"#).objectValue))) == "<>")
    }

    @Test func aFieldThatShowsNothingIsKnown() throws {
        func isFilled(_ template: String, _ data: String) throws -> Bool {
            try Template(template).isFilled(by: #require(JSON.parse(data).objectValue))
        }
        #expect(try isFilled("no field", "{}"))
        #expect(try isFilled("{{a}} {{b}} {{c}}", #"{"a": 0, "b": false, "c": ""}"#))
        for value in ["null", "[1]", "[]", "{}"] { #expect(try !isFilled("{{x}} {{a}}", #"{"a": \#(value), "x": 1}"#), "\(value)") }
        #expect(try !isFilled("{{type}}", #"{"a": 1}"#))
    }

    @Test(arguments: ["{{", "a {{b", "{{}}", "{{  }}", "{{a}} {{"]) func aBrokenTemplateIsRefused(text: String) {
        #expect(throws: Template.Problem.self) { try Template(text) }
    }

    @Test func fieldsAreListed() throws {
        #expect(try Template("{{a}} and {{b}} and {{a}}").fields == ["a", "b", "a"])
    }
}
