import Testing
import TidingsJSON
import TidingsJSONSchema

@Suite struct SchemaRefusalTests {
    private func refusal(_ schema: String, assertFormats: Bool = false) throws -> SchemaError? {
        let json = try JSON.parse(schema)
        do throws(SchemaError) {
            _ = try JSONSchema(json, assertFormats: assertFormats)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        (##"{"requierd":["a"]}"##, SchemaError.Code.unknownKeyword, "requierd", ""),
        (##"{"properties":{"a/b":{"minimun":1}}}"##, .unknownKeyword, "minimun", "/properties/a~1b"),
        (##"{"allOf":[{"dependencies":{}}]}"##, .unsupportedKeyword, "dependencies", "/allOf/0"),
        (##"{"definitions":{}}"##, .unsupportedKeyword, "definitions", ""),
        (##"{"$vocabulary":{}}"##, .unsupportedKeyword, "$vocabulary", ""),
        (##"{"$schema":"http://json-schema.org/draft-07/schema#"}"##, .unsupportedDraft, "$schema", ""),
        (##"{"type":"int"}"##, .invalidValue, "type", ""), (##"{"type":[]}"##, .invalidValue, "type", ""),
        (##"{"type":["string","string"]}"##, .invalidValue, "type", ""), (##"{"required":"a"}"##, .invalidValue, "required", ""),
        (##"{"required":["a","a"]}"##, .invalidValue, "required", ""), (##"{"minLength":-1}"##, .invalidValue, "minLength", ""),
        (##"{"minLength":1.5}"##, .invalidValue, "minLength", ""), (##"{"multipleOf":0}"##, .invalidValue, "multipleOf", ""),
        (##"{"multipleOf":-1}"##, .invalidValue, "multipleOf", ""), (##"{"maximum":"1"}"##, .invalidValue, "maximum", ""),
        (##"{"enum":1}"##, .invalidValue, "enum", ""), (##"{"allOf":[]}"##, .invalidValue, "allOf", ""),
        (##"{"allOf":{}}"##, .invalidValue, "allOf", ""),
        (##"{"properties":[]}"##, .invalidValue, "properties", ""), (##"{"items":[true]}"##, .invalidValue, "", "/items"),
        (##"{"uniqueItems":1}"##, .invalidValue, "uniqueItems", ""), (##"{"title":1}"##, .invalidValue, "title", ""),
        (##"{"examples":1}"##, .invalidValue, "examples", ""), (##"{"readOnly":"yes"}"##, .invalidValue, "readOnly", ""),
        (##"{"$id":"#a"}"##, .invalidValue, "$id", ""), (##"{"$id":"a b"}"##, .invalidValue, "$id", ""),
        (##"{"$anchor":"1a"}"##, .invalidValue, "$anchor", ""),
        (##"{"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}}"##, .invalidValue, "$anchor", "/$defs/b"),
        (##"{"$defs":{"a":{"$id":"x"},"b":{"$id":"x"}}}"##, .invalidValue, "$id", "/$defs/b"), ("1", .invalidValue, "", ""),
        (##"{"$ref":"#/$defs/none"}"##, .unresolvedReference, "$ref", ""), (##"{"$ref":"#none"}"##, .unresolvedReference, "$ref", ""),
        (##"{"$ref":"#/enum/0","enum":[true]}"##, .unresolvedReference, "$ref", ""),
        (##"{"$dynamicRef":"#none"}"##, .unresolvedReference, "$dynamicRef", ""),
        (##"{"$ref":"https://example.com/other"}"##, .remoteReference, "$ref", ""),
        (##"{"$ref":"other.json"}"##, .remoteReference, "$ref", ""),
        (##"{"$ref":"#"}"##, .referenceLoop, "$ref", ""),
        (##"{"anyOf":[{"type":"null"},{"not":{"$ref":"#"}}]}"##, .referenceLoop, "$ref", "/anyOf/1/not"),
        (##"{"pattern":"(?=a)"}"##, .unsupportedPattern, "pattern", ""),
        (##"{"patternProperties":{"(":true}}"##, .unsupportedPattern, "patternProperties", ""),
        (##"{"format":1}"##, .invalidValue, "format", ""),
    ])
    func anUnsupportedKeywordIsRefusedByName(_ schema: String, _ code: SchemaError.Code, _ keyword: String, _ pointer: String) throws {
        let error = try #require(try refusal(schema), "\(schema) was taken")
        #expect(error.code == code)
        #expect(error.keyword == keyword)
        #expect(error.pointer == pointer)
    }

    /// A schema, and the pointer and keyword of each of its errors.
    static let severalErrors: [(String, [String])] = [
        (
            ##"{"type":"strin","properties":{"a":{"minimun":1,"maxLength":-1},"b":5,"c":{"pattern":"("}},"required":"a"}"##,
            ["/properties/a minimun", "/properties/b ", " type", " required", "/properties/a maxLength", "/properties/c pattern"]
        ),
        (##"{"$ref":"#/$defs/none","minimun":1,"format":"hostname"}"##, [" minimun", " $ref", " format"]),
        (
            ##"{"patternProperties":{"(":true,"[":true},"dependentRequired":{"a":1,"b":[1]}}"##,
            Array(repeating: " patternProperties", count: 2)
                + Array(repeating: " dependentRequired", count: 2)
        ),
        (##"{"allOf":[],"anyOf":{},"$schema":1,"not":{"$ref":"#"}}"##, [" $schema", " allOf", " anyOf", "/not $ref"]),
        // Each of these has one error, and the others are its consequences.
        (##"{"$ref":"#/$defs/a","$deffs":{"a":{"type":"string"}}}"##, [" $deffs"]),
        (##"{"$ref":"#a/b","$defs":{"x":{"$anchor":"a/b"}}}"##, ["/$defs/x $anchor"]), (##"{"properties":[]}"##, [" properties"]),
        (##"{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":7}}"##, ["/$defs/a "]), ("true", []), (##"{"minimum":1}"##, []),
    ]

    @Test(arguments: severalErrors) func everyErrorIsTold(_ schema: String, _ expected: [String]) throws {
        let errors = JSONSchema.errors(in: try JSON.parse(schema), assertFormats: true)
        #expect(errors.map { "\($0.pointer) \($0.keyword)" } == expected, "\(errors)")
        #expect(try refusal(schema, assertFormats: true) == errors.first)
    }

    @Test func unknownFormatsAreAnnotationsUntilTheyAreAsserted() throws {
        #expect(try refusal(##"{"format":"hostname"}"##) == nil)
        #expect(try refusal(##"{"format":"hostname"}"##, assertFormats: true)?.code == .unsupportedFormat)
        #expect(try refusal(##"{"format":"date-time"}"##, assertFormats: true) == nil)
    }

    @Test func annotationsAndOwnNamesAreTaken() throws {
        let schema =
            ##"{"x-icon":{"any":["thing"]},"title":"t","description":"d","default":1,"examples":[1],"deprecated":true,"readOnly":false,"##
            + ##""writeOnly":true,"$comment":"c","contentEncoding":"base64","contentMediaType":"a/b","contentSchema":{"type":"string"}}"##
        #expect(try refusal(schema) == nil)
        #expect(try JSONSchema(JSON.parse(schema)).validate(5) == [])
    }

    /// The list has every keyword of the draft's vocabularies, taken from its metaschemas.
    @Test func noKeywordOfTheDraftIsForgotten() {
        let draft = """
            $id $schema $ref $anchor $dynamicRef $dynamicAnchor $vocabulary $comment $defs prefixItems items contains additionalProperties \
            properties patternProperties dependentSchemas propertyNames if then else allOf anyOf oneOf not unevaluatedItems \
            unevaluatedProperties type const enum multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern \
            maxItems minItems uniqueItems maxContains minContains maxProperties minProperties required dependentRequired title description \
            default deprecated readOnly writeOnly examples format contentEncoding contentMediaType contentSchema definitions dependencies \
            $recursiveRef $recursiveAnchor
            """
        for keyword in draft.split(separator: " ").map(String.init) {
            let isSupported = JSONSchema.supportedKeywords.contains(keyword)
            #expect(isSupported != (JSONSchema.refusedKeywords[keyword] != nil), "\(keyword)")
        }
    }

    @Test func schemasAreBounded() throws {
        let wide = "{\"allOf\":[" + Array(repeating: "{}", count: 10_001).joined(separator: ",") + "]}"
        #expect(try refusal(wide)?.code == .tooLarge)
        var deep: JSON = true
        for _ in 0..<200 { deep = ["not": deep] }
        #expect(throws: SchemaError.self) { try JSONSchema(deep) }
        // A schema that is too large ends with that error, whatever else is wrong behind it.
        let broken = "{\"allOf\":[" + Array(repeating: "{}", count: 10_001).joined(separator: ",") + "],\"anyOf\":[],\"minimun\":1}"
        #expect(JSONSchema.errors(in: try JSON.parse(broken)).map(\.code) == [.tooLarge])
    }
}
