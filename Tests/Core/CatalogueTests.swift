import Testing
import TidingsCore

@Suite struct CatalogueTests {
    private let catalogue = Catalogue.builtIn

    @Test func theBuiltInCatalogueHasEveryTypeUnderItsName() {
        let expected: [String: Category] = [
            "orderUpdate": .transactional, "promotion": .marketing, "reminder": .system, "social": .social, "system": .system,
            "metadata": .system, "downloadReady": .system, "LOAN_APPROVED": .transactional, "LOAN_REJECTED": .transactional,
            "PAYMENT_RECEIVED": .transactional, "PAYMENT_DUE": .transactional, "NEW_LENDER": .transactional, "SYSTEM_UPDATE": .system,
        ]
        #expect(catalogue.types.mapValues(\.category) == expected)
        #expect(catalogue.types.allSatisfy { $0.key == $0.value.name })
        #expect(catalogue.types.values.allSatisfy { !$0.mandatory })
        #expect(Set(catalogue.types.values.filter(\.silent).map(\.name)) == ["metadata", "downloadReady"])
        #expect(Set(catalogue.types.values.filter { $0.schemaJSON != nil }.map(\.name)) == ["metadata", "downloadReady"])
        #expect(catalogue.types["PAYMENT_DUE"]?.icon == "exclamationmark.circle.fill" && catalogue.types["PAYMENT_DUE"]?.color == "orange")
        #expect(catalogue.types["promotion"]?.icon == "bell.fill" && catalogue.types["promotion"]?.color == "gray")
    }

    @Test func categoriesHaveTheirChannelsLanesAndQuiet() {
        #expect(catalogue.categories.count == Category.allCases.count)
        #expect(Category.allCases.map { catalogue.policy(for: $0).channels } == [[.push, .inApp], [.push], [.inApp], [.local, .inApp]])
        #expect(Category.allCases.map { catalogue.policy(for: $0).lane } == [.urgent, .bulk, .bulk, .urgent])
        #expect(Category.allCases.map { catalogue.policy(for: $0).quietHours } == [.ignore, .hold, .hold, .hold])
        var bare = catalogue
        bare.categories = [:]
        #expect(Category.allCases.allSatisfy { bare.policy(for: $0) == catalogue.policy(for: $0) })
    }

    @Test func providersExistAndFit() {
        #expect(catalogue.providers.allSatisfy { $0.key == $0.value.name })
        for (channel, names) in catalogue.markets.values.flatMap(\.providers) {
            #expect(names.allSatisfy { catalogue.providers[$0]?.channel == channel })
        }
        #expect(catalogue.markets[catalogue.defaultMarket] != nil)
    }

    @Test func bindingsLeaveOutWhatDoesNotFit() {
        let market = Market(name: "m", providers: [.inApp: ["inbox", "nowhere", "webhook", "inbox"]])
        #expect(catalogue.bindings(for: .inApp, in: market).map(\.name) == ["inbox"])
        #expect(catalogue.bindings(for: .sms, in: market).isEmpty)
    }

    @Test func typeOverridesCategory() {
        var type = NotificationType(name: "t", category: .marketing)
        #expect(catalogue.lane(of: type) == .bulk)
        type.lane = .urgent
        #expect(catalogue.lane(of: type) == .urgent)
        #expect(catalogue.expiry(of: .sample("t"), type: type, acceptedAt: noon) == noon.adding(.seconds(86_400)))
        type.expiry = .seconds(60)
        #expect(catalogue.expiry(of: .sample("t"), type: type, acceptedAt: noon) == noon.adding(.seconds(60)))
        let due = noon.adding(.seconds(500))
        #expect(catalogue.expiry(of: .sample("t") { $0.scheduledFor = due }, type: type, acceptedAt: noon) == due.adding(.seconds(60)))
        #expect(catalogue.expiry(of: .sample("t") { $0.expiresAt = due }, type: type, acceptedAt: noon) == due)
    }

    @Test func rightsOfProducers() {
        var catalogue = catalogue
        #expect(catalogue.rights(of: nil) == .unrestricted && ProducerRights.unrestricted.allows(tenant: "acme"))
        catalogue.producers = [
            "shop": ProducerEntry(tenants: ["acme", "globex"]), "db:shop": ProducerEntry(tenants: ["initech"]),
            "relay": ProducerEntry(tenants: [], vouches: true),
        ]
        func allows(_ tenant: String, _ producer: String?) -> Bool { catalogue.rights(of: producer).allows(tenant: tenant) }
        #expect(allows("acme", "shop") && !allows("default", "shop") && !allows("initech", "shop"))
        #expect(allows("initech", "db:shop") && !allows("acme", "db:shop"))
        #expect(allows("default", "guest") && !allows("acme", "guest"))
        #expect(!allows("default", "relay"), "who vouches for others may send nothing by that")
        #expect(!allows("default", nil), "nobody has vouched for it")
        #expect(catalogue.vouches("relay") && !catalogue.vouches("shop") && !catalogue.vouches("guest"))
    }

    /// A source prefix matches up to a slash. A producer without sources may not use a source that another producer has.
    @Test func sourcesOfProducers() {
        var catalogue = catalogue
        catalogue.producers = [
            "shop": ProducerEntry(tenants: ["acme"], sources: ["/shop", "urn:shop/"]),
            "web": ProducerEntry(tenants: ["acme"], sources: ["/shop/web"]),
            "free": ProducerEntry(tenants: ["acme"]),
        ]
        func allows(_ source: String, _ producer: String) -> Bool { catalogue.rights(of: producer).allows(source: source) }
        for own in ["/shop", "/shop/", "/shop/web/cart", "urn:shop/", "urn:shop/x"] { #expect(allows(own, "shop"), "\(own)") }
        for foreign in ["/shopping", "/", "/sho", "/Shop", "urn:shop", "x/shop", "/shop\u{301}/web"] {
            #expect(!allows(foreign, "shop"), "\(foreign)")
            #expect(allows(foreign, "free"), "\(foreign)")
        }
        #expect(allows("/shop/web", "web") && !allows("/shop", "web"))
        for taken in ["/shop", "/shop/web", "urn:shop/x"] {
            #expect(!allows(taken, "free") && !allows(taken, "guest"), "\(taken)")
        }
    }

    /// The broker compares user names by their bytes.
    @Test func anEquivalentNameIsAnotherProducer() {
        var catalogue = catalogue
        catalogue.producers = ["caf\u{E9}": ProducerEntry(tenants: ["acme"], vouches: true)]
        #expect(catalogue.rights(of: "caf\u{E9}").allows(tenant: "acme") && catalogue.vouches("caf\u{E9}"))
        #expect(!catalogue.rights(of: "cafe\u{301}").allows(tenant: "acme") && !catalogue.vouches("cafe\u{301}"))
    }
}
