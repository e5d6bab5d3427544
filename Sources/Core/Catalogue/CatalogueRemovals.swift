/// The names that one catalogue has and another one lacks. An operator loses them by making the other catalogue active.
public struct CatalogueRemovals: Sendable, Hashable {
    /// Sorted, like the other two lists.
    public let types: [String]
    /// A provider that moved to another channel counts as removed. Deliveries that wait for it on the old channel have no provider any
    /// more.
    public let providers: [String]
    public let markets: [String]

    public init(from old: Catalogue, to new: Catalogue) {
        types = old.types.keys.filter { new.types[$0] == nil }.sorted()
        providers = old.providers.values.filter { new.providers[$0.name]?.channel != $0.channel }.map(\.name).sorted()
        markets = old.markets.keys.filter { new.markets[$0] == nil }.sorted()
    }

    public var isEmpty: Bool { types.isEmpty && providers.isEmpty && markets.isEmpty }
}
