public import Foundation
import Synchronization
import TidingsModules
public import TidingsPostgres
import TidingsServer
package import TidingsStore

/// A separate Tidings for one test: a fresh database and a fresh virtual host, on the servers that `deploy/test` started.
///
/// Roles run as real processes of the built binary, so that a test can kill them as an operator's machine would.
public final class TestSystem: Sendable {
    public let databaseURL: String
    public let amqpURL: String
    /// The database that is dropped at the end. Nil if the test's own servers are deleted with all their data.
    private let name: String?
    private let processes = Mutex<[TestProcess]>([])

    /// The seconds that a process waits for an answer of the broker, which all tests share. The product's 10 s are too short if many tests
    /// declare their queues at once.
    private static let brokerSeconds = 30

    private static let nextNumber = Mutex(0)
    private static let template = Template()

    /// The repository's folder.
    public static let repository: URL = {
        var folder = URL(fileURLWithPath: #filePath)
        while folder.path != "/", !FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path) {
            folder.deleteLastPathComponent()
        }
        return folder
    }()

    /// The binary under test: the one beside the test bundle, unless `TIDINGS_TEST_BINARY` names another by its path in the repository.
    public static let binary: String = {
        let path = ProcessInfo.processInfo.environment["TIDINGS_TEST_BINARY"] ?? ".build/debug/tidings"
        return repository.appendingPathComponent(path).path
    }()

    /// Makes a database, and takes a virtual host that no test has used yet.
    ///
    /// Throws if TIDINGS_TEST_HOSTS, TIDINGS_DATABASE_URL or TIDINGS_AMQP_URL is missing, and if no virtual host is left: run tests through
    /// `deploy/test`.
    ///
    /// - Parameter usesBroker: whether the system needs a virtual host. Without one, ``amqpURL`` names a host that does not exist.
    public init(usesBroker: Bool = true) async throws {
        let environment = ProcessInfo.processInfo.environment
        guard let server = environment["TIDINGS_DATABASE_URL"], let broker = environment["TIDINGS_AMQP_URL"] else {
            throw TestSystemError(message: "TIDINGS_DATABASE_URL and TIDINGS_AMQP_URL are not set: run deploy/test")
        }
        let number = Self.nextNumber.withLock { next in
            defer { next += 1 }
            return next
        }
        let name = "tidings_test_\(ProcessInfo.processInfo.processIdentifier)_\(number)"
        self.name = name
        amqpURL = Self.replacingPath(of: broker, with: usesBroker ? try VirtualHosts.claim() : "none")
        databaseURL = Self.replacingPath(of: server, with: name)
        try await Self.template.copy(to: name, on: server)
    }

    /// Uses servers that the test started itself, so that the test may kill them. Migrates their database.
    public init(databaseURL: String, amqpURL: String) async throws {
        name = nil
        self.databaseURL = databaseURL
        self.amqpURL = amqpURL
        try await Migrator(.patient(url: databaseURL), parts: Self.parts).migrate()
    }

    /// The tables of the modules of this repository, which the database of each test has.
    package static let parts = Modules(Modules.builtIn).schemaParts

    /// The environment of this system's processes.
    public var environment: [String: String] {
        var environment = ProcessInfo.processInfo.environment
        environment["TIDINGS_DATABASE_URL"] = databaseURL
        environment["TIDINGS_AMQP_URL"] = name == nil ? amqpURL : "\(amqpURL)?connection_timeout=\(Patience.scaled(Self.brokerSeconds))"
        return environment
    }

    /// Starts a long-running command, such as `start("run", "router")`, in this system's environment with `variables` added. ``shutDown()``
    /// ends the command.
    @discardableResult
    public func start(_ arguments: String..., with variables: [String: String] = [:]) throws -> TestProcess {
        let process = try TestProcess([Self.binary] + arguments, environment: environment.merging(variables) { _, new in new })
        processes.withLock { $0.append(process) }
        return process
    }

    /// Runs a command to its end and returns its result.
    public func tidings(_ arguments: String...) async throws -> TestProcess.Result {
        try await TestProcess([Self.binary] + arguments, environment: environment).finish()
    }

    /// Runs one query on this system's database.
    public func query(_ sql: SQL) async throws -> PostgresResult { try await Self.query(sql, at: databaseURL) }

    /// Runs one query as the user of the URL.
    public static func query(_ sql: SQL, at databaseURL: String) async throws -> PostgresResult {
        let connection = try await PostgresConnection.connect(.patient(url: databaseURL))
        do {
            let result = try await connection.query(sql)
            await connection.close()
            return result
        } catch {
            await connection.close()
            throw error
        }
    }

    /// Returns the first column of the first row of a query that returns a bigint.
    public func count(_ sql: SQL) async throws -> Int {
        try await query(sql).rows.first?.decode(Int.self) ?? 0
    }

    /// Repeats the query until its bigint satisfies `condition`. For states that other processes reach without a signal. Returns false
    /// after `limit` for the speed of this machine.
    public func eventually(
        within limit: Duration = .seconds(30), _ sql: SQL, _ condition: (Int) -> Bool
    ) async throws -> Bool {
        var session = try KeptSession(databaseURL: databaseURL)
        do {
            let isReached = try await Self.eventually(within: limit, sql, condition, in: &session)
            await session.close()
            return isReached
        } catch {
            await session.close()
            throw error
        }
    }

    private static func eventually(
        within limit: Duration, _ sql: SQL, _ condition: (Int) -> Bool, in session: inout KeptSession
    ) async throws -> Bool {
        let deadline = ContinuousClock.now + limit.patient
        while ContinuousClock.now < deadline {
            if condition(try await session.count(sql)) { return true }
            // The pause between two queries, because the database sends no signal.
            try await Task.sleep(for: .milliseconds(50))
        }
        return false
    }

    /// Kills every running process. Returns when all have ended.
    public func endProcesses() async {
        for process in processes.withLock({ $0 }) where process.isRunning { process.signal(SIGKILL) }
        for process in processes.withLock({ $0 }) { _ = await process.finish() }
    }

    /// Kills every running process and drops the database.
    public func shutDown() async throws {
        await endProcesses()
        guard let name, let server = ProcessInfo.processInfo.environment["TIDINGS_DATABASE_URL"] else { return }
        let connection = try await PostgresConnection.connect(.patient(url: server))
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

/// Runs `body` with a system of its own. Shuts the system down afterwards in any case.
public func withTestSystem<Result: Sendable>(
    usesBroker: Bool = true, _ body: (TestSystem) async throws -> Result
) async throws -> Result {
    let system = try await TestSystem(usesBroker: usesBroker)
    do {
        let result = try await body(system)
        try await system.shutDown()
        return result
    } catch {
        try? await system.shutDown()
        throw error
    }
}

/// The migrated database from which every test's database is copied. The template is made once; a copy takes milliseconds.
private actor Template {
    private var made: Task<String, any Error>?

    func copy(to name: String, on server: String) async throws {
        let template = try await template(on: server)
        let connection = try await PostgresConnection.connect(.patient(url: server))
        _ = try await connection.query("create database \(unsafe: name) template \(unsafe: template)")
        await connection.close()
    }

    private func template(on server: String) async throws -> String {
        if let made { return try await made.value }
        // The task outlives the test that asked first: all tests await the same template.
        let task = Task {
            let name = "tidings_template_\(ProcessInfo.processInfo.processIdentifier)"
            let connection = try await PostgresConnection.connect(.patient(url: server))
            _ = try await connection.query("create database \(unsafe: name)")
            await connection.close()
            guard var components = URLComponents(string: server) else { throw TestSystemError(message: "TIDINGS_DATABASE_URL is no URL") }
            components.path = "/" + name
            try await Migrator(.patient(url: components.string ?? server), parts: TestSystem.parts).migrate()
            return name
        }
        made = task
        return try await task.value
    }
}
