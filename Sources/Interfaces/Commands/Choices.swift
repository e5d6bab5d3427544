import TidingsCatalogue
import TidingsCore
import TidingsServer
import TidingsStore

/// Checks of option values against closed lists. Each check throws a ``Failure`` with exit code 65 that names the list or the nearest name.
enum Choices {
    static func check(_ value: String?, of option: String, isOneOf known: [String]) throws {
        guard let value, !known.contains(value) else { return }
        throw Failure(.data, "unknown \(option) \(value)", hint: "it is one of \(known.joined(separator: ", "))")
    }

    /// Returns the named channels. If none is named, returns nil, which means every channel.
    static func channels(_ names: [String]) throws -> [Channel]? {
        for name in names { try check(name, of: "channel", isOneOf: Channel.allCases.map(\.rawValue)) }
        return names.isEmpty ? nil : names.compactMap(Channel.init(rawValue:))
    }

    /// Checks the reason of a delivery. The codes are a closed list, so a filter by an unknown code would never find a row.
    static func checkReason(_ value: String?) throws {
        let codes = ReasonExplanation.all.filter { !$0.states.isEmpty || ![.rejected, .dead].contains($0.code.kind) }.map(\.code.rawValue)
        let known = codes + inQueue
        guard let value, !known.contains(value) else { return }
        let hint = NearestName.of(value, among: known).map { "did you mean \($0)?" }
        throw Failure(.data, "no delivery has the reason \(value)", hint: hint ?? "select code, states from tidings_ops.reason_codes")
    }

    /// The two reasons of queued deliveries. ``ReasonExplanation`` does not list them.
    private static let inQueue = ["inQueue", "inFlight"]

    /// Checks a type for which a list found no rows. A type of the catalogue may have no rows yet; any other type is a mistake.
    /// Call it only for an empty answer: a type that was removed from the catalogue may still have rows.
    static func checkType(_ value: String?, in store: Store) async throws {
        // A database role without the right to read the catalogue gets the empty answer without a suggestion.
        guard let value, let types = try? await CatalogueSource(store, builtIn: .ofBinary).current.catalogue.types, types[value] == nil
        else { return }
        let hint = NearestName.of(value, among: types.keys).map { "did you mean \($0)?" }
        throw Failure(.data, "the catalogue has no type \(value), and nothing is stored of it", hint: hint ?? "tidings catalogue show")
    }
}
