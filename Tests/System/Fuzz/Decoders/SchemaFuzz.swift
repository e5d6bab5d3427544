@testable import TidingsJSON
@testable import TidingsJSONSchema

/// The compiler of JSON Schema, and the validation with the schemas that it accepts.
struct SchemaFuzz: FuzzTarget {
    struct Input {
        var schema: JSON
        var instance: JSON
        var assertsFormats: Bool
    }

    static let name = "schemas"
    let corpus: [Input]
    private let schemas: [JSON]
    private let instances: [JSON]
    private let ofSchemas: JSONMutator
    private let ofInstances: JSONMutator

    init() {
        schemas =
            RepositorySchemas.files(below: "").compactMap { try? JSON.parse($0) }.filter { $0["$schema"] != nil }
            + Self.schemaTexts.compactMap { try? JSON.parse($0) }
        instances =
            RepositorySchemas.files(below: "examples").compactMap { try? JSON.parse($0) }
            + Self.instanceTexts.compactMap { try? JSON.parse($0) }
        ofSchemas = JSONMutator(
            names: SchemaKeyword.allCases.map(\.rawValue) + Array(SchemaKeyword.refused.keys).sorted() + ["x-mine"], values: Self.parts)
        ofInstances = JSONMutator(names: ["number", "total", "items", "a", "b", "kind", "next", "data"], values: instances)
        corpus =
            schemas.map { Input(schema: $0, instance: $0, assertsFormats: true) }
            + instances.map { [schema = schemas[0]] in Input(schema: schema, instance: $0, assertsFormats: true) } + Self.hostile
    }

    func input(_ random: inout FuzzRandom) -> Input {
        let schema = random.pick(schemas)
        let instance = random.pick(instances)
        return Input(
            schema: random.oneIn(4) ? schema : ofSchemas.mutated(schema, &random),
            instance: random.oneIn(4) ? instance : ofInstances.mutated(instance, &random), assertsFormats: random.oneIn(2))
    }

    func bytes(of input: Input) -> [UInt8] { input.schema.serializedBytes + Array("\n\n".utf8) + input.instance.serializedBytes }

    func feed(_ input: Input) throws -> FuzzVerdict {
        let compiled = compile(input)
        switch (compiled, compile(input)) {
        case (.success(let schema), .success):
            try check(schema.validate(input.instance), of: input, schema)
            return .accepted
        case (.failure(let error), .failure(let again)):
            try require(error == again, "compiled twice, two errors")
            try Properties.requirePointer(error.pointer)
            try require(!error.message.isEmpty, "no message")
            let errors = JSONSchema.errors(in: input.schema, assertFormats: input.assertsFormats)
            try require(errors.first == error, "the first of all errors is another one")
            for error in errors { try Properties.requirePointer(error.pointer) }
            return .refused
        default: throw BrokenProperty(description: "compiled twice, two results")
        }
    }

    private func compile(_ input: Input) -> Result<JSONSchema, SchemaError> {
        Result { () throws(SchemaError) in try JSONSchema(input.schema, assertFormats: input.assertsFormats) }
    }

    private func check(_ violations: [Violation], of input: Input, _ schema: JSONSchema) throws {
        try require(violations == schema.validate(input.instance), "validated twice, two results")
        try require(schema.isValid(input.instance) == violations.isEmpty, "valid or not depends on who asks")
        // One violation more reports that the validation stopped early.
        try require(violations.count <= SchemaLimits.standard.maximumViolations + 1, "\(violations.count) violations")
        for violation in violations {
            try Properties.requirePointer(violation.instancePointer)
            try Properties.requirePointer(violation.schemaPointer)
            try require(!violation.message.isEmpty, "no message")
        }
    }

    private static let schemaTexts: [String] = [
        ##"{"type":"object","required":["number"],"properties":{"number":{"type":"string","minLength":1},"total":{"type":"number"}},"additionalProperties":false}"##,
        ##"{"$ref":"#/$defs/node","$defs":{"node":{"properties":{"next":{"$ref":"#/$defs/node"},"kind":{"enum":["a","b",1.0,null]}}}}}"##,
        ##"{"$dynamicAnchor":"m","properties":{"items":{"items":{"$dynamicRef":"#m"}}},"unevaluatedProperties":false}"##,
        ##"{"anyOf":[{"required":["a"]},{"required":["b"]}],"oneOf":[true,{"not":{}}],"allOf":[{"minProperties":0}]}"##,
        ##"{"if":{"properties":{"a":{"const":1}}},"then":{"required":["b"]},"else":{"maxProperties":3},"unevaluatedProperties":{"type":"string"}}"##,
        ##"{"type":"array","prefixItems":[{"type":"integer"},true],"items":{"multipleOf":0.01},"contains":{"minimum":2},"minContains":0,"uniqueItems":true,"unevaluatedItems":false}"##,
        ##"{"patternProperties":{"^[a-z]{1,5}$":{"maxLength":3},"\\p{L}\\d*":{"pattern":"(a|b)*c+?$"}},"propertyNames":{"pattern":"^[^ ]*$"}}"##,
        ##"{"properties":{"a":{"format":"date-time"},"b":{"format":"email"},"data":{"format":"uri-reference"},"kind":{"format":"ipv6"}}}"##,
        ##"{"dependentRequired":{"a":["b"]},"dependentSchemas":{"b":{"required":["c"]}},"exclusiveMaximum":1e400,"minimum":-1e-400}"##,
        ##"{"$id":"https://example.com/a/","$defs":{"b":{"$id":"b","$anchor":"x","type":"null"}},"properties":{"a":{"$ref":"b#x"}}}"##,
        "true",
        "false", "{}",
    ]

    private static let instanceTexts: [String] = [
        #"{"number":"17","total":12.50}"#, #"{"number":"","total":"x","more":[]}"#,
        #"{"a":1,"b":"a@b.example","kind":"::1","data":"../x?y#z"}"#,
        #"[1,2,3.0,3,"a",[1],{"a":1.0},{"a":1}]"#, #"{"items":[{"items":[{"items":[]}]}]}"#,
        #"{"next":{"next":{"next":{"kind":"b"}}},"kind":1}"#,
        #"{"a":"2026-02-29T12:00:00Z","b":null,"c":{}}"#, "null", "1e400", #""abc""#, "[]",
    ]

    /// Values for keywords.
    private static let parts: [JSON] =
        [
            "^a", "(a+)+$", "[", "\\d{2,3}", "\\u{110000}", "date-time", "uuid", "#", "#/$defs/node", "#/properties/a", "#m", "b#x", "%zz",
            "https://json-schema.org/draft/2020-12/schema", "string", "integer", "object",
        ].map { JSON.string($0) } + [
            ["string", "null"], [["type": "string"], true], ["type": "object"], ["a": true, "b": ["minimum": 1]], 0, 1, -1, 3, true, false,
            [], [:],
            ["$ref": "#"], ["not": ["$ref": "#"]], ["a", "b"],
        ]

    /// Combinations that multiply, endless numbers, and equivalent names.
    private static let hostile: [Input] = {
        let branching: JSON = [
            "$ref": "#/$defs/d",
            "$defs": ["d": ["properties": ["a": ["anyOf": [["$ref": "#/$defs/d"], ["$ref": "#/$defs/d"], ["$ref": "#/$defs/d"]]]]]],
        ]
        var deep: JSON = "end"
        for _ in 0..<60 { deep = .object(JSONObject(uniqueEntries: [JSONObject.Entry(key: "a", value: deep)])) }
        let alike = Extremes.equivalentNames(1_500)
        return [
            Input(schema: branching, instance: deep, assertsFormats: true),
            Input(schema: ["uniqueItems": true], instance: .array(alike.map { .string($0) }), assertsFormats: true),
            Input(
                schema: ["enum": .array([.object(JSONObject(uniqueEntries: alike.map { JSONObject.Entry(key: $0, value: 1) }))])],
                instance: .object(JSONObject(uniqueEntries: alike.reversed().map { JSONObject.Entry(key: $0, value: 1) })),
                assertsFormats: true),
            Input(
                schema: ["pattern": "(a+)+(b|c)*[^d]{0,100}$"], instance: .string(String(repeating: "a", count: 1_000)),
                assertsFormats: true),
            Input(
                schema: ["multipleOf": .number(JSONNumber(verifiedText: "1e-300"))],
                instance: .number(JSONNumber(verifiedText: "1e999999")), assertsFormats: true),
        ]
    }()
}
