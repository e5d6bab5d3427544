import Glibc
import Synchronization

/// The private RabbitMQ node with an `epmd` of its own. `epmd` is Erlang's register of node names; a shared `epmd` would tie this node to
/// the system's broker. Every call blocks its thread.
final class PrivateBroker: Sendable {
    let port: UInt16
    /// The port of TLS; nil without a certificate.
    let tlsPort: UInt16?
    private let folder: String
    private let tools: ServerTools
    private let settings: BrokerSettings
    private let log: String
    private let nameLog: String
    private let claims: [PortClaim]
    private let processes = Mutex(Processes())

    /// The register of names and the node.
    private struct Processes {
        var names: ChildProcess?
        var node: ChildProcess?
    }

    /// Chooses the ports. `member` makes the node a member of a cluster. `certificate` adds a TLS listener.
    init(
        layout: ServersLayout, tools: ServerTools, member: ClusterMember? = nil, certificate: BrokerCertificate? = nil
    ) throws(PrivateServersError) {
        folder = member.map { "\(layout.home)/\($0.name)" } ?? layout.brokerFolder
        self.tools = tools
        log = "\(layout.logFolder)/\(member?.name ?? "rabbitmq").log"
        nameLog = "\(layout.logFolder)/epmd.log"
        let own = try LoopbackPort.kept(in: "\(folder)/port")
        let node = try LoopbackPort.kept(in: "\(folder)/node-port")
        port = own.port
        var claims = [own, node]
        let (password, namePort): (String, UInt16)
        if let member {
            (password, namePort) = (member.password, member.namePort)
        } else {
            let names = try LoopbackPort.kept(in: "\(folder)/name-port")
            (password, namePort) = (try PrivateFile.secret("\(folder)/password"), names.port)
            claims.append(names)
        }
        var listener: TLSListener?
        if let certificate {
            let claim = try LoopbackPort.kept(in: "\(folder)/tls-port")
            listener = TLSListener(port: claim.port, certificate: certificate)
            claims.append(claim)
        }
        tlsPort = listener?.port
        self.claims = claims
        settings = BrokerSettings(
            folder: folder, home: layout.home, path: tools.path, password: password, port: port, nodePort: node.port, namePort: namePort,
            member: member, tls: listener)
    }

    var processIDs: [pid_t] {
        processes.withLock { [$0.names?.processID, $0.node?.processID].compactMap { $0 } }
    }

    func url(virtualHost: String) -> String {
        let suffix = virtualHost == "/" ? "" : virtualHost
        return "amqp://\(BrokerSettings.user):\(settings.password)@127.0.0.1:\(port)/\(suffix)"
    }

    /// Starts the node and returns when the node speaks AMQP. Does nothing if the node is running.
    func start(abandoned: Flag) throws(PrivateServersError) {
        let result = processes.withLock { processes -> Result<Void, PrivateServersError> in
            if let node = processes.node, node.exit(within: .zero) == nil { return .success(()) }
            do throws(PrivateServersError) {
                try settings.write()
                if settings.member == nil {
                    try PrivateFile.write(settings.script(running: "\(tools.rabbitFolder)/rabbitmqctl"), to: "\(settings.home)/rabbitmqctl")
                }
                if processes.names?.exit(within: .zero) != nil { processes.names = nil }
                if processes.names == nil, settings.member?.ownsNames != false { processes.names = try startNames(abandoned) }
                let node = try ChildProcess.start(command("\(tools.rabbitFolder)/rabbitmq-server"), log: log)
                processes.node = node
                let (port, tlsPort) = (port, tlsPort)
                try Readiness(server: "RabbitMQ", log: log, limit: Self.startLimit, abandoned: abandoned).wait(for: node) {
                    LoopbackPort.speaksAMQP(port) && (tlsPort.map(LoopbackPort.accepts) ?? true)
                }
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Whether the node was started and has ended without a call of ``stop()`` or ``kill()``.
    var endedByItself: Bool { processes.withLock { $0.node?.exit(within: .zero) != nil } }

    /// Shuts the node down and returns when it has ended. `epmd` keeps running for the next start.
    func stop() {
        processes.withLock { processes in
            processes.node?.end(with: SIGTERM, patience: Self.stopLimit)
            processes.node = nil
        }
    }

    /// Ends `epmd`. Call this after the node has stopped: a running node would lose its name.
    func stopNames() {
        processes.withLock { processes in
            processes.names?.end(with: SIGTERM, patience: Self.stopLimit)
            processes.names = nil
        }
    }

    /// Releases the ports. Call this after the last stop.
    func releasePorts() {
        for claim in claims { claim.release() }
    }

    func kill() {
        processes.withLock { processes in
            processes.node?.end(with: SIGKILL, patience: Self.stopLimit)
            processes.node = nil
        }
    }

    func pause() { processes.withLock { $0.node?.freeze() } }

    func resume() { processes.withLock { $0.node?.signal(SIGCONT) } }

    /// Runs `rabbitmqctl` and returns its standard output. A node accepts connections shortly before it counts as running, and refuses
    /// commands until then. Such a command is repeated.
    func control(_ arguments: [String], within limit: Duration = toolLimit) throws(PrivateServersError) -> String {
        let deadline = ContinuousClock.now + limit
        while true {
            do throws(PrivateServersError) {
                return try command("\(tools.rabbitFolder)/rabbitmqctl", arguments).succeed(within: limit)
            } catch {
                guard "\(error)".contains("requires the 'rabbit' app to be running"), ContinuousClock.now < deadline else { throw error }
            }
        }
    }

    /// Makes all virtual hosts with one import of definitions, because each run of `rabbitmqctl` costs a second.
    func makeVirtualHosts(_ names: [String]) throws(PrivateServersError) {
        guard !names.isEmpty else { return }
        for name in names {
            let isPlain = name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
                default: false
                }
            }
            guard isPlain, !name.isEmpty else { throw .badName(name) }
        }
        let hosts = names.map { "{\"name\":\"\($0)\"}" }
        let rights = names.map {
            "{\"user\":\"\(BrokerSettings.user)\",\"vhost\":\"\($0)\",\"configure\":\".*\",\"write\":\".*\",\"read\":\".*\"}"
        }
        let file = "\(folder)/definitions-\(UInt64.random(in: 0 ... .max)).json"
        try PrivateFile.write(
            "{\"vhosts\":[\(hosts.joined(separator: ","))],\"permissions\":[\(rights.joined(separator: ","))]}",
            to: file
        )
        let limit = Self.toolLimit + Self.hostLimit * names.count
        let outcome = Result { () throws(PrivateServersError) in try control(["-q", "import_definitions", file], within: limit) }
        try PrivateFile.remove(file)
        _ = try outcome.get()
    }

    /// Starts `epmd` in the foreground, as a child of this process. An `epmd` that Erlang starts would never end.
    private func startNames(_ abandoned: Flag) throws(PrivateServersError) -> ChildProcess {
        let child = try ChildProcess.start(
            command(tools.epmd, ["-port", "\(settings.namePort)", "-address", settings.nameAddresses]),
            log: nameLog
        )
        let namePort = settings.namePort
        try Readiness(server: "epmd", log: nameLog, limit: Self.startLimit, abandoned: abandoned).wait(for: child) {
            LoopbackPort.accepts(namePort)
        }
        return child
    }

    private func command(_ executable: String, _ arguments: [String] = []) -> ChildCommand {
        ChildCommand(
            executable: executable,
            arguments: arguments,
            environment: settings.environment,
            folder: folder,
            wrappers: tools.wrappers
        )
    }

    /// A start takes 4 s on 2 idle cores, and many times that while compilers run.
    private static let startLimit = Duration.seconds(120)
    private static let stopLimit = Duration.seconds(20)
    private static let toolLimit = Duration.seconds(60)
    /// The time of one more virtual host: about 0.1 s on idle cores, and many times that while compilers run.
    private static let hostLimit = Duration.seconds(1)
}
