import PrivateServers
import Testing
import TidingsPostgres
import TidingsTestSupport

/// A whole system under load on a cluster, and the performance of the steps.
actor ClusterScene: LoadedScene {
    let servers: ClusterServers
    let system: TestSystem
    let folder: String
    let receiver: Receiver
    nonisolated let crew: Crew
    nonisolated let producer: SteadyProducer
    nonisolated let observer: HealthObserver

    private let began = ContinuousClock.now
    /// The time of the promotion by the new primary's clock.
    private(set) var promotedAt: String?

    init(
        servers: ClusterServers, system: TestSystem, folder: String, receiver: Receiver, crew: Crew, producer: SteadyProducer,
        observer: HealthObserver
    ) {
        (self.servers, self.system, self.folder, self.receiver) = (servers, system, folder, receiver)
        (self.crew, self.producer, self.observer) = (crew, producer, observer)
    }

    func perform(_ steps: [ClusterStep]) async throws {
        for step in steps {
            if !step.description.isEmpty { print("\(HealthObserver.seconds(ContinuousClock.now - began)) \(step)") }
            try await perform(step)
        }
    }

    private func perform(_ step: ClusterStep) async throws {
        switch step {
        case .hold(let seconds): try await holds(.seconds(seconds))
        case .load: try await moreConfirmed()
        case .times(let count, let steps): for _ in 0..<count { try await perform(steps) }
        case .gather(let node): try await servers.gather(on: node)
        case .admit: try await servers.admit()
        case .killLeader: try await servers.killLeader()
        case .killBusiest: try await servers.killBusiest()
        case .stopNodes(let nodes): try await servers.stop(nodes: nodes)
        case .startNodes: try await servers.startNodes()
        case .awaitNoCriticalNode: try await servers.awaitNoCriticalNode()
        case .cutOff(let node): try await servers.cutOff(node)
        case .heal: await servers.heal()
        case .rabbitmqctl(let nodes, let arguments): try await servers.rabbitmqctl(nodes, arguments)
        case .kill(let server): try await servers.databases.kill(server)
        case .stop(let server): try await servers.databases.stop(server)
        case .start(let server): try await servers.databases.start(server)
        case .promote: try await promote()
        case .stallReplication: servers.stallReplication()
        case .endWaits(let function):
            let count = try await servers.endWaits(by: function)
            print("  \(count) sessions waited")
            #expect(count > 0, "no session waited for the standby")
        case .goOnWithoutStandby: try await servers.goOnWithoutStandby()
        case .rejoin(let server): try await servers.databases.rejoin(server)
        case .fillDisk: try servers.fillDisk()
        case .freeDisk: try await servers.freeDisk()
        case .reloadPooler: try await servers.reloadPooler()
        case .pooler(let command): try await servers.needPooler().command(command)
        case .killPooler: try await servers.needPooler().kill()
        case .startPooler: try await servers.needPooler().start()
        case .pointPooler: try await servers.pointPooler()
        case .replace(let roles): for role in roles { try await crew.killAndReplace(crew.position(of: role)) }
        case .clocks(let seconds): try FakeClock(in: folder).set(seconds)
        case .expect(let expectation): try await expect(expectation)
        }
    }

    private func promote() async throws {
        try await servers.promote()
        let answer = try await TestSystem.query("select tidings.clock()::text", at: servers.databases.url(of: .second))
        promotedAt = try answer.rows.first?.decode(String.self)
    }
}
