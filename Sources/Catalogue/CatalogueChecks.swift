import TidingsContracts
import TidingsCore
import TidingsJSON

/// Checks a catalogue beyond its single values: names, references, limits.
struct CatalogueChecks {
    private let catalogue: Catalogue
    private let gaps: CatalogueGaps
    private var problems: [CatalogueProblem] = []

    /// - Parameter gaps: the values that the file's reader reported already. A consequence of a gap is no problem.
    static func problems(in catalogue: Catalogue, gaps: CatalogueGaps) -> [CatalogueProblem] {
        var checks = CatalogueChecks(catalogue, gaps)
        checks.checkTypes()
        checks.checkCategories()
        checks.problems += MarketChecks.problems(in: catalogue, gaps: gaps)
        checks.checkProviders()
        checks.checkProducers()
        return checks.problems
    }

    private init(_ catalogue: Catalogue, _ gaps: CatalogueGaps) {
        self.catalogue = catalogue
        self.gaps = gaps
    }

    /// The longest life of a notification. The partitions that hold unfinished work are kept that long.
    static let longestExpiry = Duration.seconds(90 * 86_400)
    /// Most attempts of one delivery. With the longest wait between them they take more than a month.
    static let mostAttempts = 100
    /// Longest wait between two attempts.
    static let longestWait = Duration.seconds(86_400)

    /// Most sources of one producer. Each event is compared with all of them.
    static let mostSources = 32

    private mutating func add(_ path: String, _ message: String) {
        problems.append(CatalogueProblem(path: path, message: message))
    }

    private mutating func checkTypes() {
        if catalogue.types.isEmpty, !gaps.has("types") { add("types", "a catalogue declares at least one type") }
        for (name, type) in catalogue.types.sorted(by: { $0.key < $1.key }) {
            let path = "types.\(name)"
            if !CatalogueNames.isType(name) { add(path, "a type's name is \(CatalogueNames.typeRule)") }
            if type.name != name { add(path, "is filed under another name than its own, \"\(type.name)\"") }
            check(type.channels, at: "\(path).channels")
            for (market, channels) in type.channelsByMarket.sorted(by: { $0.key < $1.key }) {
                check(market: market, at: "\(path).channelsByMarket.\(market)")
                check(channels, at: "\(path).channelsByMarket.\(market)")
            }
            if let expiry = type.expiry { check(expiry: expiry, at: "\(path).expiry") }
            if let projection = type.projection, !CatalogueNames.isName(projection) {
                add("\(path).projection", "the name of a projection is \(CatalogueNames.nameRule)")
            }
            for (key, text) in [("title", type.titleTemplate), ("body", type.bodyTemplate), ("deepLink", type.deepLink)] {
                for problem in text.map(Template.problems(in:)) ?? [] { add("\(path).\(key)", problem.message) }
            }
        }
    }

    private mutating func checkCategories() {
        for category in Category.allCases {
            guard let policy = catalogue.categories[category] else { continue }
            let path = "categories.\(category.rawValue)"
            check(policy.channels, at: "\(path).channels")
            check(expiry: policy.expiry, at: "\(path).expiry")
            if !(1...Self.mostAttempts).contains(policy.retry.maximumAttempts) {
                add("\(path).retry.attempts", "must be 1 to \(Self.mostAttempts)")
            }
            if policy.retry.base <= .zero { add("\(path).retry.base", "must be longer than nothing") }
            let isRead = !gaps.has("\(path).retry.base") && !gaps.has("\(path).retry.cap")
            if isRead, policy.retry.cap < policy.retry.base { add("\(path).retry.cap", "must not be shorter than base") }
            if policy.retry.cap > Self.longestWait { add("\(path).retry.cap", "must be at most \(DurationText.print(Self.longestWait))") }
        }
    }

    private mutating func checkProviders() {
        for (name, provider) in catalogue.providers.sorted(by: { $0.key < $1.key }) {
            let path = "providers.\(name)"
            if !CatalogueNames.isName(name) { add(path, "a provider's name is \(CatalogueNames.nameRule): it is part of a queue's name") }
            if provider.name != name { add(path, "is filed under another name than its own, \"\(provider.name)\"") }
            let isKindKnown = !gaps.has(path) && !gaps.has("\(path).kind")
            if isKindKnown, !CatalogueNames.isName(provider.kind) { add("\(path).kind", "a kind is \(CatalogueNames.nameRule)") }
            let isRead = isKindKnown && !["channel", "addressing", "copy"].contains { gaps.has("\(path).\($0)") }
            if isRead, provider.kind == ProviderBinding.localPlanKind, provider.channel != .local || provider.needsNoEndpoint {
                add("\(path).kind", "a device's plan is of the channel local, and for devices")
            }
            for (setting, value) in provider.settings.sorted(by: { $0.key < $1.key }) {
                if CatalogueNames.isSecret(setting), !CatalogueNames.isReference(value) {
                    add("\(path).settings.\(setting)", "a secret never stands in the catalogue: write env:NAME or file:/path")
                }
            }
        }
    }

    private mutating func checkProducers() {
        for (name, producer) in catalogue.producers.sorted(by: { $0.key < $1.key }) {
            let path = "producers.\(name)"
            if [ProducerEntry.databasePrefix, ProducerEntry.keyPrefix, ""].contains(name) {
                add("producers", "a producer is named by its AMQP user, as db:ROLE by its database role, or as key:NAME by its API key")
            }
            if !ProducerEntry.isUser(name), producer.vouches {
                add("\(path).vouches", "only an AMQP user can vouch: name the AMQP user of the releasers")
            }
            let isRead =
                !gaps.has(path) && !gaps.hasInside("\(path).tenants") && !gaps.hasInside("\(path)[0]") && !gaps.has("\(path).vouches")
            if isRead, producer.tenants.isEmpty, !producer.vouches {
                add(path, "names no tenant, so nothing this producer sends would be accepted")
            }
            for tenant in producer.tenants.sorted() where !CatalogueNames.isTenant(tenant) {
                add(path, "\"\(tenant)\" is no tenant: a tenant's name is \(CatalogueNames.nameRule)")
            }
            if producer.sources.count > Self.mostSources { add("\(path).sources", "names more than \(Self.mostSources) sources") }
            for source in producer.sources.sorted() where !(1...IntentLimits().maximumSourceBytes).contains(source.utf8.count) {
                add("\(path).sources", "a source has 1 to \(IntentLimits().maximumSourceBytes) bytes")
            }
        }
    }

    private mutating func check(_ channels: [Channel]?, at path: String) {
        guard let channels else { return }
        if channels.isEmpty, !gaps.hasInside(path) { add(path, "names no channel; leave the key out to take the category's") }
        if Set(channels).count < channels.count { add(path, "names a channel twice") }
    }

    private mutating func check(expiry: Duration, at path: String) {
        if expiry <= .zero || expiry > Self.longestExpiry {
            add(path, "must be longer than nothing and at most \(DurationText.print(Self.longestExpiry))")
        }
    }

    private mutating func check(market: String, at path: String) {
        if catalogue.markets[market] == nil, !gaps.has("markets") {
            add(path, "unknown market \"\(market)\"\(NearestName.hint(for: market, among: catalogue.markets.keys))")
        }
    }
}
