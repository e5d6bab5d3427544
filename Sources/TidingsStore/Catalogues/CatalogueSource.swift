import Synchronization
import TidingsCore
public import TidingsWire

/// The catalogue a role works with: the active one of the database, or the built-in one while none was applied. Roles look for a new one
/// every few seconds; one that does not compile never replaces the one in use.
public final class CatalogueSource: Sendable {
    /// Between two looks at the active catalogue's hash.
    public static let refreshInterval = Duration.seconds(2)

    private let store: Store
    private let state: Mutex<CompiledCatalogue>

    /// Reads the active catalogue, and keeps the built-in one in the database when it is the active one, so that decisions can name it.
    public init(_ store: Store) async throws {
        self.store = store
        let builtIn = try CompiledCatalogue(CatalogueFile.sealed(.builtIn))
        state = Mutex(builtIn)
        try await store.keepCatalogue(hash: builtIn.catalogue.hash, yaml: CatalogueFile.print(builtIn.catalogue))
        _ = try await refresh()
    }

    public var current: CompiledCatalogue { state.withLock { $0 } }

    /// True when another catalogue has become active.
    public func refresh() async throws -> Bool {
        guard let hash = try await store.activeCatalogueHash(), hash != current.catalogue.hash,
            let active = try await store.activeCatalogue()
        else { return false }
        let compiled = try CompiledCatalogue(CatalogueFile.sealed(CatalogueFile.parse(yaml: active.yaml)))
        state.withLock { $0 = compiled }
        return true
    }
}
