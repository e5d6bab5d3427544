@testable import TidingsStore

/// Keys of the HTTP API.
extension StatementCall {
    static let apiKeys: [StatementCall] = [
        StatementCall("createKey") { store in
            _ = try await store.createKey(name: "k", tenant: Store.everyTenant, scopes: APIScope.allCases, lifetime: nil, by: "me")
        },
        StatementCall("createKey") { store in
            _ = try await store.createKey(name: "k", tenant: "t", scopes: [.intentsWrite], lifetime: .seconds(60), by: "me")
        },
        StatementCall("rotateKey") { _ = try await $0.rotateKey(Samples.apiKey.id, overlap: .seconds(60), by: "me") },
        StatementCall("revokeKey") { _ = try await $0.revokeKey(Samples.apiKey.id, by: "me") },
        StatementCall("keys") { _ = try await $0.keys(all: true, limit: 10) },
        StatementCall("keys") { _ = try await $0.keys(all: false, limit: 10) },
        StatementCall("tenantsOfKeys") { _ = try await $0.tenantsOfKeys() },
        StatementCall("authenticate", with: ["id": .text(Samples.apiKey.id), "secret_hash": .bytes(Samples.apiKey.secretHash)]) { store in
            _ = try await store.authenticate(Samples.apiKey)
        },
        StatementCall("authenticate") { _ = try await $0.authenticate([Samples.apiKey]) },
        StatementCall("recordUse") { try await $0.recordUse(of: [Samples.callerKey]) },
    ]
}
