/// The settings that separate a private RabbitMQ node from every other node: names, ports, folders and user of its own.
struct BrokerSettings: Sendable {
    let folder: String
    let home: String
    let path: String
    let password: String
    /// The port of AMQP.
    let port: UInt16
    /// The port of Erlang's own protocol, which `rabbitmqctl` uses.
    let nodePort: UInt16
    /// The port of `epmd`, which maps the node's name to its port.
    let namePort: UInt16

    /// The node's place in a cluster; nil for a single node.
    var member: ClusterMember?

    /// The TLS listener; nil for a node without one.
    var tls: TLSListener?

    static let user = "tidings"

    /// The environment variable that marks every process of this home. ``Leftovers`` finds the processes by this mark.
    static let homeVariable = "TIDINGS_SERVERS_HOME"

    /// The whole environment of the node and of `rabbitmqctl`. The system's configuration is not read.
    var environment: [String: String] {
        [
            "PATH": path,
            "LANG": "C.UTF-8",
            Self.homeVariable: home,
            // HOME contains the Erlang cookie, which `rabbitmqctl` needs to connect.
            "HOME": member?.cookieFolder ?? folder,
            "RABBITMQ_NODENAME": member?.nodeName ?? "tidings@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": "\(port)",
            "RABBITMQ_DIST_PORT": "\(nodePort)",
            "ERL_EPMD_PORT": "\(namePort)",
            "ERL_EPMD_ADDRESS": nameAddresses,
            "RABBITMQ_CONFIG_FILE": configurationFile,
            "RABBITMQ_CONF_ENV_FILE": "\(folder)/no-environment-file",
            "RABBITMQ_ADVANCED_CONFIG_FILE": "\(folder)/no-advanced.config",
            "RABBITMQ_ENABLED_PLUGINS_FILE": pluginsFile,
            "RABBITMQ_MNESIA_BASE": "\(folder)/data",
            "RABBITMQ_LOG_BASE": "\(folder)/log",
            "RABBITMQ_PID_FILE": "\(folder)/node.pid",
            "RABBITMQ_LOG": "-color",
            // The start script then becomes the node instead of running it as a child. The node handles SIGTERM itself.
            "RUNNING_UNDER_SYSTEMD": "true",
            // Erlang's own port listens on loopback too, and the node starts no second register of names.
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": member.map { "\(Self.noNames) \($0.distribution)" } ?? Self.loopbackOnly,
            "ERL_INETRC": namesFile,
            "RABBITMQ_CTL_ERL_ARGS": member.map { "\(Self.noNames) \($0.listening)" } ?? Self.loopbackOnly,
            // Write no crash dump: a killed node would leave a gigabyte behind.
            "ERL_CRASH_DUMP_SECONDS": "0",
        ]
    }

    /// Writes the files that the environment names.
    func write() throws(PrivateServersError) {
        try PrivateFile.write("[].\n", to: pluginsFile)
        // Do not use the system's resolver: Erlang runs it in a helper process and orphans that process when Erlang stops.
        try PrivateFile.write("{lookup, [file]}.\n" + (member?.hosts ?? ""), to: namesFile)
        try PrivateFile.write(configuration, to: configurationFile)
    }

    /// A shell script that runs a program of RabbitMQ with the whole ``environment``.
    func script(running program: String) -> String {
        let variables = environment.sorted { $0.key < $1.key }.map { "'\($0.key)=\($0.value)'" }.joined(separator: " ")
        return "# For the broker of this folder: sh rabbitmqctl list_queues\nexec env -i \(variables) \(program) \"$@\"\n"
    }

    /// The addresses at which `epmd` listens, separated by commas.
    var nameAddresses: String { (["127.0.0.1"] + (member?.addresses ?? [])).joined(separator: ",") }

    private static let noNames = "-start_epmd false"
    private static let loopbackOnly = "\(noNames) -kernel inet_dist_use_interface {127,0,0,1}"

    private var configurationFile: String { "\(folder)/rabbitmq.conf" }
    private var pluginsFile: String { "\(folder)/enabled_plugins" }
    private var namesFile: String { "\(folder)/inetrc" }

    /// `default_user` and `default_pass` count on the first start only, when the node makes its database. The node then has no user
    /// `guest`.
    ///
    /// The largest message is 8 MiB, far below RabbitMQ's 128 MiB. A broker holds a body in memory several times, and one message must not
    /// bring the broker down. The disk alarm is absolute, because the default of 50 MB is too late for the logs of quorum queues.
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
