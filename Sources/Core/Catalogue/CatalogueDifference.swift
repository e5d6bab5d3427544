/// The changes from one catalogue to another in words, one sentence for each change.
///
/// If a change does not fit in a sentence, such as a new schema of a type, the sentence only names the changed part. The difference of the
/// two catalogue files shows the rest.
public struct CatalogueDifference: Sendable, Hashable {
    /// The sentences, in this order: removed types, new types, default market, markets by name, providers by name, remaining types by name,
    /// categories, producers, features. Empty when nothing differs.
    public let sentences: [String]

    public init(from old: Catalogue, to new: Catalogue) {
        var words = Self.names(old.types, [:]).filter { new.types[$0] == nil }.map { "type \($0): is gone" }
        words += Self.names(new.types, [:]).filter { old.types[$0] == nil }.map { "type \($0): is new" }
        if old.defaultMarket != new.defaultMarket {
            words.append("default market: \(old.defaultMarket) → \(new.defaultMarket), for people and intents that name none")
        }
        for name in Self.names(old.markets, new.markets) {
            switch (old.markets[name], new.markets[name]) {
            case (nil, let added?): words += ["market \(name): is new"] + Self.market(from: Market(name: name, providers: [:]), to: added)
            case (_?, nil): words.append("market \(name): is gone; its people are served as in \(new.defaultMarket)")
            case (let before?, let after?): words += Self.market(from: before, to: after)
            case (nil, nil): break
            }
        }
        words += Self.changes("provider", old.providers, new.providers) { Self.provider(from: $0, to: $1) }
        let kept = (old.types.filter { new.types[$0.key] != nil }, new.types.filter { old.types[$0.key] != nil })
        words += Self.changes("type", kept.0, kept.1) { Self.type(from: $0, to: $1) }
        for category in Category.allCases {
            let what = Self.policy(from: old.policy(for: category), to: new.policy(for: category))
            if !what.isEmpty { words.append("category \(category.rawValue): " + what.joined(separator: ", ")) }
        }
        words += Self.changes("producer", old.producers, new.producers) { Self.producer(from: $0, to: $1) }
        let features = Self.features(from: old.features, to: new.features)
        if !features.isEmpty { words.append("features: \(Self.list(features))") }
        sentences = words
    }
}

// MARK: - Markets

extension CatalogueDifference {
    private static func market(from old: Market, to new: Market) -> [String] {
        Channel.allCases.flatMap { channel -> [String] in
            let changes =
                providers(from: old.providers[channel] ?? [], to: new.providers[channel] ?? [])
                + strategy(from: old.strategy(for: channel), to: new.strategy(for: channel))
            return changes.map { "market \(new.name), \(channel.rawValue): \($0)" }
        }
    }

    private static func providers(from old: [String], to new: [String]) -> [String] {
        if old == new { return [] }
        let (added, removed) = (new.filter { !old.contains($0) }, old.filter { !new.contains($0) })
        var words: [String] = []
        if !added.isEmpty { words.append("adds \(list(added))") }
        if !removed.isEmpty { words.append(new.isEmpty ? "removes \(list(removed)), no provider is left" : "removes \(list(removed))") }
        let (before, after) = (old.filter(new.contains), new.filter(old.contains))
        if before != after { words.append("order \(list(before)) → \(list(after))") }
        return words
    }

    private static func strategy(from old: ProviderStrategy, to new: ProviderStrategy) -> [String] {
        if old == new { return [] }
        guard case .weighted(let weights) = new else { return ["strategy \(old.name.rawValue) → \(new.name.rawValue)"] }
        let after = weights.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        guard case .weighted(let before) = old else { return ["strategy \(old.name.rawValue) → weighted (\(list(after)))"] }
        let changed = names(before, weights).filter { before[$0] != weights[$0] }
        return [
            "weights " + list(changed.map { "\($0) \(before[$0].map(String.init) ?? "none") → \(weights[$0].map(String.init) ?? "none")" })
                + "; some people change provider"
        ]
    }
}

// MARK: - Providers, producers, types and categories

extension CatalogueDifference {
    private static func provider(from old: ProviderBinding, to new: ProviderBinding) -> [String] {
        var words = [
            change("channel", old.channel.rawValue, new.channel.rawValue), change("kind", old.kind, new.kind),
            change("addressing", old.addressing.rawValue, new.addressing.rawValue), change("copy", "\(old.copy)", "\(new.copy)"),
        ].compactMap(\.self)
        // Print the names of settings but not their values: an operator may have given a secret where the name of a secret is expected.
        let settings = names(old.settings, new.settings).filter { old.settings[$0] != new.settings[$0] }
        if !settings.isEmpty { words.append("settings \(list(settings))") }
        return words
    }

    private static func producer(from old: ProducerEntry, to new: ProducerEntry) -> [String] {
        [
            change("tenants", list(old.tenants.sorted()), list(new.tenants.sorted())),
            change("sources", list(old.sources.sorted()), list(new.sources.sorted())),
            change("vouches", "\(old.vouches)", "\(new.vouches)"),
        ].compactMap(\.self)
    }

    private static func features(from old: [String: FeatureValue], to new: [String: FeatureValue]) -> [String] {
        names(old, new).compactMap { change($0, old[$0]?.description ?? "none", new[$0]?.description ?? "none") }
    }

    private static func type(from old: NotificationType, to new: NotificationType) -> [String] {
        var words = [
            change("category", old.category.rawValue, new.category.rawValue), change("channels", text(old.channels), text(new.channels)),
            change("lane", text(old.lane?.rawValue), text(new.lane?.rawValue)), change("mandatory", "\(old.mandatory)", "\(new.mandatory)"),
            change("allowsCritical", "\(old.allowsCritical)", "\(new.allowsCritical)"), change("silent", "\(old.silent)", "\(new.silent)"),
            old.expiry == new.expiry ? nil : "expiry",
            change("projection", old.projection ?? "none", new.projection ?? "none"),
        ].compactMap(\.self)
        for market in names(old.channelsByMarket, new.channelsByMarket) {
            let (before, after) = (old.channelsByMarket[market], new.channelsByMarket[market])
            if before != after { words.append("channels in \(market) \(text(before)) → \(text(after))") }
        }
        let others = [
            ("schema", old.schemaJSON == new.schemaJSON), ("title", old.titleTemplate == new.titleTemplate),
            ("body", old.bodyTemplate == new.bodyTemplate), ("icon", old.icon == new.icon), ("color", old.color == new.color),
            ("deepLink", old.deepLink == new.deepLink),
        ].filter { !$0.1 }.map(\.0)
        return words + others
    }

    private static func policy(from old: CategoryPolicy, to new: CategoryPolicy) -> [String] {
        [
            change("channels", text(old.channels), text(new.channels)), change("lane", old.lane.rawValue, new.lane.rawValue),
            change("quietHours", old.quietHours.rawValue, new.quietHours.rawValue),
            change("unknownOutcome", old.unknownOutcome.rawValue, new.unknownOutcome.rawValue),
            old.expiry == new.expiry ? nil : "expiry", old.retry == new.retry ? nil : "retry",
        ].compactMap(\.self)
    }

    /// Returns a sentence for each named value that is new, gone or changed.
    private static func changes<Value: Equatable>(
        _ noun: String, _ old: [String: Value], _ new: [String: Value], _ changes: (Value, Value) -> [String]
    ) -> [String] {
        names(old, new).compactMap { name in
            switch (old[name], new[name]) {
            case (nil, _?): return "\(noun) \(name): is new"
            case (_?, nil): return "\(noun) \(name): is gone"
            case (let before?, let after?) where before != after: return "\(noun) \(name): \(list(changes(before, after)))"
            case (_?, _?), (nil, nil): return nil
            }
        }
    }

    private static func change(_ what: String, _ old: String, _ new: String) -> String? {
        old == new ? nil : "\(what) \(old) → \(new)"
    }

    /// The text for a setting that a type leaves to its category.
    private static let inherited = "the category's"

    private static func text(_ value: String?) -> String { value ?? inherited }

    private static func text(_ channels: [Channel]?) -> String { channels.map { list($0.map(\.rawValue)) } ?? inherited }

    private static func list(_ names: [String]) -> String { names.isEmpty ? "nothing" : names.joined(separator: ", ") }

    private static func names<Value>(_ old: [String: Value], _ new: [String: Value]) -> [String] {
        Set(old.keys).union(new.keys).sorted()
    }
}
