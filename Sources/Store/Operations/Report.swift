import TidingsJSON
import TidingsPostgres

extension Store {
    /// Runs a query and returns its rows as JSON objects for people to read. Members have the order of the columns. The server renders the
    /// values, so a time is ISO 8601 and an exact number stays exact.
    ///
    /// The query runs in a transaction, which turns `jit` off: no query waits for its own compilation. A query that takes too long is not
    /// repeated.
    func report(_ query: SQL) async throws -> [JSON] {
        try await pool.transaction(retrying: 0) { try await $0.query(Self.rendered(query)) }
    }

    /// The row of a query that always has one.
    func onlyReport(_ query: SQL) async throws -> JSON {
        guard let row = try await report(query).first else { throw PostgresError.decoding("the report has no row") }
        return row
    }

    /// Runs a query about one person, with the rights of that person.
    func report(_ query: SQL, of person: RecipientKey) async throws -> [JSON] {
        var trip = RoundTrip(running: [Self.beginPerson(person)])
        let rows = trip.ask(Self.rendered(query))
        return try await pool.transaction(retrying: 0) { [trip] transaction in try await transaction.send(trip)[rows] }
    }

    /// The row of `full`. If this user may not read everything in it, the row of `visible`.
    func report(_ full: SQL, ifAllowedElse visible: SQL) async throws -> JSON? {
        do {
            return try await report(full).first
        } catch let error as PostgresError where error.sqlState == Self.insufficientPrivilege {
            return try await report(visible).first
        }
    }

    private static func rendered(_ query: SQL) -> Statement<[JSON]> {
        .rows("select row_to_json(report)::text from (\(query)) report") { row in
            try JSON.parse(Array(try row.decode(String.self).utf8), limits: .init())
        }
    }

    /// SQLSTATE `insufficient_privilege`.
    private static let insufficientPrivilege = "42501"
}
