import TidingsJSON
import TidingsServer
import TidingsStore

/// The key with every scope that `tidings dev` writes into its environment file, so that the first request over HTTP needs no setting.
enum DevelopmentKey {
    /// Returns the key of a home. If the database does not know it, makes a new one.
    static func prepare(home: String, in store: Store) async throws -> String {
        let path = home + "/api-key"
        if let text = readFile(path), let key = APIKeyText(text), try await store.keys.authenticate(key) != nil { return text }
        let author = "tidings dev"
        for old in try await store.keys.list(all: false, limit: 1_000) {
            guard try old.column("name", as: String.self) == name else { continue }
            _ = try await store.keys.revoke(try old.column("key_id", as: String.self), by: author)
        }
        guard
            let made = try await store.keys.create(
                name: name, tenant: Store.everyTenant, scopes: APIScope.allCases, lifetime: nil, by: author)
        else { throw Failure(.config, "the key of tidings dev cannot be made", hint: "tidings key list shows who has the name \(name)") }
        try writePrivately(made.text.revealed, to: path)
        return made.text.revealed
    }

    private static let name = "dev"
}
