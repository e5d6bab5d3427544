import PrivateServers
import Testing
import TidingsPostgres
import TidingsTestSupport

/// A whole system under load on a cluster, and the performance of the steps.
actor ClusterScene: LoadedScene {
    /// The sessions of one process, as in Operating.md, and those of commands that look meanwhile.
    private static let (sessionsOfAProcess, sessionsOfCommands) = (12, 8)

    let servers: ClusterServers
    let system: TestSystem
    let folder: String
    let receiver: Receiver
    nonisolated let crew: Crew
    nonisolated let producer: SteadyProducer
    nonisolated let observer: HealthObserver

    private let began = ContinuousClock.now
    /// The time of the promotion by the new primary's clock.
    private var promotedAt: String?

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
        case .expectSpread: try await expectSpread()
        case .kill(let server): try await servers.databases.kill(server)
        case .stop(let server): try await servers.databases.stop(server)
        case .start(let server): try await servers.databases.start(server)
        case .promote: try await promote()
        case .stallReplication: servers.stallReplication()
        case .endWaits(let function): print("  \(try await servers.endWaits(by: function)) sessions waited")
        case .fillDisk: try servers.fillDisk()
        case .freeDisk: try await servers.freeDisk()
        case .expectNoDecisionByTheFirst: try await expectNoDecisionByTheFirst()
        case .expectFewSessions: try await expectFewSessions()
        case .reloadPooler: try await servers.reloadPooler()
        case .pooler(let command): try await servers.needPooler().command(command)
        case .killPooler: try await servers.needPooler().kill()
        case .startPooler: try await servers.needPooler().start()
        case .replace(let roles): for role in roles { try await crew.killAndReplace(crew.position(of: role)) }
        case .clocks(let seconds): try FakeClock(in: folder).set(seconds)
        }
    }

    private func promote() async throws {
        try await servers.promote()
        let answer = try await TestSystem.query("select tidings.clock()::text", at: servers.databases.url(of: .second))
        promotedAt = try answer.rows.first?.decode(String.self)
    }

    private func expectNoDecisionByTheFirst() async throws {
        let promotedAt = promotedAt ?? ""
        let answer = try await TestSystem.query(
            "select count(*) from tidings.notifications where accepted_at > \(promotedAt)::timestamptz",
            at: servers.databases.url(of: .first))
        let count = try answer.rows.first?.decode(Int.self) ?? 0
        #expect(count == 0, "the old primary decided \(count) intents after the promotion")
    }

    private func expectFewSessions() async throws {
        let (sessions, most) = (try await servers.sessions(), await crew.count * Self.sessionsOfAProcess + Self.sessionsOfCommands)
        print("  \(sessions) sessions of clients at the first server")
        #expect(sessions <= most, "\(sessions) sessions, at most \(most) were expected")
    }

    private func expectSpread() async throws {
        let named = try await servers.connectionsOfRoles()
        let connections = named.map { $0.values.reduce(0, +) }
        let leaders = try await servers.leaders().values.reduce(into: [0, 0, 0]) { $0[$1] += 1 }
        print("  connections of each node \(connections), leaders \(leaders)")
        #expect((connections.max() ?? 0) - (connections.min() ?? 0) <= 1, "\(named)")
        // `rabbitmq-queues rebalance` ends when no node has more than its share.
        let total = leaders.reduce(0, +)
        #expect(leaders.allSatisfy { $0 <= (total + leaders.count - 1) / leaders.count }, "\(leaders) are not spread over the nodes")
    }
}
