import TidingsCore

/// Checks the markets: names, providers, and the way in which providers share a channel.
struct MarketChecks {
    private let catalogue: Catalogue
    private let gaps: CatalogueGaps
    private var problems: [CatalogueProblem] = []

    static func problems(in catalogue: Catalogue, gaps: CatalogueGaps) -> [CatalogueProblem] {
        var checks = MarketChecks(catalogue, gaps)
        checks.check()
        return checks.problems
    }

    private init(_ catalogue: Catalogue, _ gaps: CatalogueGaps) {
        self.catalogue = catalogue
        self.gaps = gaps
    }

    /// The largest weight. It is enough for a share of a ten-thousandth of the people.
    static let largestWeight = 10_000

    private mutating func add(_ path: String, _ message: String) {
        problems.append(CatalogueProblem(path: path, message: message))
    }

    private mutating func check() {
        let standard = catalogue.defaultMarket
        if catalogue.markets[standard] == nil, !gaps.has("markets"), !gaps.has("defaultMarket") {
            add("defaultMarket", "unknown market \"\(standard)\"\(NearestName.hint(for: standard, among: catalogue.markets.keys))")
        }
        for (name, market) in catalogue.markets.sorted(by: { $0.key < $1.key }) {
            if !CatalogueNames.isName(name) { add("markets.\(name)", "a market's name is \(CatalogueNames.nameRule)") }
            if market.name != name { add("markets.\(name)", "is filed under another name than its own, \"\(market.name)\"") }
            for (channel, providers) in market.providers.sorted(by: { $0.key < $1.key }) {
                let path = "markets.\(name).\(channel.rawValue)"
                if Set(providers).count < providers.count { add(path, "names a provider twice") }
                for provider in providers { check(provider: provider, of: channel, at: path) }
            }
            for (channel, strategy) in market.strategies.sorted(by: { $0.key < $1.key }) {
                let path = "markets.\(name).\(channel.rawValue)"
                if market.providers[channel]?.isEmpty != false {
                    let isRead = !gaps.has(path) && !gaps.hasInside("\(path).providers")
                    if isRead { add(path, "strategy \(strategy.name.rawValue) needs providers") }
                    continue
                }
                guard case .weighted(let weights) = strategy else { continue }
                check(weights, of: market.providers[channel] ?? [], at: path)
            }
        }
    }

    private mutating func check(provider: String, of channel: Channel, at path: String) {
        if let known = catalogue.providers[provider] {
            let isRead = !gaps.has("providers.\(provider)") && !gaps.has("providers.\(provider).channel")
            if isRead, known.channel != channel {
                add(path, "provider \"\(provider)\" carries \(known.channel.rawValue), not \(channel.rawValue)")
            }
        } else if !gaps.has("providers") {
            add(path, "unknown provider \"\(provider)\"\(NearestName.hint(for: provider, among: catalogue.providers.keys))")
        }
    }

    private mutating func check(_ weights: [String: Int], of written: [String], at path: String) {
        // Read a misspelt provider, which is reported already, as the nearest one. Its weight then is not reported as a second problem.
        let providers = written.map { name in
            catalogue.providers[name] == nil ? NearestName.of(name, among: catalogue.providers.keys) ?? name : name
        }
        let sharing = providers.filter { catalogue.providers[$0]?.copy != true }
        if weights.isEmpty {
            let example = sharing.map { "\($0): 1" }.joined(separator: ", ")
            if !gaps.has("\(path).weights") { add(path, "strategy weighted needs weights, for example {\(example)}") }
            return
        }
        let meant = Set(weights.keys.map { providers.contains($0) ? $0 : NearestName.of($0, among: sharing) ?? $0 })
        for provider in sharing where !meant.contains(provider) && isRead(provider) {
            add("\(path).weights", "has none for provider \"\(provider)\"; leave it out of providers if it is to carry nothing")
        }
        for (provider, weight) in weights.sorted(by: { $0.key < $1.key }) {
            let place = "\(path).weights.\(provider)"
            if !providers.contains(provider), !written.contains(provider) {
                let hint = NearestName.hint(for: provider, among: sharing)
                if !gaps.hasInside("\(path).providers") { add(place, "is none of the providers here\(hint)") }
            } else if catalogue.providers[provider]?.copy == true {
                add(place, "always gets its copy, whatever the weights: leave it out of them")
            }
            if !(1...Self.largestWeight).contains(weight) { add(place, "must be 1 to \(Self.largestWeight)") }
        }
    }

    /// Whether the catalogue declares the provider, and its reader knows whether the provider gets a copy.
    private func isRead(_ provider: String) -> Bool {
        catalogue.providers[provider] != nil && !gaps.has("providers.\(provider)") && !gaps.has("providers.\(provider).copy")
    }
}
