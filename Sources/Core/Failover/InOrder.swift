extension Question {
    /// Returns the providers of a channel in a market that send one after another, the first one first. Nil with the strategy `all`.
    ///
    /// Providers that failed with the delivery are left out. Providers that were skipped because of an open breaker come after the others.
    /// Providers that only get copies are not included.
    func inOrder(_ channel: Channel, in market: Market) -> [ProviderBinding]? {
        let strategy = market.strategy(for: channel)
        if strategy == .all { return nil }
        var order = catalogue.bindings(for: channel, in: market).filter { !$0.copy }
        if case .weighted(let weights) = strategy {
            let own = ownProvider(of: order, weights)
            order.move(toFront: { $0.name == own })
        }
        order = order.filter { !passedOver.contains($0.name) } + order.filter { passedOver.contains($0.name) }
        order.move(toFront: { $0.name == kept })
        return order.filter { !failed.contains($0.name) && !(isForOneDevice && $0.needsNoEndpoint) }
    }

    /// Returns the person's own provider. The weights are laid end to end, and the person's hash selects a place in them.
    ///
    /// The result does not depend on failed providers, so that the people of other providers keep theirs.
    private func ownProvider(of providers: [ProviderBinding], _ weights: [String: Int]) -> String? {
        func weight(_ provider: ProviderBinding) -> Int { max(0, weights[provider.name] ?? 0) }
        var place = StableHash(facts.tenant, facts.recipient).below(providers.reduce(0) { $0 + weight($1) })
        for provider in providers {
            if place < weight(provider) { return provider.name }
            place -= weight(provider)
        }
        return nil
    }
}

extension Array {
    fileprivate mutating func move(toFront isFirst: (Element) -> Bool) {
        guard let position = firstIndex(where: isFirst) else { return }
        insert(remove(at: position), at: 0)
    }
}
