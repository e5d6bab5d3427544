/// A named set of providers, for example those of one country.
public struct Market: Sendable, Hashable {
    public var name: String
    /// The names of the providers that carry each channel, the preferred one first.
    public var providers: [Channel: [String]]
    /// The way in which providers share a channel. A channel without an entry uses ``ProviderStrategy/all``.
    public var strategies: [Channel: ProviderStrategy]

    public init(name: String, providers: [Channel: [String]], strategies: [Channel: ProviderStrategy] = [:]) {
        self.name = name
        self.providers = providers
        self.strategies = strategies
    }

    public func strategy(for channel: Channel) -> ProviderStrategy {
        strategies[channel] ?? .all
    }
}
