import TidingsPostgres
import TidingsWire

extension Store {
    /// Rows of a query as JSON objects, members in the order of the columns. For what people read: the server renders the values, so a time is
    /// ISO 8601 and an exact number stays exact. In a transaction, so that no query waits for its own compilation.
    func report(_ query: SQL) async throws -> [JSON] {
        try await pool.transaction { try await $0.query("select row_to_json(report)::text from (\(query)) report") }.rows.map { row in
            try JSON.parse(Array(try row.decode(0, as: String.self).utf8), limits: .init())
        }
    }
}
