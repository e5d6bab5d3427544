import TidingsCore
import TidingsCrypto
public import TidingsJSON
import TidingsPostgres

extension Store {
    /// The tenant of a key that may name every tenant.
    public static let everyTenant = "*"
    /// The shortest time between two records of the use of a key.
    package static let keyUseInterval = Duration.seconds(60)
}

/// Keys of the HTTP API. Only digests of secrets are stored.
extension Store.Keys {
    /// Makes a key. Nil if a key that is not revoked has the name.
    ///
    /// - Parameters:
    ///   - tenant: ``everyTenant`` for a key that may name every tenant.
    ///   - lifetime: nil for a key that does not expire.
    /// - Returns: The key, and its row of `tidings_ops.api_keys`.
    public func create(
        name: String, tenant: String, scopes: [APIScope], lifetime: Duration?, by author: String
    ) async throws -> (text: APIKeyText, row: JSON)? {
        let key = APIKeyText.new()
        let result = try await pool.write(
            """
            insert into tidings.api_keys (id, name, tenant, scopes, secret_hash, created_at, created_by, expires_at)
            select \(key.id), \(name), \(tenant), \(scopes.map(\.rawValue)), \(key.secretHash), tidings.clock(), \(author),
                tidings.clock() + make_interval(secs => \(lifetime.map { Double($0.components.seconds) }))
            on conflict (name) where revoked_at is null do nothing
            """)
        guard result.affectedRows > 0, let row = try await keyRow(key.id) else { return nil }
        return (key, row)
    }

    /// Gives a key a new secret. The former secret stays valid for the time `overlap`, so that every process of the owner can change over.
    /// A secret before that one ends at once.
    ///
    /// - Returns: Nil if there is no such key, or if it is revoked or expired.
    public func rotate(_ id: String, overlap: Duration, by author: String) async throws -> (text: APIKeyText, row: JSON)? {
        let key = APIKeyText.new(id: id)
        let result = try await pool.write(
            """
            update tidings.api_keys set former_hash = secret_hash, secret_hash = \(key.secretHash), rotated_at = tidings.clock(),
                former_until = tidings.clock() + make_interval(secs => \(Double(overlap.components.seconds))), rotated_by = \(author)
            where id = \(id) and \(Self.keyIsValid)
            """)
        guard result.affectedRows > 0, let row = try await keyRow(id) else { return nil }
        return (key, row)
    }

    /// Ends a key. Every process refuses the key within seconds.
    ///
    /// - Returns: Its row of `tidings_ops.api_keys`. Nil if there is no such key, or if it was revoked before.
    public func revoke(_ id: String, by author: String) async throws -> JSON? {
        let result = try await pool.write(
            "update tidings.api_keys set revoked_at = tidings.clock(), revoked_by = \(author) where id = \(id) and revoked_at is null")
        return result.affectedRows > 0 ? try await keyRow(id) : nil
    }

    /// The keys, the newest first.
    ///
    /// - Parameter all: whether revoked and expired keys are listed too.
    public func list(all: Bool, limit: Int) async throws -> [JSON] {
        try await store.report(
            """
            select key_id, name, tenant, scopes, state, last_used_at, expires_at, former_secret_until, created_at, created_by
            from tidings_ops.api_keys k where \(all) or k.state = 'valid' order by k.created_at desc, k.key_id limit \(Int64(limit))
            """)
    }

    /// The tenants to which valid keys are bound, except the tenant of intents that name none.
    public func tenants() async throws -> [String] {
        try await pool.query(
            """
            select distinct tenant from tidings_ops.api_keys
            where state = 'valid' and tenant <> \(Store.everyTenant) and tenant <> \(Intent.defaultTenant) order by 1
            """
        ).rows.map { try $0.decode(String.self) }
    }

    /// Verifies a key and records its use, at most once in ``keyUseInterval``. Nil if the key is unknown, revoked or expired, or if its
    /// secret is wrong.
    public func authenticate(_ key: APIKeyText) async throws -> CallerKey? {
        guard let caller = try await authenticate([key]).first ?? nil else { return nil }
        try await recordUse(of: [caller])
        return caller
    }

    /// Verifies keys with one query. Writes nothing: ``recordUse(of:)`` records their use.
    ///
    /// - Returns: The key of each text, in the order of the texts. Nil for a text that is no good key.
    public func authenticate(_ keys: [APIKeyText]) async throws -> [CallerKey?] {
        let query: SQL = """
            select id, name, tenant, scopes, secret_hash, case when former_until > tidings.clock() then former_hash end as former_hash
            from tidings.api_keys where id = any(\(Array(Set(keys.map(\.id))))) and \(Self.keyIsValid)
            """
        var stored: [String: StoredKey] = [:]
        for key in try await pool.query(.rows(query, StoredKey.init)) { stored[key.caller.id] = key }
        return keys.map { key in stored[key.id].flatMap { $0.isSecret(key.secretHash) ? $0.caller : nil } }
    }

    /// A valid key with the hashes of its secrets.
    private struct StoredKey: Sendable {
        let caller: CallerKey
        private let current: [UInt8]
        private let former: [UInt8]?

        init(_ row: PostgresRow) throws {
            let tenant: String = try row.decode("tenant")
            caller = CallerKey(
                id: try row.decode("id"), name: try row.decode("name"), tenant: isSameText(tenant, Store.everyTenant) ? nil : tenant,
                scopes: Set(try row.decode("scopes", as: [String].self).compactMap(APIScope.init)))
            current = try row.decode("secret_hash")
            former = try row.decode("former_hash")
        }

        /// Compares with both secrets, so that the time does not tell which one is right.
        func isSecret(_ hash: [UInt8]) -> Bool {
            [constantTimeEquals(hash, current), constantTimeEquals(hash, former ?? [])].contains(true)
        }
    }

    /// Records the use of keys, of each at most once in ``keyUseInterval``. Skips a key if another request is recording its use.
    ///
    /// This is a commit. It waits for a standby if commits do, so no answer to a request depends on it.
    public func recordUse(of keys: [CallerKey]) async throws {
        let ids = Array(Set(keys.map(\.id)))
        _ = try await pool.query(
            """
            update tidings.api_keys set last_used_at = tidings.clock() where id in (
                select id from tidings.api_keys
                where id = any(\(ids)) and coalesce(last_used_at < tidings.clock() - \(Self.useInterval), true)
                for no key update skip locked)
            """)
    }

    private func keyRow(_ id: String) async throws -> JSON? {
        try await store.report("select * from tidings_ops.api_keys k where k.key_id = \(id)").first
    }

    private static let keyIsValid: SQL = "revoked_at is null and (expires_at is null or expires_at > tidings.clock())"

    private static var useInterval: SQL { "make_interval(secs => \(Double(Store.keyUseInterval.components.seconds)))" }
}
