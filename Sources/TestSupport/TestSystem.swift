public import Foundation
import Synchronization
public import TidingsPostgres
import TidingsStore

/// A Tidings of its own for one test: a fresh database and a virtual host nobody else uses, on the servers that `deploy/test` started.
///
/// Roles run as real processes of the built binary, so that a test can kill them as an operator's machine would.
public final class TestSystem: Sendable {
    public let databaseURL: String
    public let amqpURL: String
    /// The database that is dropped at the end; nil when the test's own servers go with everything in them.
    private let name: String?
    private let processes = Mutex<[TestProcess]>([])

    private static let nextHost = Mutex(0)
    private static let template = Template()

    /// The repository's folder.
    public static let repository: URL = {
        var folder = URL(fileURLWithPath: #filePath)
        while folder.path != "/", !FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path) {
            folder.deleteLastPathComponent()
        }
        return folder
    }()

    /// The binary under test: that beside the test bundle, unless `TIDINGS_TEST_BINARY` names another by its path in the repository.
    public static let binary: String = {
        let path = ProcessInfo.processInfo.environment["TIDINGS_TEST_BINARY"] ?? ".build/debug/tidings"
        return repository.appendingPathComponent(path).path
    }()

    /// Takes the next of the virtual hosts `test-0` … that `tidings dev --servers-only --test-hosts` made; `TIDINGS_TEST_HOSTS` many.
    /// Throws when none is left, or when that, TIDINGS_DATABASE_URL or TIDINGS_AMQP_URL is missing: run tests through `deploy/test`.
    public init() async throws {
        let environment = ProcessInfo.processInfo.environment
        guard let server = environment["TIDINGS_DATABASE_URL"], let broker = environment["TIDINGS_AMQP_URL"],
            let hosts = environment["TIDINGS_TEST_HOSTS"].flatMap({ Int($0) })
        else {
            throw TestSystemError(message: "TIDINGS_DATABASE_URL, TIDINGS_AMQP_URL and TIDINGS_TEST_HOSTS are not set: run deploy/test")
        }
        let number = Self.nextHost.withLock { next in
            defer { next += 1 }
            return next
        }
        guard number < hosts else { throw TestSystemError(message: "more than \(hosts) tests need a virtual host: see deploy/test") }
        let name = "tidings_test_\(ProcessInfo.processInfo.processIdentifier)_\(number)"
        self.name = name
        amqpURL = Self.replacingPath(of: broker, with: "test-\(number)")
        databaseURL = Self.replacingPath(of: server, with: name)
        try await Self.template.copy(to: name, on: server)
    }

    /// On servers that the test started for itself, so that it may kill them; their database is migrated.
    public init(databaseURL: String, amqpURL: String) async throws {
        name = nil
        self.databaseURL = databaseURL
        self.amqpURL = amqpURL
        try await Migrator(PostgresConfiguration(url: databaseURL)).migrate()
    }

    /// The environment of this system's processes.
    public var environment: [String: String] {
        var environment = ProcessInfo.processInfo.environment
        environment["TIDINGS_DATABASE_URL"] = databaseURL
        environment["TIDINGS_AMQP_URL"] = amqpURL
        return environment
    }

    /// Starts a long-running command, such as `run("run", "router")`, in this system's environment with `variables` added; ``shutDown()`` ends it.
    @discardableResult
    public func start(_ arguments: String..., with variables: [String: String] = [:]) throws -> TestProcess {
        let process = try TestProcess([Self.binary] + arguments, environment: environment.merging(variables) { _, new in new })
        processes.withLock { $0.append(process) }
        return process
    }

    /// Runs a command to its end.
    public func tidings(_ arguments: String...) async throws -> TestProcess.Result {
        try await TestProcess([Self.binary] + arguments, environment: environment).finish()
    }

    /// One query on this system's database.
    public func query(_ sql: SQL) async throws -> PostgresResult { try await Self.query(sql, at: databaseURL) }

    /// One query, as whoever the URL names.
    public static func query(_ sql: SQL, at databaseURL: String) async throws -> PostgresResult {
        let connection = try await PostgresConnection.connect(PostgresConfiguration(url: databaseURL))
        do {
            let result = try await connection.query(sql)
            await connection.close()
            return result
        } catch {
            await connection.close()
            throw error
        }
    }

    /// The first column of the first row of a query that answers a bigint.
    public func count(_ sql: SQL) async throws -> Int {
        try await query(sql).rows.first?.decode(Int.self) ?? 0
    }

    /// Asks again until the query's bigint satisfies `condition`: for states that other processes reach and nothing signals.
    public func eventually(
        within limit: Duration = .seconds(30), _ sql: SQL, _ condition: (Int) -> Bool
    ) async throws -> Bool {
        let deadline = ContinuousClock.now + limit
        while ContinuousClock.now < deadline {
            if condition(try await count(sql)) { return true }
            // The database signals nobody; this is the time between two looks.
            try await Task.sleep(for: .milliseconds(50))
        }
        return false
    }

    /// Kills what still runs and drops the database.
    public func shutDown() async throws {
        for process in processes.withLock({ $0 }) where process.isRunning { process.signal(SIGKILL) }
        for process in processes.withLock({ $0 }) { _ = await process.finish() }
        guard let name, let server = ProcessInfo.processInfo.environment["TIDINGS_DATABASE_URL"] else { return }
        let connection = try await PostgresConnection.connect(PostgresConfiguration(url: server))
        _ = try await connection.query("drop database if exists \(unsafe: name) with (force)")
        await connection.close()
    }

    private static func replacingPath(of url: String, with path: String) -> String {
        guard var components = URLComponents(string: url) else { return url }
        components.path = "/" + path
        return components.string ?? url
    }
}

public struct TestSystemError: Error, CustomStringConvertible {
    public let message: String

    public init(message: String) { self.message = message }

    public var description: String { message }
}

/// Runs `body` with a system of its own, which is gone afterwards whatever happens.
public func withTestSystem<Result: Sendable>(_ body: (TestSystem) async throws -> Result) async throws -> Result {
    let system = try await TestSystem()
    do {
        let result = try await body(system)
        try await system.shutDown()
        return result
    } catch {
        try? await system.shutDown()
        throw error
    }
}

/// The migrated database that every test's is copied from: made once, copied in milliseconds.
private actor Template {
    private var made: Task<String, any Error>?

    func copy(to name: String, on server: String) async throws {
        let template = try await template(on: server)
        let connection = try await PostgresConnection.connect(PostgresConfiguration(url: server))
        _ = try await connection.query("create database \(unsafe: name) template \(unsafe: template)")
        await connection.close()
    }

    private func template(on server: String) async throws -> String {
        if let made { return try await made.value }
        // Made once for all tests: it outlives the test that asked first, and every other awaits it.
        let task = Task {
            let name = "tidings_template_\(ProcessInfo.processInfo.processIdentifier)"
            let connection = try await PostgresConnection.connect(PostgresConfiguration(url: server))
            _ = try await connection.query("create database \(unsafe: name)")
            await connection.close()
            guard var components = URLComponents(string: server) else { throw TestSystemError(message: "TIDINGS_DATABASE_URL is no URL") }
            components.path = "/" + name
            try await Migrator(PostgresConfiguration(url: components.string ?? server)).migrate()
            return name
        }
        made = task
        return try await task.value
    }
}
