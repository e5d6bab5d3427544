/// A RabbitMQ cluster of this process's own, all nodes on loopback: for tests of what must survive the death of a node.
///
/// Nodes find each other through one `epmd` of theirs and trust each other by one cookie. Ports and data stay the same through every fault.
public actor PrivateCluster {
    /// All nodes, in order, with the virtual host `/`.
    public nonisolated let amqpURL: String
    /// All nodes over TLS, as `localhost`, with the authority to trust. Nil for a cluster without a certificate.
    public nonisolated let amqpsURL: String?
    public nonisolated let size: Int

    private let layout: ServersLayout
    private let nodes: [PrivateBroker]
    private let names: PortClaim
    private let lock: HomeLock

    private init(
        layout: ServersLayout, nodes: [PrivateBroker], names: PortClaim, lock: HomeLock, password: String, certificate: BrokerCertificate?
    ) {
        self.layout = layout
        self.nodes = nodes
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

    /// Starts `size` nodes and returns when all of them are one cluster: what is declared from now on has a replica on each of three. `home` is
    /// a folder of its own, made when missing. Takes about 15 seconds on 2 cores for three nodes.
    ///
    /// A size of 1 is a broker alone, without a database beside it. `certificate` adds a TLS listener to each node.
    public static func start(
        home: String, size: Int = 3, certificate: BrokerCertificate? = nil
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
            var nodes: [PrivateBroker] = []
            for number in 1...size {
                let member = ClusterMember(number: number, size: size, home: layout.home, password: password, namePort: names.port)
                try Folder.make("\(layout.home)/\(member.name)", mode: 0o700)
                nodes.append(try PrivateBroker(layout: layout, tools: tools, member: member, certificate: certificate))
            }
            do throws(PrivateServersError) {
                // One after the other: the second finds the first, which by itself is a cluster of one.
                for node in nodes { try node.start(abandoned: Flag()) }
                _ = try nodes[0].control(["await_online_nodes", "\(size)"])
            } catch {
                Self.end(nodes)
                throw error
            }
            return PrivateCluster(
                layout: layout, nodes: nodes, names: names, lock: lock, password: password, certificate: certificate)
        }
    }

    /// Kills a node, counted from 0, as `kill -9` does.
    public func killNode(_ position: Int) async throws(PrivateServersError) {
        let node = nodes[position]
        try await OwnThread.run { () throws(PrivateServersError) in node.kill() }
    }

    /// Shuts a node down as an operator would.
    public func stopNode(_ position: Int) async throws(PrivateServersError) {
        let node = nodes[position]
        try await OwnThread.run { () throws(PrivateServersError) in node.stop() }
    }

    /// Starts a node again and returns when it answers and is one of the cluster.
    public func startNode(_ position: Int) async throws(PrivateServersError) {
        let (node, size) = (nodes[position], size)
        try await OwnThread.run { () throws(PrivateServersError) in
            try node.start(abandoned: Flag())
            _ = try node.control(["await_online_nodes", "\(size)"])
        }
    }

    /// Freezes a node: its sockets stay open and answer nothing.
    public func pauseNode(_ position: Int) async throws(PrivateServersError) {
        let node = nodes[position]
        try await OwnThread.run { () throws(PrivateServersError) in node.pause() }
    }

    /// Lets a paused node go on.
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

    /// Ends every node and `epmd`; the data stays.
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

    /// Killed, not asked: a node that shuts down waits for others that are about to go too.
    private static func end(_ nodes: [PrivateBroker]) {
        for node in nodes.reversed() { node.kill() }
        nodes.first?.stopNames()
    }
}
