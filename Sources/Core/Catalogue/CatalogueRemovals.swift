/// The names of one catalogue that another lacks: what an operator loses by making the other one active.
public struct CatalogueRemovals: Sendable, Hashable {
    /// Sorted, as all three.
    public let types: [String]
    /// A provider that carries another channel counts as removed: what waits for the provider on its old channel has nobody left.
    public let providers: [String]
    public let markets: [String]

    public init(from old: Catalogue, to new: Catalogue) {
        types = old.types.keys.filter { new.types[$0] == nil }.sorted()
        providers = old.providers.values.filter { new.providers[$0.name]?.channel != $0.channel }.map(\.name).sorted()
        markets = old.markets.keys.filter { new.markets[$0] == nil }.sorted()
    }

    public var isEmpty: Bool { types.isEmpty && providers.isEmpty && markets.isEmpty }
}
