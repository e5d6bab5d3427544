import Testing
import TidingsCore

@Suite struct CatalogueTests {
    private let catalogue = Catalogue.builtIn

    @Test func hasEveryTypeUnderItsName() {
        let expected: [String: Category] = [
            "orderUpdate": .transactional, "promotion": .marketing, "reminder": .system, "social": .social, "system": .system,
            "metadata": .system, "downloadReady": .system, "LOAN_APPROVED": .transactional, "LOAN_REJECTED": .transactional,
            "PAYMENT_RECEIVED": .transactional, "PAYMENT_DUE": .transactional, "NEW_LENDER": .transactional, "SYSTEM_UPDATE": .system,
            "like": .social, "match": .social,
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

    @Test func tenantsByProducer() {
        var catalogue = catalogue
        catalogue.tenants = ["shop": ["acme", "globex"], "nobody": []]
        #expect(catalogue.allows(tenant: "acme", forUser: "shop"))
        #expect(!catalogue.allows(tenant: "default", forUser: "shop"))
        #expect(catalogue.allows(tenant: "default", forUser: "guest"))
        #expect(!catalogue.allows(tenant: "acme", forUser: "guest"))
        #expect(!catalogue.allows(tenant: "default", forUser: "nobody"))
    }
}
