import Foundation
import Synchronization
import Testing
import TidingsPostgres

/// The server of the tests: `TIDINGS_DATABASE_URL`, or a server on this machine with PostgreSQL's usual port.
let serverURL = ProcessInfo.processInfo.environment["TIDINGS_DATABASE_URL"] ?? "postgres://postgres@127.0.0.1:5432/postgres"

/// The server's URL with this database name.
func databaseURL(_ name: String) throws -> String {
    var parts = try #require(URLComponents(string: serverURL))
    parts.path = "/" + name
    return try #require(parts.string)
}

/// Runs `body` with a new empty database, made from template1 and dropped afterwards.
func withDatabase<R>(_ body: (PostgresConfiguration) async throws -> R) async throws -> R {
    let name = "tidings_pg_\(UInt64.random(in: 0 ... .max))"
    try await administer("CREATE DATABASE \(name) TEMPLATE template1")
    do {
        let value = try await body(PostgresConfiguration(url: databaseURL(name)))
        try await administer("DROP DATABASE \(name) WITH (FORCE)")
        return value
    } catch {
        try await administer("DROP DATABASE \(name) WITH (FORCE)")
        throw error
    }
}

/// Runs `body` with a connection to a new database.
func withConnection<R>(_ body: (PostgresConnection) async throws -> R) async throws -> R {
    try await withDatabase { configuration in
        let connection = try await PostgresConnection.connect(configuration)
        let value = try await body(connection)
        await connection.close()
        return value
    }
}

/// Runs a statement on a new connection to the server's default database.
func administer(_ statement: String) async throws {
    let connection = try await PostgresConnection.connect(PostgresConfiguration(url: serverURL))
    try await connection.execute(script: statement)
    await connection.close()
}

/// The error that `body` throws. Fails the test if `body` throws none.
func failure(_ body: () async throws -> some Any, sourceLocation: SourceLocation = #_sourceLocation) async throws -> PostgresError {
    do {
        _ = try await body()
    } catch let error as PostgresError {
        return error
    }
    Issue.record("no error was thrown", sourceLocation: sourceLocation)
    throw CancellationError()
}

/// Lets tasks wait until a number of them have arrived. Later arrivals pass at once.
actor Rendezvous {
    private var missing: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(of count: Int) { missing = count }

    func arrive() async {
        missing -= 1
        if missing > 0 { return await withCheckedContinuation { waiting.append($0) } }
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}

/// A counter for several tasks.
final class Counter: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    @discardableResult
    func increment() -> Int {
        count.withLock {
            $0 += 1
            return $0
        }
    }
}
