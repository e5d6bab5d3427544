import PrivateServers

/// One step of a schedule. Nodes are numbered from 0, as in the URL.
enum ClusterStep: Sendable {
    case hold(seconds: Int)
    /// A second of load is confirmed.
    case load
    case times(Int, [ClusterStep])

    /// All clients go to one node, and the other nodes accept none until ``admit``.
    case gather(on: Int)
    case admit
    /// The node that leads the urgent intake queue is lost.
    case killLeader
    /// The node with the most connections is lost.
    case killBusiest
    case stopNodes([Int])
    /// Every node that is down starts.
    case startNodes
    /// No queue needs every node that is up.
    case awaitNoCriticalNode
    /// A node is cut off from the other nodes, until ``heal``.
    case cutOff(Int)
    case heal
    case rabbitmqctl([Int], [String])

    case kill(PrivateReplication.Member)
    case stop(PrivateReplication.Member)
    case start(PrivateReplication.Member)
    /// The second server becomes the primary.
    case promote
    /// The standby gets nothing more from its primary.
    case stallReplication
    /// Every wait for the standby ends, by this function of PostgreSQL.
    case endWaits(by: String)
    /// The primary no longer waits for a standby.
    case goOnWithoutStandby
    /// The server that was stopped becomes the synchronous standby of the other.
    case rejoin(PrivateReplication.Member)
    case fillDisk, freeDisk

    case reloadPooler
    case pooler(String)
    case killPooler, startPooler
    /// PgBouncer uses the second server.
    case pointPooler

    /// One process of each of these roles is killed, and a supervisor starts another.
    case replace([String])
    /// The clocks of all processes differ by this from the machine's.
    case clocks(seconds: Int64)

    case expect(ClusterExpectation)
}

extension ClusterStep: CustomStringConvertible {
    /// The step in the table. Empty for a step that only checks.
    var description: String {
        switch self {
        case .hold(let seconds): "\(seconds) s"
        case .times(let count, let steps): "\(count) × (\(Self.words(steps)))"
        case .gather(let node): "all clients to node \(node + 1)"
        case .killLeader: "kill -9 of the leader of the urgent intake queue"
        case .killBusiest: "kill -9 of the node with most connections"
        case .stopNodes(let nodes): "SIGTERM of node \(nodes.map { "\($0 + 1)" }.joined(separator: ", "))"
        case .startNodes: "started"
        case .cutOff(let node): "node \(node + 1) cut off"
        case .heal: "healed"
        case .rabbitmqctl(let nodes, let arguments):
            "`\(arguments.joined(separator: " "))` on node \(nodes.map { "\($0 + 1)" }.joined(separator: ", "))"
        case .kill(let server): "kill -9 of the \(server) server"
        case .stop(let server): "the \(server) server stopped"
        case .start(let server): "the \(server) server started"
        case .promote: "the second server promoted"
        case .stallReplication: "the link to the standby stalls"
        case .endWaits(let function): "`\(function)` of the waiting sessions"
        case .goOnWithoutStandby: "`synchronous_standby_names` emptied"
        case .rejoin(let server): "the \(server) server made a standby"
        case .fillDisk: "the primary's disk filled"
        case .freeDisk: "freed"
        case .reloadPooler: "RELOAD with fewer sessions"
        case .pooler(let command): command
        case .killPooler: "kill -9 of PgBouncer"
        case .startPooler: "PgBouncer started"
        case .pointPooler: "RELOAD with the second server"
        case .replace(let roles): "kill -9 of one \(roles.joined(separator: ", "))"
        case .clocks(let seconds): "clocks \(seconds) s off"
        case .expect(.noConfirms(let seconds)), .expect(.noDecisions(let seconds)): "\(seconds) s"
        case .load, .admit, .awaitNoCriticalNode, .expect: ""
        }
    }

    static func words(_ steps: [ClusterStep]) -> String {
        steps.map(\.description).filter { !$0.isEmpty }.joined(separator: "; ")
    }
}
