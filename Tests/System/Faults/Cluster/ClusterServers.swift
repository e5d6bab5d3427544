import Foundation
import PrivateServers
import Synchronization
import Testing
import TidingsTestSupport

/// Three brokers, a primary with its standby, and PgBouncer if a schedule needs it, with the faults that a schedule can inject.
actor ClusterServers {
    /// The queue whose leader dies in a schedule.
    private static let intake = "tidings.intents.urgent"
    /// The time in which clients leave a node that closed their connections.
    private static let gathering = Duration.seconds(60)
    /// The sessions that PgBouncer opens for the database, before and after the reload.
    private static let (sessions, fewerSessions) = (30, 20)
    /// The login of the processes, as Operating.md says.
    private static let (login, password) = ("worker", "secret")

    nonisolated let brokers: PrivateCluster
    nonisolated let databases: PrivateReplication
    /// The link from the standby to its primary.
    private nonisolated let link: FaultProxy
    private nonisolated let pooler: PgBouncer?
    private nonisolated let disk: MountedDisk?

    /// The nodes that are down.
    private var down: Set<Int> = []
    private var cut: NetworkCut?
    private var paused: Int?
    /// The nodes that accept no connections of clients.
    private var closed: Set<Int> = []

    private init(brokers: PrivateCluster, databases: PrivateReplication, link: FaultProxy, pooler: PgBouncer?, disk: MountedDisk?) {
        (self.brokers, self.databases, self.link, self.pooler, self.disk) = (brokers, databases, link, pooler, disk)
    }

    /// Starts the servers that a schedule needs. Takes about 25 s on 2 cores.
    static func start(for schedule: ClusterSchedule, in folder: String) async throws -> ClusterServers {
        let home = "\(folder)/databases"
        let disk = schedule.hasDisk ? try await MountedDisk(at: "\(home)/\(PrivateReplication.Member.first)/postgresql") : nil
        let brokers = try await PrivateCluster.start(home: "\(folder)/cluster", options: schedule.options)
        do {
            let databases = try await PrivateReplication.start(home: home)
            do {
                let link = try FaultProxy(to: Int(databases.ports[0]))
                guard let port = UInt16(exactly: link.port) else { throw TestSystemError(message: "port \(link.port) is none") }
                try await databases.addStandby(through: port, isSynchronous: schedule.isSynchronous)
                try await databases.query("create role \(login) login password '\(password)'", on: .first)
                let pooler = schedule.usesPooler ? try PgBouncer(before: workerURL(of: .first, databases), sessions: sessions) : nil
                return ClusterServers(brokers: brokers, databases: databases, link: link, pooler: pooler, disk: disk)
            } catch {
                try? await databases.stop()
                throw error
            }
        } catch {
            try? await brokers.stop()
            await disk?.unmount()
            throw error
        }
    }

    /// Ends everything and undoes every change of the machine.
    func stop() async throws {
        await heal()
        link.close()
        await pooler?.kill()
        let stopped = await Result.of { try await databases.stop() }
        let ended = await Result.of { try await brokers.stop() }
        await disk?.unmount()
        try stopped.get()
        try ended.get()
    }

    /// The URL for the roles: both servers, or PgBouncer.
    nonisolated var workerURL: String { pooler?.url(insteadOf: databases.url(of: .first)) ?? operatorURL }
    /// The URL for commands of an operator, who has no more rights than a process has.
    nonisolated var operatorURL: String { databases.databaseURL(user: Self.login, password: Self.password) }

    private static func workerURL(of member: PrivateReplication.Member, _ databases: PrivateReplication) -> String {
        "postgres://\(login):\(password)@127.0.0.1:\(databases.ports[member.rawValue])/"
    }

    /// Gives the login its rights. Call this after the migration.
    func grant() async throws { try await databases.query("grant tidings_run to \(Self.login)", on: .first) }

    // MARK: Brokers

    func killLeader() async throws { try await kill(try await leaders()[Self.intake] ?? 0) }

    /// Kills the node with the most connections.
    func killBusiest() async throws {
        let counts = try await connections()
        try await kill(counts.indices.max { counts[$0] < counts[$1] } ?? 0)
    }

    private func kill(_ node: Int) async throws {
        try await brokers.killNode(node)
        down.insert(node)
    }

    func stop(nodes: [Int]) async throws {
        for node in nodes {
            try await brokers.stopNode(node)
            down.insert(node)
        }
    }

    /// Starts every node that is down.
    func startNodes() async throws {
        try await brokers.startNodes(down.sorted())
        down = []
    }

    /// Returns when no queue needs every node that is up. Only then may a node be stopped.
    func awaitNoCriticalNode() async throws {
        let isSafe = try await reached(within: Self.gathering, every: .milliseconds(500)) {
            try await self.eval("length(rabbit_quorum_queue:list_with_minimum_quorum()).", on: self.anyNode) == "0"
        }
        guard isSafe else { throw TestSystemError(message: "queues need every node that is up") }
    }

    /// Brings all clients to one node: the other nodes close their connections and accept none until ``admit()``.
    func gather(on node: Int) async throws {
        let others = brokers.ports.indices.filter { $0 != node }
        // A connection that ends meanwhile is none to close.
        let leave = """
            rabbit_maintenance:suspend_all_client_listeners(),
            [catch rabbit_reader:shutdown(Client, "go to another node") || Client <- rabbit_networking:local_connections()].
            """
        for other in others {
            _ = try await eval(leave, on: other)
            closed.insert(other)
        }
        let isGathered = try await reached(within: Self.gathering, every: .milliseconds(500)) {
            let counts = try await self.connections()
            return counts[node] > 0 && others.allSatisfy { counts[$0] == 0 }
        }
        guard isGathered else { throw TestSystemError(message: "clients stay on other nodes: \(try await connections())") }
    }

    /// Lets every node accept clients again.
    func admit() async throws {
        for node in closed { _ = try await eval("rabbit_maintenance:resume_all_client_listeners().", on: node) }
        closed = []
    }

    /// Cuts a node off from the other nodes. If this machine allows no rules, freezes the node instead. Its clients then get no answers at
    /// all.
    func cutOff(_ node: Int) async throws {
        if let program = await NetworkCut.program() {
            let others = brokers.addresses.indices.filter { $0 != node }.map { brokers.addresses[$0] }
            cut = try await NetworkCut(between: brokers.addresses[node], and: others, with: program)
        } else {
            try await brokers.pauseNode(node)
            paused = node
        }
    }

    func heal() async {
        await cut?.heal()
        cut = nil
        if let node = paused { try? await brokers.resumeNode(node) }
        paused = nil
    }

    /// Runs a command of `rabbitmqctl` for each of the nodes.
    func rabbitmqctl(_ nodes: [Int], _ arguments: [String]) async throws {
        for node in nodes { try await brokers.rabbitmqctl(node: node, arguments) }
    }

    /// The queues that keep a message although nothing is to be done.
    private static let queuesWithoutWork: Set<Substring> = ["tidings.doctor", "tidings.timelines"]

    /// The messages in all queues that a process consumes, with those that a client holds.
    func messagesLeft() async throws -> Int {
        let lines = try await brokers.rabbitmqctl(node: anyNode, ["-q", "list_queues", "--no-table-headers", "name", "messages"])
        return lines.split(separator: "\n").reduce(0) { sum, line in
            let fields = line.split(separator: "\t")
            guard fields.count == 2, !Self.queuesWithoutWork.contains(fields[0]) else { return sum }
            return sum + (Int(fields[1]) ?? 0)
        }
    }

    /// The position of the leader of each queue.
    func leaders() async throws -> [String: Int] {
        let lines = try await brokers.rabbitmqctl(node: anyNode, ["-q", "list_queues", "--no-table-headers", "name", "leader"])
        return lines.split(separator: "\n").reduce(into: [:]) { leaders, line in
            let fields = line.split(separator: "\t")
            // tidings-2@node-2
            guard fields.count == 2, let number = fields[1].split(separator: "-").last.flatMap({ Int($0) }) else { return }
            leaders[String(fields[0])] = number - 1
        }
    }

    /// The number of connections of each node.
    func connections() async throws -> [Int] {
        let lines = try await brokers.rabbitmqctl(node: anyNode, ["-q", "list_connections", "--no-table-headers", "port"])
        let ports = lines.split(separator: "\n").compactMap { UInt16($0) }
        return brokers.ports.map { port in ports.count { $0 == port } }
    }

    /// The connections of each node by name, such as `tidings intents`. Without those of commands and of the producer, which come and go, and
    /// without the witness of a process, which looks from another node each minute.
    func connectionsOfRoles() async throws -> [[String: Int]] {
        // RabbitMQ 3.10 lists the name among the properties of the client, and has no column for it.
        let columns = ["-q", "list_connections", "--no-table-headers", "port", "client_properties"]
        let lines = try await brokers.rabbitmqctl(node: anyNode, columns).split(separator: "\n")
        let fields = lines.compactMap { line -> (port: UInt16, name: Substring)? in
            let parts = line.split(separator: "\t", maxSplits: 1)
            guard parts.count == 2, let port = UInt16(parts[0]) else { return nil }
            return (port, parts[1].firstMatch(of: /"connection_name","([^"]*)"/)?.1 ?? "")
        }
        let others = ["tidings doctor", "tidings control", "tidings witness", "tidings producer"]
        return brokers.ports.map { port in
            fields.reduce(into: [:]) { counts, fields in
                guard fields.port == port, !others.contains(where: fields.name.hasPrefix) else { return }
                counts[String(fields.name), default: 0] += 1
            }
        }
    }

    /// Whether a node knows of a partition that is not healed.
    func isPartitioned(_ node: Int) async throws -> Bool { try await eval("rabbit_node_monitor:partitions().", on: node) != "[]" }

    /// Whether RabbitMQ runs on a node, and has not paused itself.
    func isServing(_ node: Int) async throws -> Bool { try await eval("rabbit:is_running().", on: node) == "true" }

    /// Returns when each node counts all of them as its cluster, without an operator.
    func awaitWhole() async throws {
        // A node that has paused itself starts again some seconds after the network is back.
        let areServing = try await reached(within: Self.gathering, every: .seconds(1)) {
            for node in self.brokers.ports.indices where try await !self.isServing(node) { return false }
            return true
        }
        guard areServing else { throw TestSystemError(message: "a node has not started again by itself") }
        for node in brokers.ports.indices {
            try await brokers.rabbitmqctl(node: node, ["await_online_nodes", "\(brokers.ports.count)", "--timeout", "60"])
        }
    }

    private var anyNode: Int { brokers.ports.indices.first { !down.contains($0) } ?? 0 }

    private func eval(_ expression: String, on node: Int) async throws -> String {
        try await brokers.rabbitmqctl(node: node, ["eval", expression]).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    // MARK: Databases

    /// Makes the standby the primary.
    func promote() async throws {
        // A promoted server no longer reads from the link. Bytes that stood in the link are gone, as on a network.
        link.thaw()
        try await databases.promote(.second)
    }

    /// Holds everything that the primary sends to its standby.
    nonisolated func stallReplication() { link.stall() }

    /// Takes the standby out of `synchronous_standby_names`, so that commits no longer wait.
    func goOnWithoutStandby() async throws {
        try await databases.query("ALTER SYSTEM SET synchronous_standby_names = ''", on: .first)
        try await databases.query("SELECT pg_reload_conf()", on: .first)
    }

    /// The sessions that wait for the standby.
    func waits() async throws -> Int { try await endWaits(by: "") }

    /// Ends the wait for the standby in every session that waits, by `pg_cancel_backend` or `pg_terminate_backend`. Returns their number. Without
    /// a function it only counts them.
    func endWaits(by function: String) async throws -> Int {
        let count = try await databases.query(
            "select count(\(function)(pid)) from pg_stat_activity where wait_event = 'SyncRep' and backend_type = 'client backend'",
            on: .first)
        return Int(count.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    }

    /// The sessions of clients at the first server.
    func sessions() async throws -> Int {
        let count = try await databases.query(
            "select count(*) from pg_stat_activity where backend_type = 'client backend' and datname = 'tidings'", on: .first)
        return Int(count.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    }

    nonisolated func fillDisk() throws { try disk?.disk.fill() }

    /// Frees the disk, and starts the first server if it has ended for want of room.
    func freeDisk() async throws {
        try disk?.disk.makeRoom()
        try await databases.start(.first)
    }

    func needPooler() throws -> PgBouncer {
        guard let pooler else { throw TestSystemError(message: "this schedule asked for no PgBouncer") }
        return pooler
    }

    func reloadPooler() async throws { try await needPooler().set(sessions: Self.fewerSessions) }

    /// Makes PgBouncer use the second server.
    func pointPooler() async throws {
        try await needPooler().set(serverURL: Self.workerURL(of: .second, databases), sessions: Self.sessions)
    }
}

/// A file system for the first server's data, unmounted when this process ends in any way.
private struct MountedDisk: Sendable {
    let disk: DataDisk
    private let will: LastWill

    init(at path: String) async throws {
        disk = DataDisk(at: path)
        will = try LastWill("umount -l '\(path)' 2>/dev/null")
        try await disk.mount()
    }

    func unmount() async { await will.carryOut() }
}

extension Result where Success == Void, Failure == any Error {
    /// The result of a call, so that a later step runs whatever the call did.
    fileprivate static func of(_ body: () async throws -> Void) async -> Self {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}
