import Glibc
import TidingsStore
import TidingsTestSupport

/// The processes of a system, kept up as a supervisor would.
actor Crew {
    /// A process that is to die at a step gets there within this.
    private static let patience = Duration.seconds(90)

    private let system: TestSystem
    /// Added to the environment of each.
    private let variables: [String: String]
    private var members: [(role: String, process: TestProcess)] = []

    init(_ system: TestSystem, with variables: [String: String] = [:]) {
        self.system = system
        self.variables = variables
    }

    var count: Int { members.count }

    func start(_ roles: [String]) async throws {
        for role in roles { members.append((role, try await system.startRole(role, with: variables))) }
    }

    /// Kills a process as `kill -9` does and starts another in its place.
    func killAndReplace(_ position: Int) async throws {
        try await end(position, with: SIGKILL)
        members[position].process = try await system.startRole(members[position].role, with: variables)
    }

    /// Asks a process to stop, starts another in its place, and returns what it answered and after how long.
    func stopAndReplace(_ position: Int) async throws -> (exitCode: Int32, took: Duration) {
        let asked = ContinuousClock.now
        let exitCode = try await end(position, with: SIGTERM)
        let took = ContinuousClock.now - asked
        members[position].process = try await system.startRole(members[position].role, with: variables)
        return (exitCode, took)
    }

    /// Asks all at once to stop, and returns what each answered and after how long.
    func stopAll() async -> [(role: String, exitCode: Int32, took: Duration)] {
        let asked = ContinuousClock.now
        for member in members { member.process.signal(SIGTERM) }
        var stops: [(role: String, exitCode: Int32, took: Duration)] = []
        for member in members { stops.append((member.role, await member.process.finish().exitCode, ContinuousClock.now - asked)) }
        return stops
    }

    /// Asks every process of a role to stop, and returns when all have ended what they held.
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

    /// The places of the processes of a role; never none.
    func positions(of role: String) throws -> [Int] {
        let positions = members.indices.filter { members[$0].role == role }
        guard !positions.isEmpty else { throw TestSystemError(message: "there is no \(role)") }
        return positions
    }

    /// The place of the first process of a role.
    func position(of role: String) throws -> Int { try positions(of: role)[0] }

    /// The process whose work `step` is dies there, is replaced by one that dies there too, and then by one that lives. `before` is called
    /// while it still runs, before each death.
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

    /// Puts a process that dies as told into a place; whoever is there is killed, unless dead.
    func replace(_ position: Int, dyingAt order: String) async throws {
        try await end(position, with: SIGKILL)
        // It may die before it says that it runs.
        let variables = variables.merging(["TIDINGS_FAULT_AT": order]) { $1 }
        members[position].process = try system.start("run", members[position].role, with: variables)
    }

    /// Returns when the process at a place is dead by its own hand.
    func died(_ position: Int, within limit: Duration = patience) async throws {
        let process = members[position].process
        let isDead = try await reached(within: limit) { !process.isRunning }
        guard isDead else { throw TestSystemError(message: "\(members[position].role) does not die: \(process.errorsSoFar.suffix(1_000))") }
        let exitCode = await process.finish().exitCode
        guard exitCode == SIGKILL else { throw TestSystemError(message: "\(members[position].role) ended with \(exitCode)") }
    }

    /// Whether the process at a place runs.
    func isRunning(_ position: Int) -> Bool { members[position].process.isRunning }

    /// Those that are not running, with what they said last.
    var fallen: [String] {
        members.filter { !$0.process.isRunning }.map { "\($0.role): \($0.process.errorsSoFar.suffix(2_000))" }
    }

    /// Whether any of those that run now has logged this.
    func hasSaid(_ text: String) -> Bool { members.contains { $0.process.errorsSoFar.contains(text) } }

    /// What each said last.
    var lastWords: String { members.map { "\($0.role): \($0.process.errorsSoFar.suffix(500))" }.joined(separator: "\n") }
}

extension FaultStep {
    /// Whose work it is.
    var role: String {
        switch self {
        case .beforeRoute, .afterRoute, .afterIntakeAck, .beforePublish, .afterPublish, .afterConfirm: "router"
        case .beforeClaim, .afterClaim, .beforeSend, .afterSend, .beforeSettle, .afterSettle, .beforeAck, .afterAck: "deliver"
        case .beforeRelease, .afterRelease, .beforeRecover, .afterRecover: "release"
        }
    }
}
