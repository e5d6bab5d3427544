import TidingsPostgres

extension Store {
    /// The YAML of the active catalogue and its hash; nil while the built-in one is used.
    public func activeCatalogue() async throws -> (hash: String, yaml: String)? {
        let result = try await pool.query(
            "select c.hash, c.yaml from tidings.active_catalogue a join tidings.catalogues c on c.hash = a.hash")
        return try result.rows.first?.decode((String, String).self)
    }

    /// The hash alone, for a role that looks often whether it changed.
    public func activeCatalogueHash() async throws -> String? {
        try await pool.query("select hash from tidings.active_catalogue").rows.first?.decode(0, as: String.self)
    }

    /// Keeps a catalogue under its hash, so that every decision that names the hash can be explained later.
    public func keepCatalogue(hash: String, yaml: String) async throws {
        _ = try await pool.query(
            """
            insert into tidings.catalogues (hash, yaml, applied_at) values (\(hash), \(yaml), tidings.clock()) on conflict do nothing
            """)
    }

    /// Makes a kept catalogue the active one; every role follows within seconds.
    public func activateCatalogue(hash: String) async throws {
        _ = try await pool.query(
            """
            insert into tidings.active_catalogue (hash) values (\(hash)) on conflict (only_row) do update set hash = excluded.hash
            """)
    }

    /// The YAML of any catalogue that was ever active.
    public func catalogue(hash: String) async throws -> String? {
        try await pool.query("select yaml from tidings.catalogues where hash = \(hash)").rows.first?.decode(0, as: String.self)
    }
}
