import TidingsCore
import TidingsPostgres

extension Store.Catalogues {
    /// The YAML of the active catalogue and its hash. Nil while the built-in one is active.
    public func active() async throws -> (hash: String, yaml: String)? {
        let query: SQL = "select c.hash, c.yaml from tidings.active_catalogue a join tidings.catalogues c on c.hash = a.hash"
        return try await pool.query(
            .first(query) { (hash: try $0.decode("hash", as: String.self), yaml: try $0.decode("yaml", as: String.self)) })
    }

    /// The hash of the active catalogue and the pauses in force, in one query for roles that check both often. The hash is nil while the
    /// built-in one is active.
    func inForce() async throws -> (hash: String?, pauses: Pauses) {
        let query: SQL = """
            select (select hash from tidings.active_catalogue) as hash, p.* from (values (1)) as one left join (\(Store.Pausing.pausesQuery)) p on true
            """
        return try await pool.query(Statement(query) { (hash: try $0.rows.first?.decode("hash") ?? nil, pauses: try Pauses($0.rows)) })
    }

    /// The hash of the active catalogue. Nil while the built-in one is active.
    public func activeHash() async throws -> String? {
        try await pool.query(.first("select hash from tidings.active_catalogue") { try $0.decode(String.self) })
    }

    /// Stores a catalogue under its hash, so that every decision that names the hash can be explained later.
    func keep(hash: String, yaml: String) async throws {
        _ = try await pool.query(
            """
            insert into tidings.catalogues (hash, yaml, applied_at) values (\(hash), \(yaml), tidings.clock()) on conflict do nothing
            """)
    }

    /// The YAML of a stored catalogue, active or not. Nil if the catalogue is not stored.
    public func text(hash: String) async throws -> String? {
        try await pool.query(.first("select yaml from tidings.catalogues where hash = \(hash)") { try $0.decode(String.self) })
    }
}
