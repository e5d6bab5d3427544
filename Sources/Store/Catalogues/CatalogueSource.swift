import Synchronization
public import TidingsCatalogue
public import TidingsCore

/// The rules that a role follows: the active catalogue and the pauses in force. Until a catalogue is applied, the built-in one is active.
///
/// A role checks both for changes with one small query. A catalogue that does not compile never replaces the one in use.
public final class CatalogueSource: Sendable {
    /// The time between two checks. A pause or a new catalogue reaches a role within this time plus the time of the query.
    public static let refreshInterval = Duration.milliseconds(500)

    private struct State {
        var catalogue: CompiledCatalogue
        var pauses = Pauses.none
    }

    private let store: Store
    private let builtIn: Catalogue
    private let state: Mutex<State>

    /// Reads the active catalogue. Writes nothing, so that a read-only session may ask: the built-in catalogue comes from memory.
    ///
    /// - Parameter builtIn: the catalogue that is active until another one is applied.
    public init(_ store: Store, builtIn: Catalogue) async throws {
        self.store = store
        let sealed = CatalogueFile.sealed(builtIn)
        self.builtIn = sealed
        state = Mutex(State(catalogue: try CompiledCatalogue(sealed)))
        try await refresh()
    }

    /// Stores the built-in catalogue in the database. A role does this before its first decision, so that a decision that names the
    /// catalogue can be explained later.
    public func keepBuiltIn() async throws {
        try await store.catalogues.keep(hash: builtIn.hash, yaml: CatalogueFile.print(builtIn))
    }

    public var current: CompiledCatalogue { state.withLock(\.catalogue) }

    /// The pauses in force at the last check.
    public var pauses: Pauses { state.withLock(\.pauses) }

    /// Reads the active catalogue and the pauses in force. A role compares ``current`` with the catalogue that it follows, so it repeats a
    /// step that failed.
    public func refresh() async throws {
        let (hash, pauses) = try await store.catalogues.inForce()
        state.withLock { $0.pauses = pauses }
        guard let hash, hash != current.catalogue.hash, let active = try await store.catalogues.active() else { return }
        let compiled = try CompiledCatalogue(CatalogueFile.sealed(CatalogueFile.parse(yaml: active.yaml)))
        state.withLock { $0.catalogue = compiled }
    }
}
