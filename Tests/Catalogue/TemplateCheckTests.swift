import Testing
import TidingsCatalogue
import TidingsCore

/// A placeholder without a possible value would show people an empty text.
@Suite struct TemplateCheckTests {
    private static let schema = """
        {type: object, required: [number, amount, note], properties: {number: {type: string}, amount: {type: integer},
              note: {type: [string, "null"]}, carrier: {type: string}, parcel: {type: object}, items: {type: array}}}
        """

    private static func file(_ text: String, schema: String? = schema, key: String = "title") -> String {
        """
        types:
          parcel:
            category: transactional
            \(key): "\(text)"
        """ + (schema.map { "\n    schema: \($0)\n" } ?? "\n")
    }

    /// A template, and the beginning of the message about its one placeholder.
    static let mistakes: [(String, String)] = [
        ("Parcel {{nummer}}", "{{nummer}} is not declared by the type's schema; did you mean \"number\"?"),
        (
            "Parcel {{locker}}",
            "{{locker}} is not declared by the type's schema; declared: amount, carrier, items, note, number, parcel"
        ),
        ("Parcel {{parcel.number}} waits", "{{parcel.number}} is a path"), ("{{items[0]}}", "{{items[0]}} is a path"),
        ("{{#if number}}", "{{#if number}} is not supported"), ("{{/if}}", "{{/if}} is not supported"),
        ("{{else}}", "{{else}} is not supported"), ("{{{number}}}", "{{{number}} is not supported"),
        ("{{upper number}}", "{{upper number}} is not supported"), ("{{parcel}}", "{{parcel}} is of type object"),
        ("{{items}}", "{{items}} is of type array"),
    ]

    @Test(arguments: mistakes, ["title", "body", "deepLink"])
    func aPlaceholderWithoutAValueIsAProblem(mistake: (String, String), key: String) throws {
        let yaml = Self.file(mistake.0, key: key)
        let judged = CatalogueFile.judge(yaml: yaml)
        #expect(judged.problems.count == 1 && judged.catalogue == nil, "\(judged.problems)")
        let problem = try #require(judged.problems.first)
        #expect(problem.path == "types.parcel.\(key)" && problem.line == 4 && problem.message.hasPrefix(mistake.1), "\(problem)")
        // A role keeps an active catalogue that an earlier release accepted.
        #expect(try CatalogueFile.parse(yaml: yaml).types["parcel"] != nil)
    }

    @Test(
        arguments: [
            ("by {{carrier}}", schema, "{{carrier}} may be empty: the type's schema does not require \"carrier\""),
            ("{{note}}", schema, "{{note}} may be empty: its value may be null"),
            ("{{x}}", nil, "{{x}} cannot be verified: the type has no schema"),
            ("{{type}}", nil, "{{type}} is the member \"type\" of data, never the type of the event"),
            ("{{recipient}}", "{additionalProperties: {type: string}}", "{{recipient}} is the member \"recipient\" of data"),
            ("{{title}}", "{type: object}", "{{title}} is the member \"title\" of data"),
            ("{{x}}", "{type: object}", "{{x}} cannot be verified: the type's schema declares no member"),
            ("{{x}}", "{type: object, additionalProperties: {type: string}}", "{{x}} cannot be verified"),
            ("{{x}}", "{properties: {a: {}}, patternProperties: {\"^x\": {}}}", "{{x}} cannot be verified"),
            ("{{x}}", "{anyOf: [{required: [x]}, {required: [y]}]}", "{{x}} may be empty"),
            ("{{x}}", "{if: {properties: {kind: {const: a}}}, then: {required: [x]}}", "{{x}} may be empty"),
            ("{{x}}", "{$ref: \"#here\", $defs: {a: {$anchor: here, required: [x]}}}", "{{x}} cannot be verified"),
        ] as [(String, String?, String)])
    func aPlaceholderThatMayBeEmptyIsAWarning(text: String, schema: String?, message: String) throws {
        let judged = CatalogueFile.judge(yaml: Self.file(text, schema: schema))
        #expect(judged.warnings.count == 1 && judged.catalogue != nil, "\(judged.warnings)")
        let warning = try #require(judged.warnings.first)
        #expect(warning.path == "types.parcel.title" && warning.line == 4 && warning.message.hasPrefix(message), "\(warning)")
    }

    @Test(
        arguments: [
            ("{{number}} {{ amount }}", schema), ("no placeholder", nil), ("{{x}}", "{required: [x]}"),
            ("{{x}}", "{allOf: [{required: [x]}], properties: {y: {}}}"),
            ("{{x}}", "{oneOf: [{required: [x, a]}, {required: [b, x]}]}"),
            ("{{x}}", "{$ref: \"#/$defs/a~1b\", $defs: {\"a/b\": {required: [x]}}}"),
            ("{{a.b}}", "{required: [a.b], properties: {a.b: {type: string}}}"),
        ] as [(String, String?)])
    func aPlaceholderThatAlwaysHasAValueIsNoFinding(text: String, schema: String?) throws {
        let judged = CatalogueFile.judge(yaml: Self.file(text, schema: schema))
        #expect(judged.warnings.isEmpty && judged.catalogue != nil, "\(judged.problems)")
    }

    @Test func namesThatASilentPushLeavesOutAreAWarning() {
        func warnings(_ silent: Bool, _ names: String) -> [String] {
            let schema = "{properties: {\(names)}}"
            let yaml = "types:\n  wake: {category: system, channels: [push], silent: \(silent), title: T, schema: \(schema)}\n"
            return CatalogueFile.judge(yaml: yaml).warnings.map { "\($0.path) \($0.message.prefix(26))" }
        }
        #expect(warnings(true, "aps: {}, feed: {}") == [#"types.wake.schema a silent push leaves "aps""#])
        #expect(warnings(true, "ab: {}, type: {}").count == 2)
        #expect(warnings(true, "feed: {}").isEmpty)
        #expect(warnings(false, "aps: {}").isEmpty)
    }

    @Test func theProblemsOfAFileAreToldTogether() {
        let yaml = """
            types:
              a: {category: social, expiry: 91d, title: "{{x}}", schema: {required: [y]}}
              b: {category: social, title: "{{#x}}"}
            """
        let judged = CatalogueFile.judge(yaml: yaml)
        #expect(judged.problems.map(\.path) == ["types.a.expiry", "types.a.title", "types.b.title"])
        #expect(judged.problems.map(\.line) == [2, 2, 3])
    }

    /// The work must not grow with the product of placeholders and names. The check stops after 100 placeholders.
    @Test func aTemplateOfThousandsOfPlaceholdersIsOneProblem() {
        let text = (0..<5_000).map { "{{p\($0)}}" }.joined()
        let problems = CatalogueFile.judge(yaml: Self.file(text)).problems
        #expect(problems.count == 101 && problems.last?.message == "has more than 100 placeholders")
    }

    @Test func theBuiltInCatalogueHasNoProblem() {
        let judged = CatalogueFile.judge(yaml: CatalogueFile.print(CatalogueFile.sealed(.builtIn)))
        #expect(judged.warnings.isEmpty && judged.catalogue == CatalogueFile.sealed(.builtIn), "\(judged.problems)")
    }
}
