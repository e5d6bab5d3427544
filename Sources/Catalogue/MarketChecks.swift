import TidingsCore

/// Checks the markets: names, providers, and the way in which providers share a channel.
struct MarketChecks {
    private let catalogue: Catalogue
    private var problems: [CatalogueProblem] = []

    static func problems(in catalogue: Catalogue) -> [CatalogueProblem] {
        var checks = MarketChecks(catalogue)
        checks.check()
        return checks.problems
    }

    private init(_ catalogue: Catalogue) {
        self.catalogue = catalogue
    }

    /// The largest weight. It is enough for a share of a ten-thousandth of the people.
    static let largestWeight = 10_000

    private mutating func add(_ path: String, _ message: String) {
        problems.append(CatalogueProblem(path: path, message: message))
    }

    private mutating func check() {
        let standard = catalogue.defaultMarket
        if catalogue.markets[standard] == nil {
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
                if market.providers[channel]?.isEmpty != false {
                    add("markets.\(name).\(channel.rawValue)", "strategy \(strategy.name.rawValue) needs providers")
                    continue
                }
                guard case .weighted(let weights) = strategy else { continue }
                check(weights, of: market.providers[channel] ?? [], at: "markets.\(name).\(channel.rawValue)")
            }
        }
    }

    private mutating func check(provider: String, of channel: Channel, at path: String) {
        if let known = catalogue.providers[provider] {
            if known.channel != channel { add(path, "provider \"\(provider)\" carries \(known.channel.rawValue), not \(channel.rawValue)") }
        } else {
            add(path, "unknown provider \"\(provider)\"\(NearestName.hint(for: provider, among: catalogue.providers.keys))")
        }
    }

    private mutating func check(_ weights: [String: Int], of providers: [String], at path: String) {
        let sharing = providers.filter { catalogue.providers[$0]?.copy != true }
        guard !weights.isEmpty else {
            let example = sharing.map { "\($0): 1" }.joined(separator: ", ")
            return add(path, "strategy weighted needs weights, for example {\(example)}")
        }
        for provider in sharing where weights[provider] == nil {
            add("\(path).weights", "has none for provider \"\(provider)\"; leave it out of providers if it is to carry nothing")
        }
        for (provider, weight) in weights.sorted(by: { $0.key < $1.key }) {
            let place = "\(path).weights.\(provider)"
            if !providers.contains(provider) {
                add(place, "is none of the providers here\(NearestName.hint(for: provider, among: sharing))")
            } else if !sharing.contains(provider) {
                add(place, "always gets its copy, whatever the weights: leave it out of them")
            }
            if !(1...Self.largestWeight).contains(weight) { add(place, "must be 1 to \(Self.largestWeight)") }
        }
    }
}
