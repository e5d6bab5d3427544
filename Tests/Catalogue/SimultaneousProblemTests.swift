import Testing
import TidingsCatalogue
import TidingsCore

/// A person corrects a file in one go: no problem hides another one, and no consequence of a problem looks like a second one.
@Suite struct SimultaneousProblemTests {
    @Test func everyFaultOfATypeIsTold() {
        let yaml = """
            types:
              parcel:
                category: transactionl
                chanels: [psuh, inApp, inApp]
                channelsByMarket: {su: [push]}
                lane: fast
                expiry: 91d
                mandatory: yes
                title: "Parcel {{nummer}} {{}}"
                projection: a b
                schema:
                  type: objct
                  required: [number]
                  properties:
                    number:
                      type: string
                      minimun: 1
                      pattern: "("
            """
        let judged = CatalogueFile.judge(yaml: yaml)
        let expected: [(String, Int, String)] = [
            ("types.parcel.category", 3, "did you mean \"transactional\"?"), ("types.parcel.chanels", 4, "did you mean \"channels\"?"),
            ("types.parcel.channels[0]", 4, "did you mean \"push\"?"), ("types.parcel.channels", 4, "names a channel twice"),
            ("types.parcel.channelsByMarket.su", 5, "unknown market"), ("types.parcel.lane", 6, "Known: urgent, bulk"),
            ("types.parcel.expiry", 7, "at most 90d"), ("types.parcel.mandatory", 8, "must be true or false"),
            ("types.parcel.title", 9, "\"{{}}\" names no field"), ("types.parcel.title", 9, "did you mean \"number\"?"),
            ("types.parcel.projection", 10, "the name of a projection is"), ("types.parcel.schema", 12, "objct is no type"),
            ("types.parcel.schema/properties/number", 17, "did you mean \"minimum\"?"),
            ("types.parcel.schema/properties/number", 18, "\"pattern\""),
        ]
        #expect(judged.problems.map(\.path) == expected.map(\.0), "\(CatalogueProblems(problems: judged.problems))")
        #expect(judged.problems.map(\.line) == expected.map(\.1))
        for (problem, (_, _, part)) in zip(judged.problems, expected) { #expect(problem.message.contains(part), "\(problem)") }
        #expect(judged.catalogue == nil && judged.warnings.isEmpty)
    }

    @Test func aFaultOfOneTypeHidesNoneOfAnother() {
        let yaml = """
            types:
              a: {category: markting}
              b: {category: social, title: "{{nummer}}", schema: {properties: {number: {type: string}}}}
              c: {category: social, schema: {properties: {n: {minimun: 1}}}}
              d: {category: social, channels: []}
            markets: {us: {inApp: [inbx]}}
            defaultMarket: us
            providers: {inbox: {channel: inApp, kind: inbox, settings: {apiKey: abc}}}
            producers: {shop: {tenants: ["a b"]}}
            """
        let problems = CatalogueFile.judge(yaml: yaml).problems
        #expect(
            problems.map(\.path) == [
                "types.a.category", "types.b.title", "types.c.schema/properties/n", "types.d.channels", "markets.us.inApp",
                "providers.inbox.settings.apiKey", "producers.shop",
            ], "\(CatalogueProblems(problems: problems))")
        #expect(problems.map(\.line) == [2, 3, 4, 5, 6, 8, 9])
    }

    /// The sections after `types` with one type, and the paths of all problems.
    static let consequences: [(String, [String])] = [
        ("markets: {us: 5}\ndefaultMarket: us", ["markets.us"]), ("markets: 5", ["markets"]), ("defaultMarket: [us]", ["defaultMarket"]),
        ("market: {us: {}}\ndefaultMarket: us", ["market"]),
        ("markets: {us: {push: [p]}}\ndefaultMarket: us\nproviders: {p: {channel: pusch, kind: a}}", ["providers.p.channel"]),
        ("markets: {us: {push: [p]}}\ndefaultMarket: us\nproviders: {p: {channel: fax, kind: a}}", ["providers.p.channel"]),
        ("markets: {us: {sms: [p]}}\ndefaultMarket: us\nproviders: {p: {kind: a}}", ["providers.p"]),
        ("markets: {us: {sms: [p]}}\ndefaultMarket: us\nproviders: {p: {channel: sms, kind: [a]}}", ["providers.p.kind"]),
        ("markets: {us: {sms: [p]}}\ndefaultMarket: us\nproviders: 5", ["providers"]),
        (push("{strategy: first}"), ["markets.us.push"]), (push("{providers: a, strategy: first}"), ["markets.us.push.providers"]),
        (push("{providers: [[a]], strategy: first}"), ["markets.us.push.providers[0]"]),
        (push("{providers: [a, bb], strategy: weighted, weights: {a: 1, b: 1}}"), ["markets.us.push"]),
        (push("{providers: [a, b], strategy: weighted, weights: {a: 1, bb: 1}}"), ["markets.us.push.weights.bb"]),
        (push("{providers: [a, b], strategy: weighted, weights: {a: 1, b: x}}"), ["markets.us.push.weights.b"]),
        (push("{providers: [a, b], strategy: weighted, weights: 1}"), ["markets.us.push.weights"]),
        ("producers: {shop: acme}", ["producers.shop"]), ("producers: {shop: {tenant: [acme]}}", ["producers.shop.tenant"]),
        ("producers: {shop: [[acme]]}", ["producers.shop[0]"]), ("producers: {shop: {tenants: 5}}", ["producers.shop.tenants"]),
        ("categories: {social: {retry: {base: soon, cap: 1s}}}", ["categories.social.retry.base"]),
        ("categories: {socail: {channels: [fax]}}", ["categories.socail", "categories.social.channels[0]"]),
    ]

    private static func push(_ carriers: String) -> String {
        """
        markets: {us: {push: \(carriers)}}
        defaultMarket: us
        providers: {a: {channel: push, kind: "null"}, b: {channel: push, kind: "null"}}
        """
    }

    @Test(arguments: consequences) func aConsequenceIsNoProblem(sections: String, paths: [String]) {
        let problems = CatalogueFile.judge(yaml: "types:\n  a: {category: social}\n" + sections).problems
        #expect(problems.map(\.path) == paths, "\(CatalogueProblems(problems: problems))")
    }

    @Test(
        arguments: [
            ("{catgory: social}", ["types.a.catgory"]), ("{category: social, channels: [fax]}", ["types.a.channels[0]"]),
            ("5", ["types.a"]),
            ("{category: social, channelsByMarket: {default: push}}", ["types.a.channelsByMarket.default"]),
            (
                "{category: social, title: \"{{x}}\", schema: {required: [y], propertis: {x: {type: string}}}}", ["types.a.schema"]
            ),
            ("{category: social, title: \"{{x}}\", schema: [\(nested)]}", ["types.a.schema"]),
        ] as [(String, [String])])
    func aConsequenceInATypeIsNoProblem(type: String, paths: [String]) {
        let problems = CatalogueFile.judge(yaml: "types:\n  a: \(type)").problems
        #expect(problems.map(\.path) == paths, "\(CatalogueProblems(problems: problems))")
    }

    /// Deeper than a schema may be.
    private static let nested = String(repeating: "[", count: 80) + String(repeating: "]", count: 80)

    @Test(arguments: [
        ("type:\n  a: {category: social}", ["type"]), ("types: 5", ["types"]), ("types: {}", ["types"]), ("a: 1", ["types", "a"]),
    ])
    func aFileWithoutTypesHasOneProblemOfTypes(yaml: String, paths: [String]) {
        let problems = CatalogueFile.judge(yaml: yaml).problems
        #expect(problems.map(\.path) == paths, "\(CatalogueProblems(problems: problems))")
    }
}
