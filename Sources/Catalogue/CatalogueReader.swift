import TidingsCore

/// Turns the sections of a file into a catalogue. A value that cannot be read is reported and left out. References between names are
/// checked afterwards. A name stays in the catalogue even if nothing of its value could be read, so that the name is known to these checks.
struct CatalogueReader {
    static let sections = ["types", "categories", "markets", "defaultMarket", "providers", "producers", "features"]

    /// - Parameter features: the settings that modules declare. Nil for a file that was stored: it may have settings of a module that this
    ///   binary lacks, so each is taken as it is.
    static func read(_ document: YAMLSection, features: [FeatureSetting]?) -> Catalogue {
        let root = document.keys(sections)
        let builtIn = Catalogue.builtIn
        if root["types"] == nil { root.log.add("types", "is missing: a catalogue declares at least one type") }
        let markets = root["markets"].map { named($0, market) } ?? builtIn.markets
        return Catalogue(
            types: root["types"].map { named($0, type) } ?? [:],
            categories: root["categories"].map(categories) ?? builtIn.categories,
            markets: markets,
            providers: root["providers"].map { named($0, provider) } ?? builtIn.providers,
            defaultMarket: root.text("defaultMarket") ?? (markets.count == 1 ? markets.keys.first : nil) ?? builtIn.defaultMarket,
            hash: "",
            producers: root["producers"].map { named($0, producer) } ?? builtIn.producers,
            features: Self.features(root["features"], features))
    }

    /// Reads a section whose keys are names that the operator chose.
    private static func named<Value>(_ value: YAMLValue, _ read: (YAMLValue, String) -> Value) -> [String: Value] {
        var result: [String: Value] = [:]
        for (name, member) in value.section()?.members ?? [] { result[name] = read(member, name) }
        return result
    }

    static let typeKeys = [
        "category", "channels", "channelsByMarket", "schema", "title", "body", "icon", "color", "deepLink", "lane", "expiry", "mandatory",
        "allowsCritical", "silent", "interruptionLevel", "projection",
    ]

    private static func type(_ value: YAMLValue, name: String) -> NotificationType {
        // No check depends on the category of a type, so an unknown one is replaced by any other.
        var type = NotificationType(name: name, category: .transactional)
        guard let section = value.section()?.keys(typeKeys) else { return type }
        if let category = section["category"] {
            type.category = category.word("category") ?? type.category
        } else {
            section.log.add(value.path, "needs a category: \(Category.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        type.schemaJSON = section["schema"]?.json()
        type.titleTemplate = section.text("title")
        type.bodyTemplate = section.text("body")
        type.icon = section.text("icon") ?? type.icon
        type.color = section.text("color") ?? type.color
        type.deepLink = section.text("deepLink")
        type.lane = section["lane"]?.word("lane")
        type.expiry = section["expiry"]?.duration()
        type.channels = section["channels"]?.channels()
        type.channelsByMarket = section["channelsByMarket"].map { named($0) { value, _ in value.channels() ?? [] } } ?? [:]
        type.mandatory = section["mandatory"]?.flag() ?? type.mandatory
        type.allowsCritical = section["allowsCritical"]?.flag() ?? type.allowsCritical
        type.silent = section["silent"]?.flag() ?? type.silent
        type.interruptionLevel = section["interruptionLevel"]?.word("interruption level")
        type.projection = section.text("projection")
        return type
    }

    static let categoryKeys = ["channels", "lane", "quietHours", "unknownOutcome", "retry", "expiry"]
    static let retryKeys = ["attempts", "base", "cap"]

    private static func categories(_ value: YAMLValue) -> [Category: CategoryPolicy] {
        guard let section = value.section()?.keys(Category.allCases.map(\.rawValue)) else { return [:] }
        var result: [Category: CategoryPolicy] = [:]
        for category in Category.allCases {
            guard let own = section[category.rawValue]?.section()?.keys(categoryKeys) else { continue }
            var policy = CategoryPolicy.standard(for: category)
            policy.channels = own["channels"]?.channels() ?? policy.channels
            policy.lane = own["lane"]?.word("lane") ?? policy.lane
            policy.quietHours = own["quietHours"]?.word("quiet-hours policy") ?? policy.quietHours
            policy.unknownOutcome = own["unknownOutcome"]?.word("policy") ?? policy.unknownOutcome
            policy.expiry = own["expiry"]?.duration() ?? policy.expiry
            if let retry = own["retry"]?.section()?.keys(retryKeys) {
                policy.retry.maximumAttempts = retry["attempts"]?.integer() ?? policy.retry.maximumAttempts
                policy.retry.base = retry["base"]?.duration() ?? policy.retry.base
                policy.retry.cap = retry["cap"]?.duration() ?? policy.retry.cap
            }
            result[category] = policy
        }
        return result
    }

    private static func market(_ value: YAMLValue, name: String) -> Market {
        var market = Market(name: name, providers: [:])
        guard let section = value.section()?.keys(Channel.allCases.map(\.rawValue)) else { return market }
        for (key, member) in section.members {
            guard let channel = Channel(rawValue: key) else { continue }
            guard member.isMapping else {
                market.providers[channel] = member.texts()
                continue
            }
            guard let own = member.section()?.keys(carrierKeys) else { continue }
            if own["providers"] == nil { own.log.add(own.path, "needs providers, for example [a, b]") }
            market.providers[channel] = own["providers"]?.texts()
            market.strategies[channel] = strategy(own)
        }
        return market
    }

    static let carrierKeys = ["providers", "strategy", "weights"]

    /// Returns the strategy of a channel. Nil for ``ProviderStrategy/all``, the default, which is not stored. The weights are checked
    /// later, together with the providers.
    private static func strategy(_ section: YAMLSection) -> ProviderStrategy? {
        guard let name: ProviderStrategy.Name = section["strategy"].map({ $0.word("strategy") }) ?? .all else { return nil }
        if name != .weighted, let weights = section["weights"] {
            weights.problem("only count with strategy weighted, not \(name.rawValue)")
        }
        switch name {
        case .all: return nil
        case .first: return .first
        case .weighted: return .weighted(section["weights"].map { named($0) { value, _ in value.integer() ?? 1 } } ?? [:])
        }
    }

    static let providerKeys = ["channel", "kind", "addressing", "copy", "settings"]

    private static func provider(_ value: YAMLValue, name: String) -> ProviderBinding {
        // The checks know the gap, and do not judge what depends on the channel or the kind.
        var binding = ProviderBinding(name: name, channel: .push, kind: "", addressing: .device)
        guard let section = value.section()?.keys(providerKeys) else { return binding }
        let (channel, kind) = (section["channel"], section.text("kind"))
        if channel == nil || kind == nil && !value.log.gaps.has("\(value.path).kind") {
            section.log.add(value.path, "needs a channel and a kind")
        }
        binding.channel = channel?.word("channel") ?? binding.channel
        binding.kind = kind ?? binding.kind
        binding.addressing = section["addressing"]?.word("addressing") ?? standardAddressing(of: binding.channel)
        binding.copy = section["copy"]?.flag() ?? binding.copy
        for (setting, member) in section["settings"]?.section()?.members ?? [] { binding.settings[setting] = member.text() }
        return binding
    }

    static let producerKeys = ["tenants", "sources", "vouches"]

    /// Reads a list of tenants, or a mapping if the producer has more than tenants.
    private static func producer(_ value: YAMLValue, name: String) -> ProducerEntry {
        guard value.isMapping else { return ProducerEntry(tenants: Set(value.texts() ?? [])) }
        guard let section = value.section()?.keys(producerKeys) else { return ProducerEntry(tenants: []) }
        let sources = section["sources"]?.texts()
        if sources?.isEmpty == true { section.log.add("\(value.path).sources", "names no source; leave the key out to allow any") }
        return ProducerEntry(
            tenants: Set(section["tenants"]?.texts() ?? []), sources: Set(sources ?? []), vouches: section["vouches"]?.flag() ?? false)
    }

    /// The keys are those that the app reads, so they are not spelt like the keys of other sections.
    private static func features(_ value: YAMLValue?, _ declared: [FeatureSetting]?) -> [String: FeatureValue] {
        guard let declared else { return value.map { named($0, storedFeature).compactMapValues { $0 } } ?? [:] }
        var features = Dictionary(declared.map { ($0.name, $0.standard) }) { first, _ in first }
        guard let section = value?.section() else { return features }
        guard !declared.isEmpty else {
            for (_, member) in section.members where !member.isNull {
                member.problem("is no setting of this binary: none of its modules has a setting")
            }
            return features
        }
        let own = section.keys(declared.map(\.name))
        for setting in declared {
            if let given = own[setting.name], let read = feature(given, setting.form) { features[setting.name] = read }
        }
        return features
    }

    private static func feature(_ value: YAMLValue, _ form: FeatureSetting.Form) -> FeatureValue? {
        switch form {
        case .flag: return value.flag().map(FeatureValue.flag)
        case .number(_, let range, let unit):
            guard let number = value.integer() else { return nil }
            if !range.contains(number) { value.problem("must be \(range.lowerBound) to \(range.upperBound) \(unit)") }
            return .number(number)
        }
    }

    private static func storedFeature(_ value: YAMLValue, name: String) -> FeatureValue? {
        guard !value.isNull else { return nil }
        guard CatalogueNames.isName(name) else {
            value.problem("the name of a setting is \(CatalogueNames.nameRule)")
            return nil
        }
        return value.isFlag ? value.flag().map(FeatureValue.flag) : value.integer().map(FeatureValue.number)
    }

    /// The addressing of nearly every provider of a channel.
    static func standardAddressing(of channel: Channel) -> Addressing {
        switch channel {
        case .inApp: .person
        case .push, .local: .device
        case .email, .sms, .webPush, .webhook: .address
        }
    }
}
