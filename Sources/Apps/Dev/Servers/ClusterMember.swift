/// What the nodes of a cluster share, and which of them this one is.
struct ClusterMember: Sendable {
    /// From 1.
    let number: Int
    let size: Int
    let home: String
    let password: String
    /// Of the one `epmd`, which knows where all nodes are. The first node starts and ends it.
    let namePort: UInt16

    var ownsNames: Bool { number == 1 }
    /// The folder below the home, and the log.
    var name: String { "rabbitmq-\(number)" }
    var nodeName: String { Self.nodeName(number) }
    /// Nodes let each other in by the cookie, so it lies where all of them look.
    var cookieFolder: String { home }

    /// A node that starts for the first time joins whichever of these is up. A node alone has nobody to look for.
    var formation: String {
        guard size > 1 else { return "" }
        let names = (1...size).map { "cluster_formation.classic_config.nodes.\($0) = \(Self.nodeName($0))" }
        return (["cluster_formation.peer_discovery_backend = classic_config"] + names).joined(separator: "\n")
    }

    private static func nodeName(_ number: Int) -> String { "tidings-\(number)@localhost" }
}
