/// A private PostgreSQL primary and its standby by streaming replication, both on loopback. For tests of everything that must survive a
/// failover.
///
/// Ports and data stay the same through every fault. If this process dies without ``stop()``, the kernel asks both servers to shut down.
public actor PrivateReplication {
    /// The two servers, by their place in ``databaseURL``.
    public enum Member: Int, Sendable, CaseIterable {
        /// The primary of the start, and the first host of the URL.
        case first
        /// The standby of the start.
        case second
    }

    /// The application name of the standby's sessions, for `synchronous_standby_names`.
    public static let standbyName = "second"

    /// The URL with both servers as hosts. A session goes to the first of them that takes writes.
    public nonisolated let databaseURL: String
    /// The ports of both servers, in order.
    public nonisolated let ports: [UInt16]

    private let servers: [PrivatePostgres]
    private let layouts: [ServersLayout]
    private let locks: [HomeLock]

    private init(servers: [PrivatePostgres], layouts: [ServersLayout], locks: [HomeLock]) {
        self.servers = servers
        self.layouts = layouts
        self.locks = locks
        ports = servers.map(\.port)
        databaseURL = Self.url(ports: servers.map(\.port), as: PrivatePostgres.user, servers[0].password)
    }

    /// Starts the first server and returns when it answers. ``addStandby(through:)`` then starts the second server.
    ///
    /// - Parameter home: a folder of the pair's own, made if missing. The data of a server is below `first/postgresql` or
    ///   `second/postgresql`.
    public static func start(home: String) async throws(PrivateServersError) -> PrivateReplication {
        try await OwnThread.run { () throws(PrivateServersError) in
            let tools = try ServerTools.find(in: .ofThisMachine())
            var (servers, layouts, locks): ([PrivatePostgres], [ServersLayout], [HomeLock]) = ([], [], [])
            for member in Member.allCases {
                try Folder.make("\(home)/\(member)")
                let layout = ServersLayout(home: "\(home)/\(member)")
                locks.append(try HomeLock(layout))
                try Leftovers(layout).end(patience: Leftovers.ownShutdownTime)
                try Folder.make(layout.logFolder)
                servers.append(
                    try PrivatePostgres(
                        layout: layout, folder: try PostgresFolder.prepare(layout, fresh: false), tools: tools, settings: settings,
                        password: servers.first?.password))
                layouts.append(layout)
            }
            try servers[0].start(abandoned: Flag())
            return PrivateReplication(servers: servers, layouts: layouts, locks: locks)
        }
    }

    /// Copies the first server's data and starts the second server. Returns when the second server follows the first.
    ///
    /// - Parameters:
    ///   - port: a port of 127.0.0.1 that forwards to the first server. The standby reaches its primary there, for ever.
    ///   - isSynchronous: whether each commit waits for the standby.
    public func addStandby(through port: UInt16, isSynchronous: Bool) async throws(PrivateServersError) {
        let (first, second) = (servers[0], servers[1])
        try await OwnThread.run { () throws(PrivateServersError) in
            try second.copyData(of: first, through: port, as: Self.standbyName)
            try second.start(abandoned: Flag())
            try first.awaitStreams(1)
            if isSynchronous { try first.require(standby: Self.standbyName) }
        }
    }

    /// Makes a server that was stopped a synchronous standby of the other server: the server gets a new copy of the data. Returns when every
    /// commit waits for it.
    public func rejoin(_ member: Member) async throws(PrivateServersError) {
        let (returning, primary) = (servers[member.rawValue], servers[1 - member.rawValue])
        let name = "\(member)"
        try await OwnThread.run { () throws(PrivateServersError) in
            try returning.removeData()
            try returning.copyData(of: primary, through: primary.port, as: name)
            try returning.start(abandoned: Flag())
            try primary.awaitStreams(1)
            try primary.require(standby: name)
        }
    }

    /// ``databaseURL`` for another user. Names and passwords have only letters and digits.
    public nonisolated func databaseURL(user: String, password: String) -> String { Self.url(ports: ports, as: user, password) }

    /// The URL of one server, which need not be the primary.
    public nonisolated func url(of member: Member) -> String { servers[member.rawValue].url }

    /// Kills a server with all of its processes, as the loss of its machine does.
    public func kill(_ member: Member) async throws(PrivateServersError) {
        try await on(member) { server in server.kill() }
    }

    /// Shuts a server down: it ends all sessions, writes everything to disk, and sends everything to a standby that follows it.
    public func stop(_ member: Member) async throws(PrivateServersError) {
        try await on(member) { server in server.stop(immediate: false) }
    }

    /// Starts a server again, as what its data says: a primary or a standby. Returns when the server answers. Does nothing if it runs.
    public func start(_ member: Member) async throws(PrivateServersError) {
        try await on(member) { server throws(PrivateServersError) in try server.start(abandoned: Flag()) }
    }

    /// Makes a standby the primary. Returns when it takes writes.
    public func promote(_ member: Member) async throws(PrivateServersError) {
        try await on(member) { server throws(PrivateServersError) in try server.promote() }
    }

    /// Runs one statement as the superuser in the database `postgres` of a server and returns the rows, with `|` between columns.
    @discardableResult
    public func query(_ statement: String, on member: Member) async throws(PrivateServersError) -> String {
        try await on(member) { server throws(PrivateServersError) in try server.psql(statement) }
    }

    /// Shuts both servers down. Returns when none of their processes is left. The data stays.
    public func stop() async throws(PrivateServersError) {
        let (servers, layouts, locks) = (servers, layouts, locks)
        try await OwnThread.run { () throws(PrivateServersError) in
            // The standby first: a primary that ends waits for a standby that follows it.
            for server in servers.reversed() { server.stop(immediate: true) }
            for layout in layouts { try Leftovers(layout).end(patience: .zero) }
            for server in servers { server.releasePort() }
            for lock in locks { lock.release() }
        }
    }

    private func on<Value: Sendable>(
        _ member: Member, _ body: @escaping @Sendable (PrivatePostgres) throws(PrivateServersError) -> Value
    ) async throws(PrivateServersError) -> Value {
        let server = servers[member.rawValue]
        return try await OwnThread.run { () throws(PrivateServersError) in try body(server) }
    }

    private static func url(ports: [UInt16], as user: String, _ password: String) -> String {
        let places = ports.map { "127.0.0.1:\($0)" }.joined(separator: ",")
        return "postgres://\(user):\(password)@\(places)/\(PrivatePostgres.databaseName)?target_session_attrs=read-write"
    }

    /// The log stays for a standby that is away for minutes, beyond checkpoints. A standby tries again twice a second.
    private static let settings = ["wal_keep_size=1GB", "wal_retrieve_retry_interval=500ms"]
}
