import Testing
import TidingsJSON
import TidingsJSONSchema

@Suite struct ViolationTests {
    private func violations(_ schema: String, _ instance: String, assertFormats: Bool = false) throws -> [Violation] {
        try JSONSchema(JSON.parse(schema), assertFormats: assertFormats).validate(JSON.parse(instance))
    }

    @Test func everyFaultNamesBothPlaces() throws {
        let schema =
            ##"{"type":"object","required":["orderId","total"],"properties":{"orderId":{"$ref":"#/$defs/id"},"items":{"items":"##
            + ##"{"properties":{"a/b":{"maximum":3}}}},"total":{"type":"integer"}},"$defs":{"id":{"type":"string","minLength":3}},"##
            + ##""additionalProperties":false}"##
        let found = try violations(schema, ##"{"orderId":"é","items":[{"a/b":1},{"a/b":4}],"extra":1}"##)
        #expect(
            found.map(\.instancePointer) == ["/orderId", "/items/1/a~1b", "/extra", ""])
        #expect(
            found.map(\.schemaPointer) == [
                "/$defs/id/minLength", "/properties/items/items/properties/a~1b/maximum", "/additionalProperties", "/required",
            ])
        #expect(found.map(\.keyword) == ["minLength", "maximum", "false", "required"])
        #expect(found[0].message == "has 1 characters, at least 3 are needed")
        #expect(found[3].message.contains("\"total\""))
        #expect(found[1].description == "/items/1/a~1b is above 3")
    }

    @Test func everyAssertionKeywordReportsItself() throws {
        let cases = [
            (##"{"const":1}"##, "2", "const"), (##"{"enum":[1,2]}"##, "3", "enum"), (##"{"multipleOf":0.01}"##, "0.015", "multipleOf"),
            (##"{"maximum":1}"##, "1.1", "maximum"), (##"{"exclusiveMaximum":1}"##, "1.0", "exclusiveMaximum"),
            (##"{"minimum":1}"##, "0", "minimum"),
            (##"{"exclusiveMinimum":1}"##, "1", "exclusiveMinimum"), (##"{"maxLength":1}"##, ##""ab""##, "maxLength"),
            (##"{"pattern":"^a"}"##, ##""b""##, "pattern"),
            (##"{"maxItems":1}"##, "[1,2]", "maxItems"), (##"{"minItems":1}"##, "[]", "minItems"),
            (##"{"uniqueItems":true}"##, "[1,1.0]", "uniqueItems"),
            (##"{"contains":{"const":1}}"##, "[2]", "contains"), (##"{"contains":{"const":1},"minContains":2}"##, "[1]", "minContains"),
            (##"{"contains":{"const":1},"maxContains":1}"##, "[1,1]", "maxContains"),
            (##"{"maxProperties":0}"##, ##"{"a":1}"##, "maxProperties"),
            (##"{"minProperties":1}"##, "{}", "minProperties"),
            (##"{"dependentRequired":{"a":["b"]}}"##, ##"{"a":1}"##, "dependentRequired"),
            (##"{"propertyNames":{"maxLength":1}}"##, ##"{"ab":1}"##, "maxLength"), (##"{"anyOf":[false,false]}"##, "1", "anyOf"),
            (##"{"oneOf":[true,true]}"##, "1", "oneOf"), (##"{"not":{}}"##, "1", "not"), (##"{"format":"uuid"}"##, ##""x""##, "format"),
            ("false", "1", "false"),
            (##"{"if":true,"then":{"type":"null"}}"##, "1", "type"),
            (##"{"unevaluatedProperties":{"type":"null"}}"##, ##"{"a":1}"##, "type"),
        ]
        for (schema, instance, keyword) in cases {
            let found = try violations(schema, instance, assertFormats: true)
            #expect(found.map(\.keyword) == [keyword], "\(schema)")
            #expect(found.allSatisfy { !$0.message.isEmpty })
        }
    }

    @Test func faultsAreBoundedAndLongNamesAreCut() throws {
        let instance = "{" + (0..<1_000).map { "\"k\($0)\":1" }.joined(separator: ",") + "}"
        #expect(try violations(##"{"additionalProperties":false}"##, instance).count == SchemaLimits.standard.maximumViolations)
        let name = String(repeating: "n", count: 100_000)
        let found = try violations(##"{"additionalProperties":false}"##, "{\"\(name)\":1}")
        #expect(found.count == 1)
        #expect(found.allSatisfy { $0.instancePointer.utf8.count < 200 })
    }

    @Test func recursionThroughTheInstanceWorksToTheParsersDepth() throws {
        let schema =
            ##"{"$ref":"#/$defs/n","$defs":{"n":{"properties":{"a":{"allOf":[{"$ref":"#/$defs/n"}]}},"additionalProperties":false}}}"##
        let good = String(repeating: ##"{"a":"##, count: 63) + "{}" + String(repeating: "}", count: 63)
        #expect(try violations(schema, good) == [])
        let bad = String(repeating: ##"{"a":"##, count: 63) + ##"{"b":1}"## + String(repeating: "}", count: 63)
        #expect(try violations(schema, bad).map(\.keyword) == ["false"])
    }

    @Test func workIsBoundedAndGivingUpIsNeverAcceptance() throws {
        let levels = (0..<40).map { ##""l\##($0)":{"allOf":[{"$ref":"#/$defs/l\##($0 + 1)"},{"$ref":"#/$defs/l\##($0 + 1)"}]}"## }
        let defs = ##""$defs":{\##(levels.joined(separator: ",")),"l40":true}"##
        for schema in [##"{"$ref":"#/$defs/l0",\##(defs)}"##, ##"{"not":{"$ref":"#/$defs/l0"},\##(defs)}"##] {
            let compiled = try JSONSchema(JSON.parse(schema))
            #expect(compiled.validate(1).contains { $0.message.contains("more work") })
            #expect(!compiled.isValid(1))
        }
    }

    @Test func endlessDynamicReferencesEnd() throws {
        let schema = try JSONSchema(JSON.parse(##"{"$dynamicAnchor":"a","allOf":[{"$dynamicRef":"#a"}]}"##))
        #expect(!schema.isValid(1))
        #expect(!schema.validate(1).isEmpty)
    }

    @Test func oneSchemaServesManyThreads() async throws {
        let schema = try JSONSchema(JSON.parse(##"{"properties":{"a":{"pattern":"^(x|y)+$"}},"required":["a"]}"##))
        let good = try JSON.parse(##"{"a":"xyxy"}"##)
        let bad = try JSON.parse(##"{"a":"xyz"}"##)
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<64 { group.addTask { schema.isValid(number.isMultiple(of: 2) ? good : bad) == number.isMultiple(of: 2) } }
            for await isRight in group { #expect(isRight) }
        }
    }
}
