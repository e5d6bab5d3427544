/// A named set of providers, for example those of one country.
public struct Market: Sendable, Hashable {
    public var name: String
    /// The names of the providers that carry each channel, the preferred one first.
    public var providers: [Channel: [String]]

    public init(name: String, providers: [Channel: [String]]) {
        self.name = name
        self.providers = providers
    }
}
