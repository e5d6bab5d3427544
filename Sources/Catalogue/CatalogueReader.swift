import TidingsCore

/// Turns the sections of a file into a catalogue. A value that cannot be read is reported and left out. References between names are
/// checked afterwards.
struct CatalogueReader {
    static let sections = ["types", "categories", "markets", "defaultMarket", "providers", "producers", "features"]

    static func read(_ root: YAMLSection) -> Catalogue {
        root.refuseKeys(except: sections)
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
            features: root["features"].map(features) ?? builtIn.features)
    }

    /// Reads a section whose keys are names that the operator chose.
    private static func named<Value>(_ value: YAMLValue, _ read: (YAMLValue, String) -> Value?) -> [String: Value] {
        var result: [String: Value] = [:]
        for (name, member) in value.section()?.members ?? [] { result[name] = read(member, name) }
        return result
    }

    static let typeKeys = [
        "category", "channels", "channelsByMarket", "schema", "title", "body", "icon", "color", "deepLink", "lane", "expiry", "mandatory",
        "allowsCritical", "silent", "interruptionLevel", "projection",
    ]

    private static func type(_ value: YAMLValue, name: String) -> NotificationType? {
        guard let section = value.section() else { return nil }
        section.refuseKeys(except: typeKeys)
        guard let category = section["category"] else {
            section.log.add(value.path, "needs a category: \(Category.allCases.map(\.rawValue).joined(separator: ", "))")
            return nil
        }
        guard let category: Category = category.word("category") else { return nil }
        var type = NotificationType(name: name, category: category)
        type.schemaJSON = section["schema"]?.json()
        type.titleTemplate = section.text("title")
        type.bodyTemplate = section.text("body")
        type.icon = section.text("icon") ?? type.icon
        type.color = section.text("color") ?? type.color
        type.deepLink = section.text("deepLink")
        type.lane = section["lane"]?.word("lane")
        type.expiry = section["expiry"]?.duration()
        type.channels = section["channels"]?.channels()
        type.channelsByMarket = section["channelsByMarket"].map { named($0) { value, _ in value.channels() } } ?? [:]
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
        guard let section = value.section() else { return [:] }
        section.refuseKeys(except: Category.allCases.map(\.rawValue))
        var result: [Category: CategoryPolicy] = [:]
        for category in Category.allCases {
            guard let own = section[category.rawValue]?.section() else { continue }
            own.refuseKeys(except: categoryKeys)
            var policy = CategoryPolicy.standard(for: category)
            policy.channels = own["channels"]?.channels() ?? policy.channels
            policy.lane = own["lane"]?.word("lane") ?? policy.lane
            policy.quietHours = own["quietHours"]?.word("quiet-hours policy") ?? policy.quietHours
            policy.unknownOutcome = own["unknownOutcome"]?.word("policy") ?? policy.unknownOutcome
            policy.expiry = own["expiry"]?.duration() ?? policy.expiry
            if let retry = own["retry"]?.section() {
                retry.refuseKeys(except: retryKeys)
                policy.retry.maximumAttempts = retry["attempts"]?.integer() ?? policy.retry.maximumAttempts
                policy.retry.base = retry["base"]?.duration() ?? policy.retry.base
                policy.retry.cap = retry["cap"]?.duration() ?? policy.retry.cap
            }
            result[category] = policy
        }
        return result
    }

    private static func market(_ value: YAMLValue, name: String) -> Market? {
        guard let section = value.section() else { return nil }
        section.refuseKeys(except: Channel.allCases.map(\.rawValue))
        var market = Market(name: name, providers: [:])
        for (key, member) in section.members {
            guard let channel = Channel(rawValue: key) else { continue }
            guard member.isMapping else {
                market.providers[channel] = member.texts()
                continue
            }
            guard let own = member.section() else { continue }
            own.refuseKeys(except: carrierKeys)
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
        case .weighted: return .weighted(section["weights"].map { named($0) { value, _ in value.integer() } } ?? [:])
        }
    }

    static let providerKeys = ["channel", "kind", "addressing", "copy", "settings"]

    private static func provider(_ value: YAMLValue, name: String) -> ProviderBinding? {
        guard let section = value.section() else { return nil }
        section.refuseKeys(except: providerKeys)
        guard let channelValue = section["channel"], let kind = section.text("kind") else {
            section.log.add(value.path, "needs a channel and a kind")
            return nil
        }
        guard let channel: Channel = channelValue.word("channel") else { return nil }
        return ProviderBinding(
            name: name, channel: channel, kind: kind,
            settings: section["settings"].map { named($0) { value, _ in value.text() } } ?? [:],
            addressing: section["addressing"]?.word("addressing") ?? standardAddressing(of: channel),
            copy: section["copy"]?.flag() ?? false)
    }

    static let producerKeys = ["tenants", "sources", "vouches"]

    /// Reads a list of tenants, or a mapping if the producer has more than tenants.
    private static func producer(_ value: YAMLValue, name: String) -> ProducerEntry? {
        guard value.isMapping else { return value.texts().map { ProducerEntry(tenants: Set($0)) } }
        guard let section = value.section() else { return nil }
        section.refuseKeys(except: producerKeys)
        let sources = section["sources"]?.texts()
        if sources?.isEmpty == true { section.log.add("\(value.path).sources", "names no source; leave the key out to allow any") }
        return ProducerEntry(
            tenants: Set(section["tenants"]?.texts() ?? []), sources: Set(sources ?? []), vouches: section["vouches"]?.flag() ?? false)
    }

    static let featureKeys = ["is_blur_enabled", "refresh_interval_sec", "unblur_duration_sec"]

    /// The keys are those that the app reads, so they are not spelt like the keys of other sections.
    private static func features(_ value: YAMLValue) -> Features {
        var features = Features()
        guard let section = value.section() else { return features }
        section.refuseKeys(except: featureKeys)
        features.isBlurEnabled = section["is_blur_enabled"]?.flag() ?? features.isBlurEnabled
        features.refreshIntervalSeconds = section["refresh_interval_sec"]?.integer() ?? features.refreshIntervalSeconds
        features.unblurDurationSeconds = section["unblur_duration_sec"]?.integer() ?? features.unblurDurationSeconds
        return features
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
