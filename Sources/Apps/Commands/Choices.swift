import TidingsCatalogue
import TidingsCore
import TidingsServer
import TidingsStore

/// Values of options that come from a closed list. Each throws a ``Failure`` with exit code 65 that names the list or the nearest name.
enum Choices {
    static func check(_ value: String?, of option: String, isOneOf known: [String]) throws {
        guard let value, !known.contains(value) else { return }
        throw Failure(.data, "unknown \(option) \(value)", hint: "it is one of \(known.joined(separator: ", "))")
    }

    /// Nil where none is named, which means every channel.
    static func channels(_ names: [String]) throws -> [Channel]? {
        for name in names { try check(name, of: "channel", isOneOf: Channel.allCases.map(\.rawValue)) }
        return names.isEmpty ? nil : names.compactMap(Channel.init(rawValue:))
    }

    /// A reason of a delivery. The codes are a closed list, so that an unknown one would only ever find nothing.
    static func checkReason(_ value: String?) throws {
        let codes = ReasonExplanation.all.filter { !$0.states.isEmpty || ![.rejected, .dead].contains($0.code.kind) }.map(\.code.rawValue)
        let known = codes + inQueue
        guard let value, !known.contains(value) else { return }
        let hint = NearestName.of(value, among: known).map { "did you mean \($0)?" }
        throw Failure(.data, "no delivery has the reason \(value)", hint: hint ?? "select code, states from tidings_ops.reason_codes")
    }

    /// The two reasons of what is queued, which no list of ours explains.
    private static let inQueue = ["inQueue", "inFlight"]

    /// A type that found nothing: one of the catalogue has no rows yet, any other is a mistake. A type that the catalogue has no more may
    /// have rows, so only an empty answer is checked.
    static func checkType(_ value: String?, in store: Store) async throws {
        // A role that may not read the catalogue gets the empty answer without a suggestion.
        guard let value, let types = try? await CatalogueSource(store).current.catalogue.types, types[value] == nil else { return }
        let hint = NearestName.of(value, among: types.keys).map { "did you mean \($0)?" }
        throw Failure(.data, "the catalogue has no type \(value), and nothing is stored of it", hint: hint ?? "tidings catalogue show")
    }
}
