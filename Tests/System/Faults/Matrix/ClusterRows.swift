import PrivateServers
import Testing

/// A broker of three nodes, of which some die. Quorum queues have a replica on each node.
extension FaultRow {
    static let clusters = [
        FaultRow(
            number: "8", fault: "a node of the cluster crashes, then another",
            injected: "kill -9 of node 1; started; kill -9 of node 2 when it is back; started", broker: .cluster,
            inject: { scene in
                try await scene.nodes().expectReplicas()
                for node in 0..<2 {
                    try await scene.nodes().killNode(node)
                    try await scene.moreConfirmed(2 * FaultLoad.perSecond)
                    try await scene.nodes().startNode(node)
                    try await scene.moreConfirmed()
                }
            }),
        FaultRow(
            number: "10", fault: "quorum lost", injected: "SIGSTOP of 2 of 3 nodes for 60 s", broker: .cluster, recovery: .seconds(180),
            inject: { scene in
                try await scene.nodes().expectReplicas()
                for node in 1...2 { try await scene.nodes().pauseNode(node) }
                try await scene.holds(.seconds(60))
            },
            heal: { scene in for node in 1...2 { try await scene.nodes().resumeNode(node) } }),
        FaultRow(
            number: "11", fault: "rolling restart of the cluster", injected: "each node stopped and started in turn", broker: .cluster,
            inject: { scene in
                let cluster = try scene.nodes()
                for node in 0..<cluster.size {
                    try await cluster.stopNode(node)
                    try await scene.moreConfirmed()
                    try await cluster.startNode(node)
                    try await scene.moreConfirmed()
                }
            }),
    ]
}

extension PrivateCluster {
    /// Checks that every queue has three replicas. A queue that was declared before the cluster was complete would prove nothing.
    func expectReplicas() async throws {
        let queues = try await rabbitmqctl(node: 0, ["-q", "list_queues", "--no-table-headers", "members"])
        let lines = queues.split(separator: "\n")
        #expect(!lines.isEmpty && lines.allSatisfy { $0.split(separator: ",").count == 3 }, "\(queues)")
    }
}
