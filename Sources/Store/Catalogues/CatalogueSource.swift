import Synchronization
public import TidingsCatalogue
public import TidingsCore

/// What a role works by: the active catalogue of the database, or the built-in one while none was applied, and what is paused. Roles look for
/// changes of both with one small query; a catalogue that does not compile never replaces the one in use.
public final class CatalogueSource: Sendable {
    /// Between two looks: how long a pause or another catalogue takes to reach a role at most, but for the query itself.
    public static let refreshInterval = Duration.milliseconds(500)

    private struct State {
        var catalogue: CompiledCatalogue
        var pauses = Pauses.none
    }

    private let store: Store
    private let state: Mutex<State>

    /// Reads the active catalogue, and keeps the built-in one in the database when it is the active one, so that decisions can name it.
    public init(_ store: Store) async throws {
        self.store = store
        let builtIn = try CompiledCatalogue(CatalogueFile.sealed(.builtIn))
        state = Mutex(State(catalogue: builtIn))
        try await store.keepCatalogue(hash: builtIn.catalogue.hash, yaml: CatalogueFile.print(builtIn.catalogue))
        try await refresh()
    }

    public var current: CompiledCatalogue { state.withLock(\.catalogue) }

    /// What is paused, as of the last look.
    public var pauses: Pauses { state.withLock(\.pauses) }

    /// Reads what is in force. A role compares ``current`` with the catalogue that it follows, so a step that failed is not forgotten.
    public func refresh() async throws {
        let (hash, pauses) = try await store.inForce()
        state.withLock { $0.pauses = pauses }
        guard let hash, hash != current.catalogue.hash, let active = try await store.activeCatalogue() else { return }
        let compiled = try CompiledCatalogue(CatalogueFile.sealed(CatalogueFile.parse(yaml: active.yaml)))
        state.withLock { $0.catalogue = compiled }
    }
}
