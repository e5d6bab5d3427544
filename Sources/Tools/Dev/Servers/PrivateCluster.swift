/// A RabbitMQ cluster of this process, with all nodes on loopback. For tests of everything that must survive the death of a node.
///
/// Nodes find each other through one `epmd` of the cluster and trust each other by one cookie. Ports and data stay the same through every
/// fault.
public actor PrivateCluster {
    /// The addresses of all nodes, in order, with the virtual host `/`.
    public nonisolated let amqpURL: String
    /// The TLS addresses of all nodes, as `localhost`, with the authority to trust. Nil for a cluster without a certificate.
    public nonisolated let amqpsURL: String?
    public nonisolated let size: Int
    /// The port of AMQP on 127.0.0.1 of each node, in order.
    public nonisolated let ports: [UInt16]
    /// The loopback address from which each node speaks to the other nodes, in order. Clients use 127.0.0.1.
    public nonisolated let addresses: [String]

    private let layout: ServersLayout
    private let nodes: [PrivateBroker]
    private let names: PortClaim
    private let lock: HomeLock
    private let password: String

    private init(
        layout: ServersLayout, nodes: [PrivateBroker], names: PortClaim, lock: HomeLock, first: ClusterMember,
        certificate: BrokerCertificate?
    ) {
        self.layout = layout
        self.nodes = nodes
        (ports, addresses) = (nodes.map(\.port), first.addresses)
        let password = first.password
        self.password = password
        self.names = names
        self.lock = lock
        size = nodes.count
        let places = nodes.map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
        amqpURL = "amqp://\(BrokerSettings.user):\(password)@\(places)/"
        amqpsURL = certificate.map { certificate in
            let places = nodes.compactMap { $0.tlsPort.map { "localhost:\($0)" } }.joined(separator: ",")
            return "amqps://\(BrokerSettings.user):\(password)@\(places)/?cacertfile=\(certificate.authority)"
        }
    }

    /// Starts `size` nodes and returns when all of them form one cluster. A queue that is declared afterwards has a replica on each of
    /// three nodes. `home` is a folder of the cluster's own, made if missing. Three nodes take about 15 seconds on 2 cores.
    ///
    /// A size of 1 starts a single broker without a database. `certificate` adds a TLS listener to each node.
    public static func start(
        home: String, size: Int = 3, certificate: BrokerCertificate? = nil, options: ClusterOptions = ClusterOptions()
    ) async throws(PrivateServersError) -> PrivateCluster {
        try await OwnThread.run { () throws(PrivateServersError) in
            let tools = try ServerTools.find(in: .ofThisMachine())
            try Folder.make(home)
            let layout = ServersLayout(home: home)
            let lock = try HomeLock(layout)
            try Leftovers(layout).end(patience: Leftovers.ownShutdownTime)
            try Folder.make(layout.logFolder)
            let password = try PrivateFile.secret("\(layout.home)/password")
            let names = try LoopbackPort.kept(in: "\(layout.home)/name-port")
            let members = (1...size).map { number in
                ClusterMember(
                    number: number, size: size, home: layout.home, password: password, namePort: names.port, options: options)
            }
            var nodes: [PrivateBroker] = []
            for member in members {
                try Folder.make("\(layout.home)/\(member.name)", mode: 0o700)
                nodes.append(try PrivateBroker(layout: layout, tools: tools, member: member, certificate: certificate))
            }
            do throws(PrivateServersError) {
                // Start the nodes one after the other: the second node finds the first, which is a cluster of one.
                for node in nodes { try node.start(abandoned: Flag()) }
                _ = try nodes[0].control(["await_online_nodes", "\(size)"])
            } catch {
                Self.end(nodes)
                throw error
            }
            return PrivateCluster(
                layout: layout, nodes: nodes, names: names, lock: lock, first: members[0], certificate: certificate)
        }
    }

    /// Kills a node as `kill -9` does. Positions count from 0.
    public func killNode(_ position: Int) async throws(PrivateServersError) {
        let node = nodes[position]
        try await OwnThread.run { () throws(PrivateServersError) in node.kill() }
    }

    /// Shuts a node down as an operator would.
    public func stopNode(_ position: Int) async throws(PrivateServersError) {
        let node = nodes[position]
        try await OwnThread.run { () throws(PrivateServersError) in node.stop() }
    }

    /// Starts a node again. Returns when the node answers and all nodes are in the cluster.
    public func startNode(_ position: Int) async throws(PrivateServersError) { try await startNodes([position]) }

    /// Starts nodes again, one after the other. Returns when all nodes are in the cluster.
    public func startNodes(_ positions: [Int]) async throws(PrivateServersError) {
        let (started, size) = (positions.map { nodes[$0] }, size)
        try await OwnThread.run { () throws(PrivateServersError) in
            for node in started { try node.start(abandoned: Flag()) }
            if let last = started.last { _ = try last.control(["await_online_nodes", "\(size)"]) }
        }
    }

    /// Freezes a node: its sockets stay open and answer nothing.
    public func pauseNode(_ position: Int) async throws(PrivateServersError) {
        let node = nodes[position]
        try await OwnThread.run { () throws(PrivateServersError) in node.pause() }
    }

    /// Resumes a paused node.
    public func resumeNode(_ position: Int) async throws(PrivateServersError) {
        let node = nodes[position]
        try await OwnThread.run { () throws(PrivateServersError) in node.resume() }
    }

    /// Runs `rabbitmqctl` against a node and returns its standard output.
    @discardableResult
    public func rabbitmqctl(node position: Int, _ arguments: [String]) async throws(PrivateServersError) -> String {
        let node = nodes[position]
        return try await OwnThread.run { () throws(PrivateServersError) in try node.control(arguments) }
    }

    /// ``amqpURL`` with another node first.
    public nonisolated func amqpURL(first position: Int) -> String {
        let places = ports.indices.map { "127.0.0.1:\(ports[(position + $0) % size])" }.joined(separator: ",")
        return "amqp://\(BrokerSettings.user):\(password)@\(places)/"
    }

    /// Ends every node and `epmd`. The data stays.
    public func stop() async throws(PrivateServersError) {
        let (layout, nodes, names, lock) = (layout, nodes, names, lock)
        try await OwnThread.run { () throws(PrivateServersError) in
            Self.end(nodes)
            try Leftovers(layout).end(patience: .zero)
            for node in nodes { node.releasePorts() }
            names.release()
            lock.release()
        }
    }

    /// Kills the nodes. A node that shuts down normally would wait for nodes that are about to end too.
    private static func end(_ nodes: [PrivateBroker]) {
        for node in nodes.reversed() { node.kill() }
        nodes.first?.stopNames()
    }
}
