import Foundation
import PrivateServers
import Testing
import TidingsTestSupport

/// Tests that take the whole machine for themselves: one after the other, each with many processes.
@Suite(.serialized) struct Faults {}

/// Asks until the answer is yes: for what another process reaches and nothing signals. False after `limit`.
func reached(within limit: Duration, every pause: Duration = .milliseconds(50), _ condition: () async throws -> Bool) async throws -> Bool {
    let deadline = ContinuousClock.now + limit
    while ContinuousClock.now < deadline {
        if try await condition() { return true }
        try await Task.sleep(for: pause)
    }
    return try await condition()
}

extension TestSystem {
    /// Starts a role and returns when it runs. Two cores that also build may take their time.
    func startRole(_ role: String, with variables: [String: String] = [:]) async throws -> TestProcess {
        let process = try start("run", role, with: variables)
        let isRunning = try await reached(within: .seconds(30)) { process.errorsSoFar.contains(": running") || !process.isRunning }
        guard isRunning, process.isRunning else { throw TestSystemError(message: "\(role) does not run: \(process.errorsSoFar)") }
        return process
    }

    /// Starts as many processes of a role as asked for, at the same time.
    func startRoles(_ role: String, count: Int) async throws -> [TestProcess] {
        try await withThrowingTaskGroup(of: TestProcess.self) { group in
            for _ in 0..<count { group.addTask { try await self.startRole(role) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}

/// A folder of its own for one test, deleted at the end.
func withFolder<Result: Sendable>(_ body: (String) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tidings-faults-\(UUID().uuidString)").path
    // User postgres must be able to enter, should servers live here.
    try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try await body(folder)
}

/// Private servers of one test in a folder of its own; both are gone at the end. `disk` gives the database a file system of its own.
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

/// Private servers of one test, with a system on them.
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
