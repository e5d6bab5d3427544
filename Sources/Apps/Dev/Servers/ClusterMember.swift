/// The settings that all nodes of a cluster share, and the number of this node.
struct ClusterMember: Sendable {
    /// The number of this node, from 1.
    let number: Int
    let size: Int
    let home: String
    let password: String
    /// The port of the cluster's only `epmd`, which knows the ports of all nodes. The first node starts and ends `epmd`.
    let namePort: UInt16

    var ownsNames: Bool { number == 1 }
    /// The name of the node's folder below the home, and of its log.
    var name: String { "rabbitmq-\(number)" }
    var nodeName: String { Self.nodeName(number) }
    /// The folder of the cookie. Nodes accept each other by the cookie, so all nodes use the same folder.
    var cookieFolder: String { home }

    /// The lines that make a node join the cluster. On its first start a node joins any listed node that is up. A single node has no lines.
    var formation: String {
        guard size > 1 else { return "" }
        let names = (1...size).map { "cluster_formation.classic_config.nodes.\($0) = \(Self.nodeName($0))" }
        return (["cluster_formation.peer_discovery_backend = classic_config"] + names).joined(separator: "\n")
    }

    private static func nodeName(_ number: Int) -> String { "tidings-\(number)@localhost" }
}
