import Testing
import TidingsCatalogue
import TidingsCore

@Suite struct CatalogueProblemTests {
    /// The YAML, the named path, and a part of the message.
    static let mistakes: [(String, String, String)] = [
        ("types:\n  a: {category: social, chanels: [push]}", "types.a.chanels", "did you mean \"channels\"?"),
        ("type:\n  a: {category: social}", "type", "did you mean \"types\"?"),
        ("types:\n  a: {category: socal}", "types.a.category", "did you mean \"social\"?"),
        ("types:\n  a: {category: social, channels: [psuh]}", "types.a.channels[0]", "did you mean \"push\"?"),
        ("types:\n  a: {title: x}", "types.a", "needs a category"),
        ("types:\n  a: {category: social, expiry: 60}", "types.a.expiry", "must be a duration"),
        ("types:\n  a: {category: social, expiry: 91d}", "types.a.expiry", "at most 90d"),
        ("types:\n  a: {category: social, mandatory: yes}", "types.a.mandatory", "must be true or false"),
        ("types:\n  a: {category: social, lane: slow}", "types.a.lane", "Known: urgent, bulk"),
        ("types:\n  a: {category: social, title: \"{{x\"}", "types.a.title", "never closed"),
        ("types:\n  a: {category: social, channels: []}", "types.a.channels", "names no channel"),
        ("types:\n  a: {category: social, channels: push}", "types.a.channels", "must be a list"),
        ("types:\n  a: {category: social, channelsByMarket: {us: [push]}}", "types.a.channelsByMarket.us", "unknown market"),
        ("types:\n  a b: {category: social}", "types.a b", "a type's name is"),
        ("types: {}", "types", "at least one type"),
        ("categories: {}", "types", "is missing"),
        ("types:\n  a: {category: social, schema: {type: strin}}", "types.a.schema", ""),
        ("types:\n  a: {category: social, schema: {properties: {b: {maximun: 1}}}}", "types.a.schema/properties/b", "maximun"),
        ("types:\n  a: {category: social}\ncategories: {socail: {}}", "categories.socail", "did you mean \"social\"?"),
        (
            "types:\n  a: {category: social}\ncategories: {social: {retry: {attempts: 0}}}", "categories.social.retry.attempts", "1 to 100"
        ),
        ("types:\n  a: {category: social}\ncategories: {social: {retry: {base: 2h, cap: 1h}}}", "categories.social.retry.cap", "base"),
        ("types:\n  a: {category: social}\nmarkets: {us: {inApp: [inbx]}}", "markets.us.inApp", "did you mean \"inbox\"?"),
        ("types:\n  a: {category: social}\nmarkets: {us: {push: [inbox]}}", "markets.us.push", "carries inApp, not push"),
        ("types:\n  a: {category: social}\ndefaultMarket: us", "defaultMarket", "unknown market"),
        (
            "types:\n  a: {category: social}\nproviders: {inbox: {channel: inApp, kind: inbox}, p: {channel: push, kind: apns, "
                + "settings: {privateKey: abc}}, webhook: {channel: webhook, kind: webhook}}",
            "providers.p.settings.privateKey", "env:NAME"
        ),
        ("types:\n  a: {category: social, projection: a b}", "types.a.projection", "the name of a projection is"),
        ("types:\n  a: {category: social}\nfeatures: {interval_sec: 10m}", "features.interval_sec", "whole number"),
        ("types:\n  a: {category: social}\nfeatures: {a b: true}", "features.a b", "the name of a setting is"),
        ("types:\n  a: {category: social}\nproducers: {shop: [\"a b\"]}", "producers.shop", "is no tenant"),
        ("types:\n  a: {category: social}\nproducers: {shop: {tenant: [acme]}}", "producers.shop.tenant", "did you mean \"tenants\"?"),
        ("types:\n  a: {category: social}\nproducers: {shop: {sources: [\"/shop\"]}}", "producers.shop", "names no tenant"),
        ("types:\n  a: {category: social}\nproducers: {shop: {tenants: [a], sources: []}}", "producers.shop.sources", "names no source"),
        ("types:\n  a: {category: social}\nproducers: {shop: {tenants: [a], sources: [\"\"]}}", "producers.shop.sources", "1 to 512"),
        (
            "types:\n  a: {category: social}\nproducers: {\"db:shop\": {vouches: true}}", "producers.db:shop.vouches",
            "only an AMQP user can vouch"
        ),
        ("types:\n  a: {category: social}\nproducers: {\"db:\": [a]}", "producers", "db:ROLE"),
    ]

    /// The value of `push` in market us, the path below it, and a part of the message.
    static let strategyMistakes: [(String, String, String)] = [
        ("{providers: [a, b], strategy: frist}", ".strategy", "did you mean \"first\"?"),
        ("{providers: [a, b], strategi: first}", ".strategi", "did you mean \"strategy\"?"),
        ("{strategy: first}", "", "needs providers"),
        ("{providers: a, strategy: first}", ".providers", "must be a list"),
        ("{providers: [a, x], strategy: first}", "", "unknown provider \"x\""),
        ("{providers: [], strategy: first}", "", "strategy first needs providers"),
        ("{providers: [a, a], strategy: first}", "", "names a provider twice"),
        ("{providers: [a, b], strategy: weighted}", "", "needs weights, for example {a: 1, b: 1}"),
        ("{providers: [a, b], strategy: weighted, weights: {a: 1}}", ".weights", "has none for provider \"b\""),
        ("{providers: [a, b], strategy: weighted, weights: {a: 1, b: 0}}", ".weights.b", "must be 1 to 10000"),
        ("{providers: [a, b], strategy: weighted, weights: {a: 1, b: -1}}", ".weights.b", "must be 1 to 10000"),
        ("{providers: [a, b], strategy: weighted, weights: {a: 1, b: 10001}}", ".weights.b", "must be 1 to 10000"),
        ("{providers: [a, b], strategy: weighted, weights: {a: 1, b: 0.5}}", ".weights.b", "whole number"),
        ("{providers: [a, b], strategy: weighted, weights: {a: 1, b: 1, d: 1}}", ".weights.d", "none of the providers here"),
        ("{providers: [a, b, copy], strategy: weighted, weights: {a: 1, b: 1, copy: 1}}", ".weights.copy", "always gets its copy"),
        ("{providers: [a, b], strategy: first, weights: {a: 1, b: 1}}", ".weights", "only count with strategy weighted, not first"),
        ("{providers: [a, b], weights: {a: 1, b: 1}}", ".weights", "not all"),
    ]

    @Test(arguments: strategyMistakes) func aMistakenStrategyIsToldWithItsPlace(push: String, path: String, part: String) throws {
        let yaml = """
            types:
              ping: {category: system}
            markets:
              us:
                push: \(push)
            providers:
              a: {channel: push, kind: "null"}
              b: {channel: push, kind: "null"}
              copy: {channel: push, kind: "null", copy: true}
            """
        let error = try #require(throws: CatalogueProblems.self) { try CatalogueFile.parse(yaml: yaml) }
        let problem = try #require(error.problems.first { $0.path == "markets.us.push\(path)" }, "\(error)")
        #expect(problem.message.contains(part), "\(problem)")
        #expect(problem.line == 5, "\(problem)")
    }

    @Test(arguments: mistakes) func aMistakeIsToldWithItsPlaceAndCure(yaml: String, path: String, part: String) throws {
        let error = try #require(throws: CatalogueProblems.self) { try CatalogueFile.parse(yaml: yaml) }
        let problem = try #require(error.problems.first { $0.path == path }, "\(error)")
        #expect(problem.message.contains(part), "\(problem)")
        #expect(problem.line != nil || path == "types" || path == "defaultMarket", "\(problem)")
    }

    @Test func allProblemsAreToldAtOnceWithTheirLines() throws {
        let yaml = """
            types:
              a:
                category: social
                colour: red
              b:
                category: marketing
                lane: fast
              c:
                category: system
                silent: 1
            """
        let error = try #require(throws: CatalogueProblems.self) { try CatalogueFile.parse(yaml: yaml) }
        #expect(error.problems.map(\.path) == ["types.a.colour", "types.b.lane", "types.c.silent"])
        #expect(error.problems.map(\.line) == [4, 7, 10])
        #expect(error.problems[0].description.hasPrefix("types.a.colour (line 4): unknown key; did you mean \"color\"?"))
    }

    static let broken = [
        "", "   ", "# only a comment", "[a, b]", "just text", "a: [", "a: b: c", "types:\n\tx: 1", "types: {a: 1}\ntypes: {b: 2}", "\u{0}",
        "types: *nowhere", "--- \na: 1\n---\nb: 2", String(repeating: "[", count: 10_000), String(repeating: "a: {", count: 10_000),
        "types:\n  a: {category: social, schema: \(String(repeating: "[", count: 200))\(String(repeating: "]", count: 200))}",
        "? {a: b}\n: c", "types:\n  ? [x]\n  : {category: social}", String(repeating: "#", count: 1024 * 1024 + 1),
    ]

    @Test(arguments: broken) func aFileThatIsNoCatalogueEndsInAProblemAndNotInACrash(yaml: String) {
        let error = #expect(throws: CatalogueProblems.self) { try CatalogueFile.parse(yaml: yaml) }
        #expect(error?.problems.isEmpty == false)
        #expect(error?.description.contains("\n\n") == false, "one line for each problem")
    }

    @Test func aliasesCannotBlowASchemaUp() {
        var yaml = "types:\n  a:\n    category: social\n    schema:\n      a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...9 {
            let alias = "*a\(level - 1)"
            yaml += "      a\(level): &a\(level) [\(Array(repeating: alias, count: 10).joined(separator: ", "))]\n"
        }
        let error = #expect(throws: CatalogueProblems.self) { try CatalogueFile.parse(yaml: yaml) }
        #expect(error?.description.contains("more than") == true)
    }

    /// Each key is compared with its whole content, so keys within keys cost the square of their depth.
    @Test(arguments: ["types: {a: " + String(repeating: "{", count: 1_900), String(repeating: "? ", count: 1_000) + "a"])
    func keysWithinKeysAreRefusedUnread(yaml: String) {
        let error = #expect(throws: CatalogueProblems.self) { try CatalogueFile.parse(yaml: yaml) }
        #expect(error?.description.contains("nested deeper than 50 levels") == true)
    }
}
