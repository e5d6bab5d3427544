/// Everything that keeps a private RabbitMQ node apart from every other: its own names, ports, folders and user.
struct BrokerSettings: Sendable {
    let folder: String
    let home: String
    let path: String
    let password: String
    /// AMQP.
    let port: UInt16
    /// Erlang's own protocol, which `rabbitmqctl` speaks.
    let nodePort: UInt16
    /// `epmd`, which maps the node's name to its port.
    let namePort: UInt16

    /// Nil for a node alone.
    var member: ClusterMember?

    /// Nil for a node without a TLS listener.
    var tls: TLSListener?

    static let user = "tidings"

    /// Marks every process of this home; ``Leftovers`` finds them by it.
    static let homeVariable = "TIDINGS_SERVERS_HOME"

    /// The whole environment of the node and of `rabbitmqctl`. Nothing of the system's configuration is read.
    var environment: [String: String] {
        [
            "PATH": path,
            "LANG": "C.UTF-8",
            Self.homeVariable: home,
            // The cookie that lets rabbitmqctl in is kept in HOME.
            "HOME": member?.cookieFolder ?? folder,
            "RABBITMQ_NODENAME": member?.nodeName ?? "tidings@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": "\(port)",
            "RABBITMQ_DIST_PORT": "\(nodePort)",
            "ERL_EPMD_PORT": "\(namePort)",
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_CONFIG_FILE": configurationFile,
            "RABBITMQ_CONF_ENV_FILE": "\(folder)/no-environment-file",
            "RABBITMQ_ADVANCED_CONFIG_FILE": "\(folder)/no-advanced.config",
            "RABBITMQ_ENABLED_PLUGINS_FILE": pluginsFile,
            "RABBITMQ_MNESIA_BASE": "\(folder)/data",
            "RABBITMQ_LOG_BASE": "\(folder)/log",
            "RABBITMQ_PID_FILE": "\(folder)/node.pid",
            "RABBITMQ_LOG": "-color",
            // The script then becomes the node instead of standing between us and it, and the node handles SIGTERM itself.
            "RUNNING_UNDER_SYSTEMD": "true",
            // Erlang's own port on loopback too, and no register of names beside ours.
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": Self.loopbackOnly,
            "ERL_INETRC": namesFile,
            "RABBITMQ_CTL_ERL_ARGS": Self.loopbackOnly,
            // A killed node leaves no dump of a gigabyte behind.
            "ERL_CRASH_DUMP_SECONDS": "0",
        ]
    }

    /// Writes the files the environment names.
    func write() throws(PrivateServersError) {
        try PrivateFile.write("[].\n", to: pluginsFile)
        // The system's resolver would be a helper process, which Erlang orphans when it stops.
        try PrivateFile.write("{lookup, [file]}.\n", to: namesFile)
        try PrivateFile.write(configuration, to: configurationFile)
    }

    private static let loopbackOnly = "-start_epmd false -kernel inet_dist_use_interface {127,0,0,1}"

    private var configurationFile: String { "\(folder)/rabbitmq.conf" }
    private var pluginsFile: String { "\(folder)/enabled_plugins" }
    private var namesFile: String { "\(folder)/inetrc" }

    /// `default_user` and `default_pass` count on the first start only, when the node makes its database; there is no guest then.
    /// The largest message is 8 MiB, far below RabbitMQ's 128 MiB: a broker that holds a body in memory several times over must
    /// not be brought down by one. The disk alarm is absolute: the default of 50 MB is too late for quorum queues' logs.
    private var configuration: String {
        """
        default_user = \(Self.user)
        default_pass = \(password)
        max_message_size = 8388608
        disk_free_limit.absolute = 200MB
        log.file = false
        log.console = true
        log.console.level = info
        \(member?.formation ?? "")
        \(tls?.configuration ?? "")

        """
    }
}
