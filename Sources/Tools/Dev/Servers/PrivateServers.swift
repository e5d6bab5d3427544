import Synchronization

/// A private PostgreSQL and a private RabbitMQ for one checkout. Both run on loopback, on free ports, with data, passwords and logs of
/// their own.
///
/// For development, tests and the demo. System servers are never touched. Only processes that were started from the same home are ever
/// ended.
///
/// - A second start in the same home keeps the data. Two homes run side by side. One home serves one owner at a time
///   (``PrivateServersError/homeInUse(home:processID:)``).
/// - If this process dies without ``stop()``, even by `kill -9`, the kernel asks both servers to shut down. The next start ends any
///   remaining process before it touches the data.
/// - All waiting happens on threads of this library. Swift's cooperative pool is never blocked.
public actor PrivateServers {
    /// The paths of everything that belongs to these servers.
    public nonisolated let layout: ServersLayout

    /// A `postgres://` URL with user, password and database `tidings`. The user is a superuser of this private server. The URL stays the
    /// same while these servers run, through every fault below.
    public nonisolated let databaseURL: String

    /// An `amqp://` URL with user and password and the virtual host `/`. The user is an administrator of this private broker. The URL stays
    /// the same while these servers run, through every fault below.
    public nonisolated let amqpURL: String

    nonisolated let broker: PrivateBroker
    nonisolated let database: PrivatePostgres
    nonisolated let lock: HomeLock
    /// The lines of the environment file.
    private var environment: [String]
    /// The claims on the ports of ``keptPort(for:)``.
    private var claims: [PortClaim] = []

    init(layout: ServersLayout, broker: PrivateBroker, database: PrivatePostgres, lock: HomeLock) {
        self.layout = layout
        self.broker = broker
        self.database = database
        self.lock = lock
        databaseURL = database.url
        amqpURL = broker.url(virtualHost: "/")
        environment = ["TIDINGS_AMQP_URL=\(amqpURL)", "TIDINGS_DATABASE_URL=\(databaseURL)"] + database.environment
    }

    /// Starts both servers at once and returns when both answer. ``announce(_:)`` then writes the environment file.
    ///
    /// The first start makes the data and takes about 5 seconds on 2 cores. If the start fails, or if the task is cancelled
    /// (``PrivateServersError/cancelled``), every started server is stopped before the call throws.
    ///
    /// - Parameters:
    ///   - home: folder for everything, made if missing, usually `.tidings`.
    ///   - fresh: deletes the data of an earlier start first.
    ///   - say: receives progress, one line a call without a newline, from any thread.
    public static func start(
        home: String,
        fresh: Bool = false,
        say: @escaping @Sendable (String) -> Void
    ) async throws(PrivateServersError) -> PrivateServers {
        try await start(home: home, fresh: fresh, folders: .ofThisMachine(), say: say)
    }

    /// Starts both servers as ``start(home:fresh:say:)`` does, with the tools from `folders`. Tests leave some tools out.
    static func start(
        home: String,
        fresh: Bool,
        folders: ToolFolders,
        say: @escaping @Sendable (String) -> Void
    ) async throws(PrivateServersError) -> PrivateServers {
        let abandoned = Flag()
        let result = await withTaskCancellationHandler {
            await OwnThread.result { () throws(PrivateServersError) in
                try Startup(home: home, fresh: fresh, folders: folders, say: say, abandoned: abandoned).run()
            }
        } onCancel: {
            abandoned.raise()
        }
        return try result.get()
    }

    /// Adds lines `NAME=value` to the environment file, before it is written.
    func addToEnvironment(_ lines: [String]) { environment += lines }

    /// Writes the environment file in one step, with further lines `NAME=value`. Call this once, when everything listens that the file
    /// names: scripts wait for the file. It is deleted when the servers stop.
    public func announce(_ lines: [String] = []) throws(PrivateServersError) {
        addToEnvironment(lines)
        try PrivateFile.write(environment.map { $0 + "\n" }.joined(), to: layout.environmentFile)
    }

    /// Returns the port of an earlier start in the same home, or a new one if that port is not free. For a server of the caller beside these
    /// servers. No other private servers choose the port until ``stop()``.
    public func keptPort(for name: String) async throws(PrivateServersError) -> UInt16 {
        let file = layout.portFile(of: name)
        let claim = try await OwnThread.run { () throws(PrivateServersError) in try LoopbackPort.kept(in: file) }
        claims.append(claim)
        return claim.port
    }

    /// Returns the name, for people, of a server that has ended without a call of ``stop()``. Returns nil while both servers run or are
    /// stopped.
    public func endedByItself() async -> String? {
        let (broker, database) = (broker, database)
        let result = await OwnThread.result { () throws(PrivateServersError) -> String? in
            database.endedByItself ? "PostgreSQL" : broker.endedByItself ? "RabbitMQ" : nil
        }
        return try? result.get()
    }

    /// The main processes of each server, for measurements: the broker's node and its name server, and PostgreSQL's postmaster.
    public nonisolated var processIDs: (broker: [Int32], database: [Int32]) {
        (broker.processIDs, [database.processID].compactMap { $0 })
    }

    /// Shuts both servers down, returns when none of their processes is left, and removes the environment file. The data stays.
    ///
    /// Works in a cancelled task too. A server that does not stop when asked is killed: RabbitMQ and PostgreSQL both recover from that.
    /// Calling this again does nothing.
    /// - Throws: ``PrivateServersError/didNotStop(processIDs:)`` if a process survives even that.
    public func stop() async throws(PrivateServersError) {
        let (layout, broker, database, lock) = (layout, broker, database, lock)
        try await OwnThread.run { () throws(PrivateServersError) in
            try Startup.stop(layout: layout, broker: broker, database: database, lock: lock)
        }
        for claim in claims { claim.release() }
    }
}

/// A flag that can only be raised, shared between threads.
final class Flag: Sendable {
    private let raised = Atomic(false)

    var isRaised: Bool { raised.load(ordering: .acquiring) }

    func raise() { raised.store(true, ordering: .releasing) }
}
