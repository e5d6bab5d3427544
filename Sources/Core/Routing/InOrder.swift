extension Question {
    /// The providers that carry a channel in a market one after the other, who goes first first; those that gave the delivery up are left out, and
    /// those that were passed over for failing come after the others. Nil where every provider carries it that can.
    ///
    /// Whoever gets only a copy is not among them.
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

    /// The provider of this person: where their number falls, when the weights are laid end to end. It does not depend on who failed, so that the
    /// others' people stay where they are.
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
