import Glibc
import TidingsPipeline
import TidingsStore
import TidingsTestSupport

/// The processes of a system, restarted as a supervisor would do it.
actor Crew {
    /// The longest wait for a process to reach the step at which it is to die.
    private static let patience = Duration.seconds(90)

    private let system: TestSystem
    /// The variables that are added to the environment of each process.
    private let variables: [String: String]
    private var members: [(role: String, process: TestProcess)] = []

    init(_ system: TestSystem, with variables: [String: String] = [:]) {
        self.system = system
        self.variables = variables
    }

    var count: Int { members.count }

    /// The processes that run, each with its role and its place among all.
    var running: [(name: String, process: TestProcess)] {
        members.enumerated().filter { $0.element.process.isRunning }.map { ("\($0.element.role) \($0.offset + 1)", $0.element.process) }
    }

    func start(_ roles: [String]) async throws {
        for role in roles { members.append((role, try await system.startRole(role, with: variables))) }
    }

    /// Starts a process of a role that must end by itself. Returns its exit code.
    func exitCode(of role: String) async throws -> Int32 {
        try await system.start("run", role, with: variables).finish().exitCode
    }

    /// Kills a process as `kill -9` does and starts another in its place.
    func killAndReplace(_ position: Int) async throws {
        try await end(position, with: SIGKILL)
        members[position].process = try await system.startRole(members[position].role, with: variables)
    }

    /// Asks a process to stop and starts another in its place. Returns the exit code and the time that the stop took.
    func stopAndReplace(_ position: Int) async throws -> (exitCode: Int32, took: Duration) {
        let asked = ContinuousClock.now
        let exitCode = try await end(position, with: SIGTERM)
        let took = ContinuousClock.now - asked
        members[position].process = try await system.startRole(members[position].role, with: variables)
        return (exitCode, took)
    }

    /// Asks all processes at once to stop. Returns the exit code of each and the time that its stop took.
    func stopAll() async -> [(role: String, exitCode: Int32, took: Duration)] {
        let asked = ContinuousClock.now
        for member in members { member.process.signal(SIGTERM) }
        var stops: [(role: String, exitCode: Int32, took: Duration)] = []
        for member in members { stops.append((member.role, await member.process.finish().exitCode, ContinuousClock.now - asked)) }
        return stops
    }

    /// Asks every process of a role to stop. Returns when all of them have finished the work that they held.
    func stop(_ role: String) async throws {
        let positions = try positions(of: role)
        for position in positions { members[position].process.signal(SIGTERM) }
        for position in positions {
            let exitCode = await members[position].process.finish().exitCode
            guard exitCode == 0 else { throw TestSystemError(message: "\(role) stopped with \(exitCode)") }
        }
    }

    /// Starts every process of a role that was stopped.
    func startAgain(_ role: String) async throws {
        for position in try positions(of: role) { members[position].process = try await system.startRole(role, with: variables) }
    }

    @discardableResult
    private func end(_ position: Int, with signal: Int32) async throws -> Int32 {
        members[position].process.signal(signal)
        return await members[position].process.finish().exitCode
    }

    /// Sends a signal to every process of a role, such as SIGSTOP.
    func signal(_ role: String, _ number: Int32) {
        for member in members where member.role == role { member.process.signal(number) }
    }

    func signal(at position: Int, _ number: Int32) { members[position].process.signal(number) }

    /// The positions of the processes of a role. Throws if there is none.
    func positions(of role: String) throws -> [Int] {
        let positions = members.indices.filter { members[$0].role == role }
        guard !positions.isEmpty else { throw TestSystemError(message: "there is no \(role)") }
        return positions
    }

    /// The position of the first process of a role.
    func position(of role: String) throws -> Int { try positions(of: role)[0] }

    /// Replaces the process that performs `step` by one that dies there, `times` times, and then by one that lives. Calls `before` while
    /// the process still runs, before each death.
    func dies(
        at step: FaultStep, times: Int = 2, pass: Int = 3, before: @Sendable () async throws -> Void = {}
    ) async throws {
        let position = try position(of: step.role)
        for _ in 0..<times {
            try await replace(position, dyingAt: "\(step.rawValue):\(pass)")
            try await before()
            try await died(position)
        }
        members[position].process = try await system.startRole(members[position].role, with: variables)
    }

    /// Replaces the process at a position by one that dies as ordered. The earlier process is killed if it still runs.
    func replace(_ position: Int, dyingAt order: String) async throws {
        try await end(position, with: SIGKILL)
        // The process may die before it reports that it runs.
        let variables = variables.merging(["TIDINGS_FAULT_AT": order]) { $1 }
        members[position].process = try system.start("run", members[position].role, with: variables)
    }

    /// Returns when the process at a position has killed itself.
    func died(_ position: Int, within limit: Duration = patience) async throws {
        let process = members[position].process
        let isDead = try await reached(within: limit) { !process.isRunning }
        guard isDead else { throw TestSystemError(message: "\(members[position].role) does not die: \(process.errorsSoFar.suffix(1_000))") }
        let exitCode = await process.finish().exitCode
        guard exitCode == SIGKILL else { throw TestSystemError(message: "\(members[position].role) ended with \(exitCode)") }
    }

    /// Whether the process at a position runs.
    func isRunning(_ position: Int) -> Bool { members[position].process.isRunning }

    /// The processes that are not running, each with the end of its log.
    var fallen: [String] {
        members.filter { !$0.process.isRunning }.map { "\($0.role): \($0.process.errorsSoFar.suffix(2_000))" }
    }

    /// Whether any current process has logged this text.
    func hasSaid(_ text: String) -> Bool { members.contains { $0.process.errorsSoFar.contains(text) } }

    /// The end of each process's log.
    var lastWords: String { members.map { "\($0.role): \($0.process.errorsSoFar.suffix(500))" }.joined(separator: "\n") }
}

extension FaultStep {
    /// The role that performs the step.
    var role: String {
        switch self {
        case .beforeRoute, .afterRoute, .afterIntakeAck, .beforePublish, .afterPublish, .afterConfirm: "router"
        case .beforeClaim, .afterClaim, .beforeSend, .afterSend, .beforeSettle, .afterSettle, .beforeAck, .afterAck: "deliver"
        case .beforeRelease, .afterRelease, .beforeRecover, .afterRecover: "release"
        }
    }
}
