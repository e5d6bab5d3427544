@testable import TidingsStore

/// Keys of the HTTP API.
extension StatementCall {
    static let apiKeys: [StatementCall] = [
        StatementCall("keys.create") { store in
            _ = try await store.keys.create(name: "k", tenant: Store.everyTenant, scopes: APIScope.allCases, lifetime: nil, by: "me")
        },
        StatementCall("keys.create") { store in
            _ = try await store.keys.create(name: "k", tenant: "t", scopes: [.intentsWrite], lifetime: .seconds(60), by: "me")
        },
        StatementCall("keys.rotate") { _ = try await $0.keys.rotate(Samples.apiKey.id, overlap: .seconds(60), by: "me") },
        StatementCall("keys.revoke") { _ = try await $0.keys.revoke(Samples.apiKey.id, by: "me") },
        StatementCall("keys.list") { _ = try await $0.keys.list(all: true, limit: 10) },
        StatementCall("keys.list") { _ = try await $0.keys.list(all: false, limit: 10) },
        StatementCall("keys.tenants") { _ = try await $0.keys.tenants() },
        StatementCall("keys.authenticate", with: ["id": .text(Samples.apiKey.id), "secret_hash": .bytes(Samples.apiKey.secretHash)]) {
            store in
            _ = try await store.keys.authenticate(Samples.apiKey)
        },
        StatementCall("keys.authenticate") { _ = try await $0.keys.authenticate([Samples.apiKey]) },
        StatementCall("keys.recordUse") { try await $0.keys.recordUse(of: [Samples.callerKey]) },
    ]
}
