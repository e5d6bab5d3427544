import TidingsJSON
import TidingsPostgres

extension Store {
    /// Runs a query and returns its rows as JSON objects for people to read. Members have the order of the columns. The server renders the
    /// values, so a time is ISO 8601 and an exact number stays exact.
    ///
    /// The query runs in a transaction, which turns `jit` off: no query waits for its own compilation. A query that takes too long is not
    /// repeated.
    func report(_ query: SQL) async throws -> [JSON] {
        try Self.read(try await pool.transaction(retrying: 0) { try await $0.query(Self.rendered(query)) })
    }

    /// Runs a query about one person, with the rights of that person.
    func report(_ query: SQL, of person: RecipientKey) async throws -> [JSON] {
        let statements = [Self.beginPerson(person), Self.rendered(query)]
        return try Self.read(try await pool.transaction(retrying: 0) { try await $0.pipeline(statements)[1] })
    }

    private static func rendered(_ query: SQL) -> SQL { "select row_to_json(report)::text from (\(query)) report" }

    private static func read(_ result: PostgresResult) throws -> [JSON] {
        try result.rows.map { row in try JSON.parse(Array(try row.decode(String.self).utf8), limits: .init()) }
    }
}
