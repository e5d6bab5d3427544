import Glibc
import TidingsTestSupport

/// The processes of a system, kept up as a supervisor would.
actor Crew {
    private let system: TestSystem
    private var members: [(role: String, process: TestProcess)] = []

    init(_ system: TestSystem) { self.system = system }

    func start(_ roles: [String]) async throws {
        for role in roles { members.append((role, try await system.startRole(role))) }
    }

    /// Kills a process as `kill -9` does and starts another in its place.
    func killAndReplace(_ position: Int) async throws {
        members[position].process.signal(SIGKILL)
        _ = await members[position].process.finish()
        members[position].process = try await system.startRole(members[position].role)
    }

    /// Those that are not running, with what they said last.
    var fallen: [String] {
        members.filter { !$0.process.isRunning }.map { "\($0.role): \($0.process.errorsSoFar.suffix(2_000))" }
    }
}
