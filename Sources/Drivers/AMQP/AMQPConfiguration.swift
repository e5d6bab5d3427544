/// The address of the broker and the settings of a connection to it.
public struct AMQPConfiguration: Sendable, Hashable {
    /// The nodes of the broker with the order of this process. Copies share it, so that their connections spread together.
    private(set) var brokerNodes: BrokerNodes
    public var user: String
    /// The password. ``description`` and every error leave it out.
    public var password: String
    public var virtualHost: String
    /// TLS settings. Nil for a plain connection.
    public var tls: AMQPTLS?
    /// The heartbeat interval in whole seconds, at least 1. After two silent intervals, the broker counts as lost. RabbitMQ recommends 5 to
    /// 20 s.
    public var heartbeat: Duration = .seconds(10)
    /// The time limit for each of three steps: opening the socket, the login, and each later call. Resolving the host name is not included,
    /// because the system's resolver has its own time limits.
    public var connectTimeout: Duration = .seconds(10)
    /// The largest frame in bytes, at least 4,096. It also limits the headers of one message.
    public var frameMaximum: Int = 128 << 10
    public var reconnect = ReconnectPolicy()
    /// The time between two questions of a connection whether it moves to a node with fewer connections, without jitter. Half of it is the
    /// longest pause between two moves.
    public var moveInterval = standardMoveInterval

    public init(host: String, port: Int = 5672, user: String = "guest", password: String = "guest", virtualHost: String = "/") {
        self.init(nodes: [AMQPNode(host: host, port: port)], user: user, password: password, virtualHost: virtualHost)
    }

    init(nodes: [AMQPNode], user: String, password: String, virtualHost: String = "/") {
        brokerNodes = BrokerNodes(nodes)
        self.user = user
        self.password = password
        self.virtualHost = virtualHost
    }

    /// Reads `amqp://user:password@host:port/vhost?heartbeat=10` (or `amqps://`), as in the RabbitMQ URI specification.
    ///
    /// Every part may be percent-encoded, and every part except the host is optional. A missing or empty path means the virtual host `/`.
    /// Commas separate several nodes of one cluster: `amqp://user:password@one:5672,two,three/vhost`. ``maximumNodes`` nodes are allowed. The
    /// connections of a process spread over the nodes. A node that is unreachable, not started yet or unable to serve is skipped.
    ///
    /// Parameters: `heartbeat` and `connect_timeout` in seconds, and `frame_max` in bytes. For TLS: `cacertfile`, `certfile`, `keyfile`,
    /// `verify` (`verify_peer` or `verify_none`) and `server_name_indication`. The last one accepts only `disable`, which turns the host
    /// name check off. An unknown parameter is an error, so that a misspelt parameter is not silently ignored.
    public init(url: String) throws(AMQPError) {
        var parser = URLParser(url)
        self = try parser.parse()
    }

    /// The nodes of the broker in the order of the URL, at least one.
    public var nodes: [AMQPNode] { brokerNodes.all }

    /// The connections of this process on each node, by ``AMQPNode/description``. Empty for a broker of one node.
    public var connections: [String: Int] {
        guard brokerNodes.areSeveral else { return [:] }
        return Dictionary(zip(nodes.map(\.description), brokerNodes.connections), uniquingKeysWith: +)
    }

    /// Tells the connections of other processes, so that the sums on the nodes become even. Nodes that this broker does not have are ignored.
    ///
    /// - Parameter others: the number of these processes.
    public func note(connections: [String: Int], ofOthers others: Int) {
        brokerNodes.note(connections: nodes.map { connections[$0.description] ?? 0 }, ofOthers: others)
    }

    /// The host of the first of ``nodes``.
    public var host: String {
        get { nodes[0].host }
        set { changeFirstNode { $0.host = newValue } }
    }
    /// The port of the first of ``nodes``.
    public var port: Int {
        get { nodes[0].port }
        set { changeFirstNode { $0.port = newValue } }
    }

    /// The same settings for one node.
    func only(_ node: AMQPNode) -> AMQPConfiguration {
        var configuration = self
        configuration.brokerNodes = BrokerNodes([node])
        return configuration
    }

    private mutating func changeFirstNode(_ change: (inout AMQPNode) -> Void) {
        var nodes = nodes
        change(&nodes[0])
        brokerNodes = BrokerNodes(nodes)
    }

    /// The largest number of nodes. Each node that hangs costs an attempt the connect time-out. A cluster of RabbitMQ rarely has more than
    /// seven.
    public static let maximumNodes = 16

    /// Connections of a process move one at a time after a node came back. A process with 20 of them takes about a minute.
    public static let standardMoveInterval = Duration.seconds(10)

    /// The time for which a node that could not serve is tried last. It is longer than a restart of a node takes. The time doubles each time
    /// the node cannot serve again right after it.
    public static let shortestNodePause = Duration.seconds(60)
    /// The longest such time. The first connection after it may wait for a confirm until the confirm timeout.
    public static let longestNodePause = Duration.seconds(960)

    /// The heartbeat in whole seconds, the unit of the protocol.
    var heartbeatSeconds: Int { max(1, Int(heartbeat.components.seconds)) }
}

/// The address of one node of the broker.
public struct AMQPNode: Sendable, Hashable, CustomStringConvertible {
    public var host: String
    public var port: Int

    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    public var description: String { "\(host):\(port)" }
}

/// The TLS settings: how this process verifies the broker, and how it identifies itself.
///
/// The lowest accepted version is TLS 1.2. The certificate must contain the host as a DNS name, because librabbitmq 0.11 does not match IP
/// addresses.
public struct AMQPTLS: Sendable, Hashable {
    /// The PEM file of the certificate authorities to trust.
    public var authorities = "/etc/ssl/certs/ca-certificates.crt"
    /// The PEM file of this process's certificate chain. It needs ``key`` too.
    public var certificate: String?
    /// The PEM file of this process's private key, not encrypted.
    public var key: String?
    /// Whether one of ``authorities`` must have signed the broker's certificate.
    public var verifiesPeer = true
    /// Whether the broker's certificate must contain the host name of the connection.
    public var verifiesHostName = true

    public init() {}
}

extension AMQPConfiguration: CustomStringConvertible, CustomDebugStringConvertible {
    public var description: String {
        let places = nodes.map(\.description).joined(separator: ",")
        return "\(tls == nil ? "amqp" : "amqps")://\(user):***@\(places)/\(virtualHost == "/" ? "" : virtualHost)"
    }
    public var debugDescription: String { description }
}
