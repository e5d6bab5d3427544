import TidingsPostgres

/// A session for a query that is repeated until its answer is as expected. A new session for each look would cost more than the query, on
/// both sides.
struct KeptSession {
    private let configuration: PostgresConfiguration
    private var connection: PostgresConnection?

    init(databaseURL: String) throws { configuration = try .patient(url: databaseURL) }

    /// Returns the first column of the first row of a query that returns a bigint. A session that has ended is replaced by a new one once,
    /// because tests terminate sessions and servers.
    mutating func count(_ sql: SQL) async throws -> Int {
        if let connection {
            do {
                return try await Self.count(sql, on: connection)
            } catch {
                await close()
            }
        }
        let connection = try await PostgresConnection.connect(configuration)
        self.connection = connection
        return try await Self.count(sql, on: connection)
    }

    mutating func close() async {
        await connection?.close()
        connection = nil
    }

    private static func count(_ sql: SQL, on connection: PostgresConnection) async throws -> Int {
        try await connection.query(sql).rows.first?.decode(Int.self) ?? 0
    }
}
