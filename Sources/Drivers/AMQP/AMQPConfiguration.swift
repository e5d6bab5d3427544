/// Where the broker is and how to talk to it.
public struct AMQPConfiguration: Sendable, Hashable {
    /// The nodes of the broker, one at least, in the order in which each attempt to connect tries them.
    public private(set) var nodes: [AMQPNode]
    public var user: String
    /// Never printed: ``description`` and every error leave it out.
    public var password: String
    public var virtualHost: String
    /// TLS settings; nil for a plain connection.
    public var tls: AMQPTLS?
    /// Whole seconds, at least one. Two silent intervals mean that the broker is gone. RabbitMQ recommends 5 to 20 s.
    public var heartbeat: Duration = .seconds(10)
    /// The most that opening the socket, then the login, then each later call may take. Resolving the host name comes on top: the
    /// resolver of the system keeps its own time.
    public var connectTimeout: Duration = .seconds(10)
    /// The largest frame in bytes, 4,096 or more. It also bounds the headers of one message.
    public var frameMaximum: Int = 128 << 10
    public var reconnect = ReconnectPolicy()

    public init(host: String, port: Int = 5672, user: String = "guest", password: String = "guest", virtualHost: String = "/") {
        self.init(nodes: [AMQPNode(host: host, port: port)], user: user, password: password, virtualHost: virtualHost)
    }

    init(nodes: [AMQPNode], user: String, password: String, virtualHost: String = "/") {
        precondition(!nodes.isEmpty, "a broker is at least one node")
        self.nodes = nodes
        self.user = user
        self.password = password
        self.virtualHost = virtualHost
    }

    /// Reads `amqp://user:password@host:port/vhost?heartbeat=10` (or `amqps://`), as in the RabbitMQ URI specification.
    ///
    /// Every part may be percent-encoded and all but the host may be left out; an absent or empty path is the virtual host `/`. Several
    /// nodes of one cluster are separated by commas, `amqp://user:password@one:5672,two,three/vhost`, ``maximumNodes`` at most: whoever
    /// cannot be reached, or is not up yet, is passed over.
    /// Parameters: `heartbeat` and `connect_timeout` in seconds, `frame_max` in bytes, and for TLS `cacertfile`, `certfile`, `keyfile`,
    /// `verify` (`verify_peer` or `verify_none`) and `server_name_indication` (only `disable` is known: it turns the host name check
    /// off). An unknown parameter is an error, so that a misspelt one is not silently ignored.
    public init(url: String) throws(AMQPError) {
        var parser = URLParser(url)
        self = try parser.parse()
    }

    /// The first of ``nodes``.
    public var host: String {
        get { nodes[0].host }
        set { nodes[0].host = newValue }
    }
    /// The port of the first of ``nodes``.
    public var port: Int {
        get { nodes[0].port }
        set { nodes[0].port = newValue }
    }

    /// Each node that hangs costs an attempt the connect timeout. A cluster of RabbitMQ rarely has more than seven.
    public static let maximumNodes = 16

    /// The heartbeat in the whole seconds that the protocol knows.
    var heartbeatSeconds: Int { max(1, Int(heartbeat.components.seconds)) }
}

/// Where one node of the broker listens.
public struct AMQPNode: Sendable, Hashable, CustomStringConvertible {
    public var host: String
    public var port: Int

    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    public var description: String { "\(host):\(port)" }
}

/// How to trust the broker, and how it may trust us.
///
/// TLS 1.2 is the least that is accepted. The certificate must name the host by a DNS name: librabbitmq 0.11 does not match IP addresses.
public struct AMQPTLS: Sendable, Hashable {
    /// PEM file of the authorities to trust.
    public var authorities = "/etc/ssl/certs/ca-certificates.crt"
    /// PEM file of our own certificate chain; goes with ``key``.
    public var certificate: String?
    /// PEM file of our own key, not encrypted.
    public var key: String?
    /// Whether the broker's certificate must be signed by one of ``authorities``.
    public var verifiesPeer = true
    /// Whether the broker's certificate must name the host that was dialled.
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
