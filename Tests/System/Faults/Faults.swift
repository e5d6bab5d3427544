import Foundation
import PrivateServers
import Testing
import TidingsPostgres
import TidingsTestSupport

/// Tests that need the whole machine, because they measure a rate, a time or memory under load. The tests run one after the other, each
/// with many processes. `deploy/test` runs no other test beside them.
@Suite(.serialized) struct Faults {}

/// Tests that mostly wait: for a start, a lease, a deadline or an outage. `deploy/test` runs some of them at once.
@Suite struct WaitingFaults {}

/// Polls until the condition holds. Needed for states of another process that send no signal. Returns false after `limit` for the speed of
/// this machine.
func reached(within limit: Duration, every pause: Duration = .milliseconds(50), _ condition: () async throws -> Bool) async throws -> Bool {
    let deadline = ContinuousClock.now + limit.patient
    while ContinuousClock.now < deadline {
        if try await condition() { return true }
        try await Task.sleep(for: pause)
    }
    return try await condition()
}

extension TestSystem {
    /// Starts a role and returns when it runs. Waits at most 30 s for the speed of this machine.
    func startRole(_ role: String, with variables: [String: String] = [:]) async throws -> TestProcess {
        let process = try start("run", role, with: variables)
        guard try await process.says(": running"), process.isRunning else {
            throw TestSystemError(message: "\(role) does not run: \(process.errorsSoFar)")
        }
        return process
    }

    /// Starts this many processes of a role at the same time.
    func startRoles(_ role: String, count: Int) async throws -> [TestProcess] {
        try await withThrowingTaskGroup(of: TestProcess.self) { group in
            for _ in 0..<count { group.addTask { try await self.startRole(role) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Moves the virtual clock forward by a minute: leases end, and unconfirmed messages are published again.
    func passAMinute() async throws {
        _ = try await query("update tidings.clock_offset set shift = shift + interval '1 minute'")
    }
}

/// Runs the body with a new folder, which is deleted at the end.
func withFolder<Result: Sendable>(_ body: (String) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tidings-faults-\(UUID().uuidString)").path
    // User postgres must be able to enter, because servers may keep their data here.
    try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try await body(folder)
}

/// Runs the body with private servers in a new folder. Both are gone at the end. `disk` gives the database a file system of its own.
func withPrivateServers<Result: Sendable>(
    disk hasDisk: Bool = false, _ body: (PrivateServers, String) async throws -> Result
) async throws -> Result {
    try await withFolder { folder in
        guard hasDisk else { return try await withPrivateServers(in: folder, body) }
        let disk = DataDisk(below: folder)
        try await disk.mount()
        do {
            let result = try await withPrivateServers(in: folder, body)
            try await disk.unmount()
            return result
        } catch {
            try? await disk.unmount()
            throw error
        }
    }
}

private func withPrivateServers<Result: Sendable>(
    in folder: String, _ body: (PrivateServers, String) async throws -> Result
) async throws -> Result {
    let servers = try await PrivateServers.start(home: "\(folder)/servers", say: { _ in })
    do {
        let result = try await body(servers, folder)
        try await servers.stop()
        return result
    } catch {
        try? await servers.stop()
        throw error
    }
}

/// Runs the body with private servers and a system on them.
func withFaultyServers(_ body: (PrivateServers, TestSystem, String) async throws -> Void) async throws {
    try await withPrivateServers { servers, folder in
        let system = try await TestSystem(databaseURL: servers.databaseURL, amqpURL: servers.amqpURL)
        do {
            try await body(servers, system, folder)
        } catch {
            try? await system.shutDown()
            throw error
        }
        try await system.shutDown()
    }
}
