import TidingsCatalogue
public import TidingsCore

/// The names by which a report about a device may name the provider that issued the token. The names are the catalogue's providers and
/// their kinds, the kinds of the binary, and the standard providers of the platforms.
public struct IssuerNames: Sendable {
    private let known: Set<String>

    /// - Parameter kinds: the kinds of providers that are part of the binary.
    public init(kinds: [String], catalogue: Catalogue) {
        known = Set(kinds).union(catalogue.providers.values.flatMap { [$0.name, $0.kind] })
            .union(DevicePlatform.allCases.map(\.standardProvider))
    }

    /// Whether a provider or a kind has exactly this name.
    public func contains(_ name: String) -> Bool { known.contains(name) }

    /// Returns the known name that differs at most in the case of letters. Any other text is returned as it is, and so is a text that could
    /// be two names. Routing compares names exactly, so a push for `APNs` would find no provider.
    func folded(_ written: String) -> String {
        guard CatalogueNames.isName(written), !known.contains(written) else { return written }
        let lowercased = written.lowercased()
        let same = known.filter { $0.lowercased() == lowercased }
        return same.count == 1 ? same.first ?? written : written
    }

    /// The known name that was probably meant. Nil for a known name, and for a name that is near to none.
    func nearest(to name: String) -> String? { contains(name) ? nil : NearestName.of(name, among: known) }
}
