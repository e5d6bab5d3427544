import TidingsCore
import TidingsPostgres

extension Store {
    /// The YAML of the active catalogue and its hash. Nil while the built-in one is active.
    public func activeCatalogue() async throws -> (hash: String, yaml: String)? {
        let result = try await pool.query(
            "select c.hash, c.yaml from tidings.active_catalogue a join tidings.catalogues c on c.hash = a.hash")
        return try result.rows.first?.decode((String, String).self)
    }

    /// The hash of the active catalogue and the pauses in force, in one query for roles that check both often. The hash is nil while the
    /// built-in one is active.
    func inForce() async throws -> (hash: String?, pauses: Pauses) {
        let rows = try await pool.query(
            """
            select (select hash from tidings.active_catalogue) as hash, p.* from (values (1)) as one left join (\(Self.pausesQuery)) p on true
            """
        ).rows
        return (try rows.first?.decode("hash") ?? nil, try Pauses(rows))
    }

    /// The hash of the active catalogue. Nil while the built-in one is active.
    public func activeCatalogueHash() async throws -> String? {
        try await pool.query("select hash from tidings.active_catalogue").rows.first?.decode(String.self)
    }

    /// Stores a catalogue under its hash, so that every decision that names the hash can be explained later.
    func keepCatalogue(hash: String, yaml: String) async throws {
        _ = try await pool.query(
            """
            insert into tidings.catalogues (hash, yaml, applied_at) values (\(hash), \(yaml), tidings.clock()) on conflict do nothing
            """)
    }

    /// The YAML of a stored catalogue, active or not. Nil if the catalogue is not stored.
    public func catalogue(hash: String) async throws -> String? {
        try await pool.query("select yaml from tidings.catalogues where hash = \(hash)").rows.first?.decode(String.self)
    }
}
