/// The settings that all nodes of a cluster share, and the number of this node.
struct ClusterMember: Sendable {
    /// The number of this node, from 1.
    let number: Int
    let size: Int
    let home: String
    let password: String
    /// The port of the cluster's only `epmd`, which knows the ports of all nodes. The first node starts and ends `epmd`.
    let namePort: UInt16
    var options = ClusterOptions()

    var ownsNames: Bool { number == 1 }
    /// The name of the node's folder below the home, and of its log.
    var name: String { "rabbitmq-\(number)" }
    var nodeName: String { Self.nodeName(number) }
    /// The folder of the cookie. Nodes accept each other by the cookie, so all nodes use the same folder.
    var cookieFolder: String { home }

    /// The loopback address of each node, in order. Erlang's own protocol listens at the address, and the node connects to the other nodes
    /// from it.
    ///
    /// Each node has an address of its own, so that a test can cut the link between two nodes: with one address for all, the packets of two
    /// links look the same. The port of `epmd` is part of the address, so two clusters of this machine share none.
    var addresses: [String] { (1...size).map { address(of: $0) } }

    /// The names of the nodes' hosts, as lines of Erlang's `inetrc`. No other resolver knows these names.
    var hosts: String { (1...size).map { "{host, {\(address(of: $0, separator: ","))}, [\"\(Self.host($0))\"]}.\n" }.joined() }

    /// The arguments for Erlang's own protocol. The shell splits them at spaces and expands nothing else.
    var distribution: String {
        let tick = options.tickSeconds.map { " -kernel net_ticktime \($0)" } ?? ""
        return "\(listening) -kernel inet_dist_connect_options [{ip,\(tuple)}]\(tick)"
    }

    /// The arguments for `rabbitmqctl`, which has the name of the node's host: every node of the cluster sends its rows to it.
    var listening: String { "-kernel inet_dist_use_interface \(tuple)" }

    private var tuple: String { "{\(address(of: number, separator: ","))}" }

    /// The lines that make a node join the cluster. On its first start a node joins any listed node that is up. A single node has no lines.
    var formation: String {
        guard size > 1 else { return "" }
        let names = (1...size).map { "cluster_formation.classic_config.nodes.\($0) = \(Self.nodeName($0))" }
        let first = [
            "cluster_partition_handling = \(options.partitionHandling.rawValue)",
            "cluster_formation.peer_discovery_backend = classic_config",
        ]
        return (first + names).joined(separator: "\n")
    }

    /// 127.0.0.0/8 is this machine. The second and third byte are the port, from 20000 on, so the address is never 127.0.0.1.
    private func address(of number: Int, separator: String = ".") -> String {
        ["127", "\(namePort >> 8)", "\(namePort & 0xFF)", "\(number)"].joined(separator: separator)
    }
    private static func host(_ number: Int) -> String { "node-\(number)" }
    private static func nodeName(_ number: Int) -> String { "tidings-\(number)@\(host(number))" }
}
