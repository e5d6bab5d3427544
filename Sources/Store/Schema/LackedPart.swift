import TidingsPostgres

/// A part of which a database lacks tables.
struct LackedPart: Sendable {
    let part: SchemaPart
    /// The tables that the database lacks. At least one.
    let missing: [String]
    /// The tables that the database has.
    let present: [String]

    /// Whether the database lacks every table. Then a migration creates the part. Otherwise the SQL of the part would fail at the first table
    /// that is there.
    var isAbsent: Bool { present.isEmpty }

    /// The error of a database that needs the part now.
    var error: StoreError {
        isAbsent ? .partMissing(module: part.module) : .partIncomplete(module: part.module, missing: missing, present: present)
    }

    /// Returns those of these parts of which the database lacks tables, in their order. Reads only catalogues of PostgreSQL, which every user
    /// may read.
    static func all(of parts: [SchemaPart], asking query: (SQL) async throws -> PostgresResult) async throws -> [LackedPart] {
        guard !parts.isEmpty else { return [] }
        let rows = try await query(
            """
            select t.name from unnest(\(parts.flatMap(\.tableNames))) as t(name) where not exists (
                select from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'tidings' and c.relname = t.name)
            """
        ).rows
        let absent = Set(try rows.map { try $0.decode(String.self) })
        return parts.compactMap { part in
            let missing = part.tableNames.filter { absent.contains($0) }
            guard !missing.isEmpty else { return nil }
            return LackedPart(part: part, missing: missing, present: part.tableNames.filter { !absent.contains($0) })
        }
    }
}

extension [LackedPart] {
    /// The parts that a migration creates.
    var creatable: [SchemaPart] { filter(\.isAbsent).map(\.part) }

    /// Throws ``StoreError/partIncomplete(module:missing:present:)`` if the database has only some tables of a part.
    func refuseIncomplete() throws(StoreError) {
        if let incomplete = first(where: { !$0.isAbsent }) { throw incomplete.error }
    }
}

extension Store {
    /// Throws a ``StoreError`` if the database lacks a table of one of these parts.
    ///
    /// - Parameter schema: the number of the database's schema, which ``open()`` returns. If it is newer than this binary, a migration by
    ///   this binary would not create the tables, and the error says so.
    package func requireTables(of parts: [SchemaPart], onSchema schema: Int) async throws {
        let lacked = try await LackedPart.all(of: parts) { try await pool.query($0) }
        guard let first = lacked.first else { return }
        guard schema <= Migration.latest else {
            throw StoreError.partMissingFromNewerSchema(module: first.part.module, found: schema, known: Migration.latest)
        }
        throw first.error
    }
}
