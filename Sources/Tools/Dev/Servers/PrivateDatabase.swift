/// A private PostgreSQL without a broker. For tests that change the settings of a whole server.
public final class PrivateDatabase: Sendable {
    /// A `postgres://` URL with user, password and database `tidings`. The user is a superuser of this private server.
    public let databaseURL: String

    private let layout: ServersLayout
    private let database: PrivatePostgres
    private let lock: HomeLock

    private init(layout: ServersLayout, database: PrivatePostgres, lock: HomeLock) {
        self.layout = layout
        self.database = database
        self.lock = lock
        databaseURL = database.url
    }

    /// Starts the server and returns when it answers. `home` is a folder of the server's own, made if missing. Making the data takes about
    /// 2 seconds on 2 cores.
    public static func start(home: String) async throws(PrivateServersError) -> PrivateDatabase {
        try await OwnThread.run { () throws(PrivateServersError) in
            let tools = try ServerTools.find(in: .ofThisMachine())
            try Folder.make(home)
            let layout = ServersLayout(home: home)
            let lock = try HomeLock(layout)
            try Leftovers(layout).end(patience: Leftovers.ownShutdownTime)
            let folder = try PostgresFolder.prepare(layout, fresh: false)
            try Folder.make(layout.logFolder)
            let database = try PrivatePostgres(layout: layout, folder: folder, tools: tools)
            do throws(PrivateServersError) {
                try database.start(abandoned: Flag())
            } catch {
                database.stop(immediate: true)
                throw error
            }
            return PrivateDatabase(layout: layout, database: database, lock: lock)
        }
    }

    /// Ends the server without a checkpoint. A commit that waits for a standby would hold up a normal shutdown. The data stays.
    public func stop() async throws(PrivateServersError) {
        let (layout, database, lock) = (layout, database, lock)
        try await OwnThread.run { () throws(PrivateServersError) in
            database.stop(immediate: true)
            try Leftovers(layout).end(patience: .zero)
            database.releasePort()
            lock.release()
        }
    }
}
