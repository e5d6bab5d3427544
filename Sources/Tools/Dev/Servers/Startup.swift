/// One start of both servers, as a list of steps on a thread of its own, and the reverse steps.
struct Startup: Sendable {
    let home: String
    let fresh: Bool
    let folders: ToolFolders
    let say: @Sendable (String) -> Void
    let abandoned: Flag

    func run() throws(PrivateServersError) -> PrivateServers {
        let tools = try ServerTools.find(in: folders)
        try Folder.make(home)
        let layout = ServersLayout(home: home)
        let lock = try HomeLock(layout)
        try PrivateFile.remove(layout.environmentFile)
        try Leftovers(layout).end(patience: Leftovers.ownShutdownTime)
        let postgresFolder = try PostgresFolder.prepare(layout, fresh: fresh)
        if fresh { try Folder.remove(layout.brokerFolder) }
        try Folder.make(layout.logFolder)
        try Folder.make(layout.brokerFolder, mode: 0o700)

        let database = try PrivatePostgres(layout: layout, folder: postgresFolder, tools: tools)
        let broker = try PrivateBroker(layout: layout, tools: tools)
        say("starting PostgreSQL and RabbitMQ, data and logs in \(layout.home)")
        if postgresFolder.path != layout.databaseFolder {
            say("user postgres may not enter \(layout.home), so PostgreSQL's data is in \(postgresFolder.path)")
        }
        do {
            try startBoth(database, broker)
            return PrivateServers(layout: layout, broker: broker, database: database, lock: lock)
        } catch {
            // Throw the reason for the failed start, because the caller needs it. The next start reports leftovers, if there are any.
            try? Self.stop(layout: layout, broker: broker, database: database, lock: lock)
            throw error
        }
    }

    /// Starts both servers at once. RabbitMQ takes about twice as long, so PostgreSQL adds almost no time.
    private func startBoth(_ database: PrivatePostgres, _ broker: PrivateBroker) throws(PrivateServersError) {
        let (say, abandoned) = (say, abandoned)
        let began = ContinuousClock.now
        let databaseDone = try OwnThread.begin { () throws(PrivateServersError) in
            try database.start(abandoned: abandoned)
            say("PostgreSQL ready on 127.0.0.1:\(database.port) after \(seconds(since: began)) s")
        }
        let brokerResult: Result<Void, PrivateServersError>
        do throws(PrivateServersError) {
            try broker.start(abandoned: abandoned)
            say("RabbitMQ ready on 127.0.0.1:\(broker.port) after \(seconds(since: began)) s")
            brokerResult = .success(())
        } catch {
            abandoned.raise()
            brokerResult = .failure(error)
        }
        let databaseResult = databaseDone.wait()
        // If one server fails, the start of the second is only cancelled. Report the failure, not the cancellation.
        if case .failure(.cancelled) = databaseResult { try brokerResult.get() }
        try databaseResult.get()
        try brokerResult.get()
    }

    static func stop(
        layout: ServersLayout,
        broker: PrivateBroker,
        database: PrivatePostgres,
        lock: HomeLock
    ) throws(PrivateServersError) {
        guard lock.isHeld else { return }
        try PrivateFile.remove(layout.environmentFile)
        let databaseDone = try OwnThread.begin { () throws(PrivateServersError) in database.stop(immediate: false) }
        broker.stop()
        broker.stopNames()
        _ = databaseDone.wait()
        try Leftovers(layout).end(patience: .zero)
        broker.releasePorts()
        database.releasePort()
        lock.release()
    }
}

/// Returns the elapsed time in seconds with one decimal, for people.
func seconds(since start: ContinuousClock.Instant) -> String {
    let tenths = (ContinuousClock.now - start) / .milliseconds(100)
    let whole = Int(tenths.rounded())
    return "\(whole / 10).\(whole % 10)"
}
