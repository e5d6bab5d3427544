import Testing
import TidingsCatalogue
import TidingsCore
import TidingsJSON
import TidingsJSONSchema

@Suite struct CatalogueFileTests {
    @Test func theBuiltInCatalogueComesBackFromItsPrintedForm() throws {
        let sealed = CatalogueFile.sealed(.builtIn)
        let text = CatalogueFile.print(.builtIn)
        #expect(text.hasPrefix("# The catalogue"))
        #expect(text.contains("  orderUpdate:\n    category: transactional\n"))
        #expect(try CatalogueFile.parse(yaml: text) == sealed)
        #expect(sealed.hash.utf8.count == 64)
    }

    @Test func everySettingComesBackFromItsPrintedForm() throws {
        let catalogue = CatalogueFile.sealed(.everySetting)
        let text = CatalogueFile.print(catalogue)
        #expect(try CatalogueFile.parse(yaml: text) == catalogue, "\(text)")
    }

    @Test func theHashIsOfTheContentAndNotOfTheSpelling() throws {
        let first = try CatalogueFile.parse(
            yaml: """
                # mine
                types:
                  b: {category: social}
                  a: {category: marketing, expiry: 60m}
                """)
        let second = try CatalogueFile.parse(
            yaml: """
                types:
                  a:
                    expiry: "1h"
                    category: marketing
                  b:
                    category: social
                """)
        #expect(first == second)
        var third = second
        third.types["a"]?.expiry = .seconds(7_200)
        #expect(CatalogueFile.sealed(third).hash != second.hash)
    }

    @Test func aSectionThatIsLeftOutIsBuiltIn() throws {
        let catalogue = try CatalogueFile.parse(
            yaml: """
                types:
                  ping: {category: system}
                categories:
                  marketing:
                    quietHours: drop
                """)
        #expect(catalogue.types.keys.sorted() == ["ping"])
        #expect(catalogue.markets == Catalogue.builtIn.markets)
        #expect(catalogue.providers == Catalogue.builtIn.providers)
        #expect(catalogue.defaultMarket == "default")
        var marketing = CategoryPolicy.standard(for: .marketing)
        marketing.quietHours = .drop
        #expect(catalogue.categories[.marketing] == marketing)
        #expect(catalogue.categories[.social] == .standard(for: .social))
    }

    @Test func anEmptyTextIsLeftOut() throws {
        let empty = try CatalogueFile.parse(
            yaml: """
                types:
                  ping: {category: system, title: "", body: '', icon: "", color: "", deepLink: "", projection: ""}
                defaultMarket: ""
                """)
        let without = try CatalogueFile.parse(yaml: "types:\n  ping: {category: system}")
        #expect(empty == without && empty.types["ping"]?.titleTemplate == nil && empty.types["ping"]?.icon == "bell.fill")
        let problems = #expect(throws: CatalogueProblems.self) {
            try CatalogueFile.parse(yaml: "types:\n  ping: {category: system}\nproviders:\n  a: {channel: sms, kind: ''}")
        }
        #expect(
            problems?.problems.contains { $0.path == "providers.a" && $0.message.contains("kind") } == true,
            "\(String(describing: problems))")
    }

    /// A missing strategy equals the strategy `all`.
    @Test func aStrategyIsReadAndThePlainListIsTheOneForAll() throws {
        func market(_ push: String) throws -> Market? {
            try CatalogueFile.parse(
                yaml: """
                    types:
                      ping: {category: system}
                    markets:
                      us: {push: \(push)}
                    providers:
                      a: {channel: push, kind: "null"}
                      b: {channel: push, kind: "null"}
                      c: {channel: push, kind: "null", copy: true}
                    """
            ).markets["us"]
        }
        #expect(try market("[a, b]")?.strategies == [:])
        #expect(try market("{providers: [a, b]}") == market("[a, b]"))
        #expect(try market("{providers: [a, b], strategy: all}") == market("[a, b]"))
        #expect(try market("{providers: [b, a], strategy: first}")?.strategies == [.push: .first])
        #expect(try market("{providers: [b, a], strategy: first}")?.providers == [.push: ["b", "a"]])
        #expect(
            try market("{providers: [a, c, b], strategy: weighted, weights: {a: 3, b: 1}}")?.strategies
                == [.push: .weighted(["a": 3, "b": 1])])
    }

    @Test func aSchemaInYAMLMeansWhatItWouldMeanInJSON() throws {
        let catalogue = try CatalogueFile.parse(
            yaml: """
                types:
                  invoice:
                    category: transactional
                    schema:
                      type: object
                      required: [country, total]
                      properties:
                        country: {enum: [no, se, "12"]}
                        total: {type: number, maximum: 12.50}
                        code: {const: 012}
                      additionalProperties: false
                """)
        #expect(
            catalogue.types["invoice"]?.schemaJSON
                == #"{"type":"object","required":["country","total"],"properties":{"country":{"enum":["no","se","12"]},"#
                + #""total":{"type":"number","maximum":12.50},"code":{"const":"012"}},"additionalProperties":false}"#)
        let compiled = try CompiledCatalogue(catalogue)
        #expect(compiled.schemas["invoice"]?.validate(["country": "no", "total": 12]).isEmpty == true)
        #expect(compiled.schemas["invoice"]?.validate(["country": "dk", "total": 13]).count == 2)
    }
}

extension Catalogue {
    /// A catalogue with every possible setting except those of modules, and with texts that YAML likes to misread.
    static let everySetting = Catalogue(
        types: [
            "order.shipped.v4": NotificationType(
                name: "order.shipped.v4", category: .transactional,
                schemaJSON: """
                    {"$defs": {"n": {"type": "integer", "minimum": -1.50e2}}, "type": "object", "title": "no: #yes\\n\\u2028",
                     "properties": {"a b": {"$ref": "#/$defs/n"},
                      "e": {"enum": [null, true, "true", "null", "12", 12, {"x": []}, "~", ""]}},
                     "anyOf": [{"required": ["a b"]}, {}], "minProperties": 0, "patternProperties": {}}
                    """,
                titleTemplate: "Order {{ id }}: \"shipped\" \\ 'now' # not a comment",
                bodyTemplate: "line 1\nline 2\t\u{85}\u{7F}\u{1F4E6}",
                icon: "box.fill", color: "no", deepLink: "app://orders/{{id}}", lane: .bulk, expiry: .seconds(5_400),
                channels: [.email, .push],
                channelsByMarket: ["no": [.sms], "us": [.webPush, .inApp]], mandatory: true, allowsCritical: true, silent: true,
                interruptionLevel: .timeSensitive, projection: "likes"),
            "yes": NotificationType(name: "yes", category: .social),
        ],
        categories: [
            .marketing: CategoryPolicy(
                channels: [.email], lane: .urgent, quietHours: .inAppOnly, unknownOutcome: .stop,
                retry: RetryPolicy(maximumAttempts: 3, base: .milliseconds(500), cap: .seconds(90)), expiry: .seconds(7 * 86_400))
        ],
        markets: [
            "no": Market(name: "no", providers: [.sms: ["1e3"], .inApp: ["inbox"]], strategies: [.inApp: .first]),
            "us": Market(
                name: "us", providers: [.sms: ["1e3", "yes", "b"], .push: ["p"]],
                strategies: [.sms: .weighted(["yes": 10_000, "b": 1]), .push: .first]),
        ],
        providers: [
            "inbox": ProviderBinding(name: "inbox", channel: .inApp, kind: "inbox", addressing: .person),
            "1e3": ProviderBinding(
                name: "1e3", channel: .sms, kind: "null",
                settings: ["apiKey": "env:SMS_KEY", "keyID": "off", "url": "https://example.com/?a=1#b"],
                addressing: .address, copy: true),
            "yes": ProviderBinding(name: "yes", channel: .sms, kind: "null", addressing: .address),
            "b": ProviderBinding(name: "b", channel: .sms, kind: "null", addressing: .address),
            "p": ProviderBinding(name: "p", channel: .push, kind: "null", addressing: .device),
        ],
        defaultMarket: "no", hash: "",
        producers: [
            "shop": ProducerEntry(tenants: ["default", "acme"]),
            "null": ProducerEntry(tenants: ["a"], sources: ["/no", "https://example.com/#a"]),
            "db:shop": ProducerEntry(tenants: ["acme"]), "relay": ProducerEntry(tenants: [], vouches: true),
        ])
}
