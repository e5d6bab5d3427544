import PrivateServers
import Testing
import TidingsPostgres
import TidingsTestSupport

/// A condition at a step of a schedule. It fails if a sentence of the page Clusters is false.
enum ClusterExpectation: Sendable {
    /// Connections and leaders are spread over the nodes.
    case spread
    /// No confirm comes for this time.
    case noConfirms(seconds: Int)
    /// This machine can cut the network between nodes.
    case rules
    /// The node knows of a partition, or of none.
    case partition(Bool, seenBy: Int)
    /// RabbitMQ has paused itself on a node.
    case paused(Int)
    /// All nodes are one cluster again, within a minute.
    case whole

    /// A process does not start, because its clock is wrong.
    case noStart
    /// No intent is decided for this time.
    case noDecisions(seconds: Int)
    /// The first server was used by nobody since the promotion.
    case noDecisionByTheFirst
    /// The first server has no more sessions than the processes may have.
    case fewSessions
    /// Commits wait for the standby.
    case waitingCommits
}

extension ClusterScene {
    /// The sessions of one process, as in Operating.md, and those of commands that look meanwhile.
    private static let (sessionsOfAProcess, sessionsOfCommands) = (12, 8)

    func expect(_ expectation: ClusterExpectation) async throws {
        switch expectation {
        case .spread: try await expectSpread()
        case .noConfirms(let seconds):
            let before = await producer.count
            try await holds(.seconds(seconds))
            let after = await producer.count
            #expect(after == before, "\(after - before) intents were confirmed")
        case .rules:
            guard await NetworkCut.program() != nil else { throw TestSystemError(message: "this schedule needs root and iptables") }
        case .partition(let isPartitioned, let node):
            let seen = try await servers.isPartitioned(node)
            #expect(seen == isPartitioned, "node \(node + 1) sees \(seen ? "a" : "no") partition")
        case .paused(let node):
            let isServing = try await servers.isServing(node)
            #expect(!isServing, "node \(node + 1) has not paused itself")
        case .whole: try await servers.awaitWhole()
        case .noStart:
            let exitCode = try await crew.exitCode(of: "router")
            #expect(exitCode == 75, "a router with a wrong clock ended with \(exitCode)")
        case .noDecisions(let seconds):
            let before = try await decisionsAtTheFirst()
            try await holds(.seconds(seconds))
            let after = try await decisionsAtTheFirst()
            #expect(after == before, "\(after - before) intents were decided")
        case .noDecisionByTheFirst: try await expectNoDecisionByTheFirst()
        case .fewSessions:
            let (sessions, most) = (try await servers.sessions(), await crew.count * Self.sessionsOfAProcess + Self.sessionsOfCommands)
            print("  \(sessions) sessions of clients at the first server")
            #expect(sessions <= most, "\(sessions) sessions, at most \(most) were expected")
        case .waitingCommits:
            let waits = try await servers.waits()
            print("  \(waits) sessions wait")
            #expect(waits > 0, "no session waits for the standby")
        }
    }

    private func decisionsAtTheFirst() async throws -> Int {
        let answer = try await TestSystem.query("select count(*) from tidings.notifications", at: servers.databases.url(of: .first))
        return try answer.rows.first?.decode(Int.self) ?? 0
    }

    private func expectNoDecisionByTheFirst() async throws {
        let promotedAt = promotedAt ?? ""
        let answer = try await TestSystem.query(
            """
            select count(*), (select count(*) from tidings_ops.deliveries where finished_at > \(promotedAt)::timestamptz)
            from tidings.notifications where accepted_at > \(promotedAt)::timestamptz
            """,
            at: servers.databases.url(of: .first))
        let (decided, ended) = try answer.rows.first?.decode((Int, Int).self) ?? (0, 0)
        #expect(decided == 0, "the old primary decided \(decided) intents after the promotion")
        #expect(ended == 0, "the old primary ended \(ended) deliveries after the promotion")
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
