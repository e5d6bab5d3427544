import Testing
import TidingsJSON
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// Keys of the HTTP API: making, verifying, rotating and revoking.
@Suite struct APIKeyTests {
    @Test func aKeyIsVerifiedByItsSecret() async throws {
        try await StoreScene.with { scene in
            let key = try await scene.key("shop")
            let text = key.revealed
            let parsed = try #require(APIKeyText(text))
            let caller = try #require(try await scene.store.keys.authenticate(parsed))
            #expect(caller.id == key.id && caller.name == "shop" && caller.tenant == "default" && caller.producer == "key:shop")
            #expect(caller.allows(.intentsWrite) && !caller.allows(.recipientsErase))
            #expect(caller.allows(tenant: "default") && !caller.allows(tenant: "acme"))

            let last: Character = text.last == "A" ? "E" : "A"
            let wrong = try #require(APIKeyText(String(text.dropLast()) + String(last)))
            #expect(try await scene.store.keys.authenticate(wrong) == nil)
            let unknown = try #require(APIKeyText("tid_0000000000000000_" + text.suffix(43)))
            #expect(try await scene.store.keys.authenticate(unknown) == nil)
        }
    }

    @Test func manyKeysAreVerifiedAtOnce() async throws {
        try await StoreScene.with { scene in
            let (shop, bank) = (try await scene.key("shop"), try await scene.key("bank"))
            let unknown = try #require(APIKeyText("tid_0000000000000000_" + shop.revealed.suffix(43)))
            let mixed = try #require(APIKeyText("tid_\(shop.id)_" + bank.revealed.suffix(43)))
            let callers = try await scene.store.keys.authenticate([bank, unknown, shop, mixed, shop])
            #expect(callers.map { $0?.name } == ["bank", nil, "shop", nil, "shop"])
            func used() async throws -> Int {
                try await scene.system.count("select count(*) from tidings.api_keys where last_used_at is not null")
            }
            // The look-up is no commit.
            #expect(try await used() == 0)
            try await scene.store.keys.recordUse(of: callers.compactMap { $0 })
            #expect(try await used() == 2)
        }
    }

    @Test func onlyTheExactFormIsAKey() {
        let secret = String(repeating: "A", count: 43)
        #expect(APIKeyText("tid_0123456789abcdef_\(secret)") != nil)
        let others = [
            "", "tid_", "tid_0123456789ABCDEF_\(secret)", "tid_0123456789abcdef-\(secret)", "tid_0123456789abcdef_\(secret)A",
            "tid_0123456789abcdef_\(secret.dropLast())", "tid_0123456789abcdef_\(secret.dropLast())B", "TID_0123456789abcdef_\(secret)",
            "tid_0123456789abcdef_\(secret.dropLast())=", "tid_0123456789abcdef_\(secret.dropLast())é",
        ]
        for text in others { #expect(APIKeyText(text) == nil, "\(text)") }
    }

    /// A log that names a key by mistake does not have its secret.
    @Test func aDescriptionHasNoSecret() async throws {
        let key = try #require(APIKeyText("tid_0123456789abcdef_" + String(repeating: "A", count: 43)))
        #expect("\(key)" == "tid_0123456789abcdef_…")
    }

    @Test func theDatabaseHasNoSecret() async throws {
        try await StoreScene.with { scene in
            let key = try await scene.key("shop")
            let rows = try await scene.system.query("select row_to_json(k)::text from tidings.api_keys k").rows
            let row = try #require(rows.first).decode(String.self)
            #expect(!row.contains(key.revealed.suffix(43)))
            let listed = try await scene.store.keys.list(all: true, limit: 10)
            #expect(listed.count == 1 && listed[0]["key_id"]?.stringValue == key.id && listed[0]["secret_hash"] == nil)
        }
    }

    /// Both secrets are valid during the overlap. A further rotation ends the oldest.
    @Test func aRotatedKeyHasTwoSecretsForAWhile() async throws {
        try await StoreScene.with { scene in
            let first = try await scene.key("shop")
            let second = try #require(try await scene.store.keys.rotate(first.id, overlap: .seconds(3_600), by: "tests")).text
            #expect(second.id == first.id && second.revealed != first.revealed)
            for key in [first, second] { #expect(try await scene.store.keys.authenticate(key) != nil) }

            let third = try #require(try await scene.store.keys.rotate(first.id, overlap: .seconds(3_600), by: "tests")).text
            #expect(try await scene.store.keys.authenticate(first) == nil)
            for key in [second, third] { #expect(try await scene.store.keys.authenticate(key) != nil) }

            try await scene.store.upkeep.shiftClock(by: .seconds(3_601))
            #expect(try await scene.store.keys.authenticate(second) == nil)
            #expect(try await scene.store.keys.authenticate(third) != nil)
        }
    }

    @Test func aRevokedKeyEndsForGood() async throws {
        try await StoreScene.with { scene in
            let key = try await scene.key("shop")
            let second = try await scene.store.keys.create(name: "shop", tenant: "default", scopes: [], lifetime: nil, by: "tests")
            #expect(second?.text.id == nil)
            let row = try #require(try await scene.store.keys.revoke(key.id, by: "tests"))
            #expect(row["state"]?.stringValue == "revoked" && row["revoked_by"]?.stringValue == "tests")
            #expect(try await scene.store.keys.authenticate(key) == nil)
            #expect(try await scene.store.keys.revoke(key.id, by: "tests") == nil)
            #expect(try await scene.store.keys.rotate(key.id, overlap: .zero, by: "tests")?.text.id == nil)
            // The name is free for another key.
            _ = try await scene.key("shop")
            #expect(try await scene.store.keys.list(all: false, limit: 10).count == 1)
        }
    }

    @Test func aKeyExpires() async throws {
        try await StoreScene.with { scene in
            let key = try await scene.key("shop", lifetime: .seconds(60))
            #expect(try await scene.store.keys.authenticate(key) != nil)
            try await scene.store.upkeep.shiftClock(by: .seconds(61))
            #expect(try await scene.store.keys.authenticate(key) == nil)
            #expect(try await scene.count("select count(*) from tidings_ops.api_keys where state = 'expired'") == 1)
        }
    }

    /// The time of the last use changes at most once a minute.
    @Test func theLastUseIsRecorded() async throws {
        try await StoreScene.with { scene in
            let key = try await scene.key("shop")
            func used() async throws -> Int {
                try await scene.count("select coalesce(extract(epoch from last_used_at) * 1000000, 0)::bigint from tidings_ops.api_keys")
            }
            #expect(try await used() == 0)
            _ = try await scene.store.keys.authenticate(key)
            let first = try await used()
            #expect(first > 0)
            _ = try await scene.store.keys.authenticate(key)
            #expect(try await used() == first)
            try await scene.store.upkeep.shiftClock(by: .seconds(61))
            _ = try await scene.store.keys.authenticate(key)
            #expect(try await used() > first)
        }
    }

    @Test func aKeyForEveryTenant() async throws {
        try await StoreScene.with { scene in
            let key = try await scene.key("relay", tenant: Store.everyTenant)
            let caller = try #require(try await scene.store.keys.authenticate(key))
            #expect(caller.tenant == nil && caller.allows(tenant: "acme"))
        }
    }
}

extension StoreScene {
    fileprivate func key(_ name: String, tenant: String = "default", lifetime: Duration? = nil) async throws -> APIKeyText {
        try #require(
            try await store.keys.create(
                name: name, tenant: tenant, scopes: [.intentsWrite, .notificationsRead], lifetime: lifetime, by: "tests")
        ).text
    }
}
