extension Catalogue {
    /// The providers that can send a push to a device, sorted by name.
    public var pushCarriers: [ProviderBinding] {
        providers.values.filter { $0.channel == .push && $0.addressing == .device && !$0.copy }.sorted { $0.name < $1.name }
    }

    /// Returns the provider for a push that wakes the app of a device: the market's first that can send to it.
    public func pushCarrier(of device: Endpoint, market: String?) -> ProviderBinding? {
        let wanted = device.market ?? market ?? defaultMarket
        guard let market = markets[wanted] ?? markets[defaultMarket] else { return nil }
        return bindings(for: .push, in: market).first { $0.addressing == .device && $0.carries(device) }
    }
}
