import Glibc
import PrivateServers
import TidingsPostgres
import TidingsTestSupport

/// A whole system under load, into which a fault is injected.
struct FaultScene: LoadedScene {
    let servers: PrivateServers
    let system: TestSystem
    let folder: String
    let receiver: Receiver
    /// The receiver's behaviours while it works normally.
    let answers: [String]
    let crew: Crew
    let producer: SteadyProducer
    /// The proxy between every process and the broker. Nil unless the row asks for one.
    let proxy: FaultProxy?
    /// The cluster in place of the single broker. Nil unless the row asks for one.
    let cluster: PrivateCluster?

    /// Kills a worker in the middle of its work, while it holds packs that are not being settled. Another worker takes its place.
    func workerDiesHoldingPacks() async throws {
        let position = try await crew.position(of: "deliver")
        let holdsPacks = try await reached(within: Self.longestWait) {
            await crew.signal(at: position, SIGSTOP)
            let held = try await system.count(
                "select count(*) from (select 1 from tidings.packs where claimed_at is not null for update skip locked) held")
            if held == 0 { await crew.signal(at: position, SIGCONT) }
            return held > 0
        }
        guard holdsPacks else { throw TestSystemError(message: "the worker never held a pack: \(await crew.lastWords)") }
        try await crew.killAndReplace(position)
    }

    func link() throws -> FaultProxy {
        guard let proxy else { throw TestSystemError(message: "this row asked for no proxy") }
        return proxy
    }

    func nodes() throws -> PrivateCluster {
        guard let cluster else { throw TestSystemError(message: "this row asked for no cluster") }
        return cluster
    }

    /// Runs a command that must succeed.
    func tidings(_ arguments: String...) async throws {
        let result = try await TestProcess([TestSystem.binary] + arguments, environment: system.environment).finish()
        guard result.exitCode == 0 else { throw TestSystemError(message: "\(arguments): \(result.errors)") }
    }
}
