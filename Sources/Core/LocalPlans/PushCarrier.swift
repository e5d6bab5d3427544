extension Catalogue {
    /// Every provider that can carry a push to some device, by name.
    public var pushCarriers: [ProviderBinding] {
        providers.values.filter { $0.channel == .push && $0.addressing == .device && !$0.copy }.sorted { $0.name < $1.name }
    }

    /// Who carries a push to a device of a person, to wake its app: the market's first that can.
    public func pushCarrier(of device: Endpoint, market: String?) -> ProviderBinding? {
        let wanted = device.market ?? market ?? defaultMarket
        guard let market = markets[wanted] ?? markets[defaultMarket] else { return nil }
        return bindings(for: .push, in: market).first { $0.addressing == .device && $0.carries(device) }
    }
}
