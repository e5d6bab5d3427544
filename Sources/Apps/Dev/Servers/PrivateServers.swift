import Synchronization

/// A private PostgreSQL and a private RabbitMQ for one checkout: on loopback, on free ports, with data, passwords and logs of their own.
///
/// For development, tests and the demo. System servers are never touched, and only processes started from the same home are ever ended.
///
/// - A second start in the same home keeps the data; two homes run side by side; one home serves one owner at a time
///   (``PrivateServersError/homeInUse(home:processID:)``).
/// - Should this process die without ``stop()``, even by `kill -9`, the kernel asks both servers to shut down. What still remains is
///   ended by the next start, before it touches the data.
/// - All waiting happens on threads of this library; Swift's cooperative pool is never blocked.
public actor PrivateServers {
    /// Where everything of these servers lies.
    public nonisolated let layout: ServersLayout

    /// A `postgres://` URL with user, password and database `tidings`; the user is a superuser of this private server. It stays
    /// the same for as long as these servers run, through every fault below.
    public nonisolated let databaseURL: String

    /// An `amqp://` URL with user and password, virtual host `/`; the user is an administrator of this private broker. It stays
    /// the same for as long as these servers run, through every fault below.
    public nonisolated let amqpURL: String

    nonisolated let broker: PrivateBroker
    nonisolated let database: PrivatePostgres
    nonisolated let lock: HomeLock

    init(layout: ServersLayout, broker: PrivateBroker, database: PrivatePostgres, lock: HomeLock) {
        self.layout = layout
        self.broker = broker
        self.database = database
        self.lock = lock
        databaseURL = database.url
        amqpURL = broker.url(virtualHost: "/")
    }

    /// Starts both servers at once and returns when both answer; the environment file is in place by then.
    ///
    /// The first start makes the data and takes about 5 seconds on 2 cores. When it fails, or the task is cancelled
    /// (``PrivateServersError/cancelled``), whatever it had started is stopped again before it throws.
    ///
    /// - Parameters:
    ///   - home: folder for everything, made when missing, usually `.tidings`.
    ///   - fresh: deletes the data of an earlier start first.
    ///   - say: receives progress, one line a call without a newline, from any thread.
    public static func start(
        home: String,
        fresh: Bool = false,
        say: @escaping @Sendable (String) -> Void
    ) async throws(PrivateServersError) -> PrivateServers {
        try await start(home: home, fresh: fresh, folders: .ofThisMachine(), say: say)
    }

    /// As ``start(home:fresh:say:)``, looking for the tools in `folders`: tests leave some out.
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

    /// The server that is gone although nobody stopped it, by its name for people; nil while both are as they should be.
    public func endedByItself() async -> String? {
        let (broker, database) = (broker, database)
        let result = await OwnThread.result { () throws(PrivateServersError) -> String? in
            database.endedByItself ? "PostgreSQL" : broker.endedByItself ? "RabbitMQ" : nil
        }
        return try? result.get()
    }

    /// The main process of each server, for whoever measures them: the broker's node and its name server, and PostgreSQL's postmaster.
    public nonisolated var processIDs: (broker: [Int32], database: [Int32]) {
        (broker.processIDs, [database.processID].compactMap { $0 })
    }

    /// Shuts both servers down, returns when no process of theirs is left, and removes the environment file; the data stays.
    ///
    /// Works in a cancelled task too. A server that ignores the polite request is killed: RabbitMQ and PostgreSQL both recover from
    /// that. Calling it again does nothing.
    /// - Throws: ``PrivateServersError/didNotStop(processIDs:)`` when something survives even that.
    public func stop() async throws(PrivateServersError) {
        let (layout, broker, database, lock) = (layout, broker, database, lock)
        try await OwnThread.run { () throws(PrivateServersError) in
            try Startup.stop(layout: layout, broker: broker, database: database, lock: lock)
        }
    }
}

/// A flag that can only be raised, shared between threads.
final class Flag: Sendable {
    private let raised = Atomic(false)

    var isRaised: Bool { raised.load(ordering: .acquiring) }

    func raise() { raised.store(true, ordering: .releasing) }
}
