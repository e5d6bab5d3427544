import Foundation
import PrivateServers
import Synchronization
public import TidingsPostgres

/// A PostgreSQL of the test's own, whose commits can be made to wait for a standby that does not exist.
public struct StandbyServer: Sendable {
    public let databaseURL: String
    public let configuration: PostgresConfiguration
    /// A session that only reads, so that it never waits for the standby.
    private let observer: PostgresConnection

    /// Starts a server for the body. Afterwards the server is stopped and its data deleted.
    public static func with<Result: Sendable>(_ body: (StandbyServer) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tidings-standby-\(UUID().uuidString)").path
        // User postgres must be able to enter.
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let database = try await PrivateDatabase.start(home: "\(folder)/server")
        do {
            let configuration = try PostgresConfiguration.patient(url: database.databaseURL)
            let observer = try await PostgresConnection.connect(configuration)
            let result = try await body(
                StandbyServer(databaseURL: database.databaseURL, configuration: configuration, observer: observer))
            await observer.close()
            try await database.stop()
            return result
        } catch {
            try? await database.stop()
            throw error
        }
    }

    /// Makes every commit wait for a standby that does not exist. Returns when the setting is in force.
    public func demandStandby() async throws {
        _ = try await observer.query("alter system set synchronous_standby_names = 'nobody'")
        _ = try await observer.query("select pg_reload_conf()")
        while true {
            let probe = try await PostgresConnection.connect(configuration)
            let process = await probe.processID
            do throws(PostgresError) {
                _ = try await probe.query("select pg_logical_emit_message(true, 'probe', ''::text)", deadline: .milliseconds(300))
                await probe.close()
            } catch {
                guard error.kind == .deadlineExceeded else { throw error }
                let isInForce = try await waiting().contains(process)
                _ = try await observer.query("select pg_terminate_backend(\(process), \(Int64(Patience.scaled(5_000))))")
                if isInForce { return }
            }
        }
    }

    /// Ends the demand. Each waiting commit then succeeds. Returns when no commit waits any more.
    public func relax() async throws {
        _ = try await observer.query("alter system reset synchronous_standby_names")
        _ = try await observer.query("select pg_reload_conf()")
        while try await !waiting().isEmpty { try await Task.sleep(for: Self.look) }
    }

    /// The server processes whose commits wait for the standby.
    public func waiting() async throws -> [Int32] {
        try await observer.query("select pid from pg_stat_activity where wait_event = 'SyncRep' order by pid").rows.map {
            try $0.decode(Int32.self)
        }
    }

    /// The number of sessions on the server, whoever has them.
    public func sessions() async throws -> Int {
        try await observer.query("select count(*) from pg_stat_activity where backend_type = 'client backend'").rows[0].decode(Int.self)
    }

    /// Polls until `condition` holds for the processes that wait, and returns them. No event signals the wait of another session. Throws
    /// after 30 s for the speed of this machine.
    @discardableResult
    public func waiting(until condition: ([Int32]) async throws -> Bool) async throws -> [Int32] {
        let deadline = ContinuousClock.now + Duration.seconds(30).patient
        while true {
            let processes = try await waiting()
            if try await condition(processes) { return processes }
            guard ContinuousClock.now < deadline else {
                throw TestSystemError(message: "the commits that wait for the standby are not as expected: \(processes)")
            }
            try await Task.sleep(for: Self.look)
        }
    }

    /// Runs the work while commits wait for the standby, until it waits too or has ended. Then ends the demand, and awaits the work.
    ///
    /// - Returns: Whether the work waited.
    public func holdsUp(_ work: @escaping @Sendable () async throws -> Void) async throws -> Bool {
        try await demandStandby()
        let progress = Progress()
        async let result: Void = progress.run(work)
        do {
            try await waiting { !$0.isEmpty || progress.hasEnded }
        } catch {
            try? await relax()
            throw error
        }
        let waits = !progress.hasEnded
        try await relax()
        try await result
        return waits
    }

    /// Whether a piece of work has ended.
    private final class Progress: Sendable {
        private let ended = Atomic(false)
        var hasEnded: Bool { ended.load(ordering: .acquiring) }

        func run(_ work: @Sendable () async throws -> Void) async throws {
            defer { ended.store(true, ordering: .releasing) }
            try await work()
        }
    }

    /// Runs a statement that only reads, such as `pg_cancel_backend`.
    @discardableResult
    public func read(_ sql: SQL) async throws -> PostgresResult { try await observer.query(sql) }

    private static let look = Duration.milliseconds(20)
}
