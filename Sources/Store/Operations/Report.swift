import TidingsJSON
import TidingsPostgres

extension Store {
    /// Rows of a query as JSON objects, members in the order of the columns. For what people read: the server renders the values, so a time is
    /// ISO 8601 and an exact number stays exact. In a transaction, so that no query waits for its own compilation;
    /// one that takes too long is not tried again.
    func report(_ query: SQL) async throws -> [JSON] {
        let rendered: SQL = "select row_to_json(report)::text from (\(query)) report"
        return try await pool.transaction(retrying: 0) { try await $0.query(rendered) }.rows.map { row in
            try JSON.parse(Array(try row.decode(String.self).utf8), limits: .init())
        }
    }
}
