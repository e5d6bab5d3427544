/// Faults on demand, for tests of everything that must survive them. Each call returns when the fault is in effect. URLs and data stay the
/// same.
extension PrivateServers {
    /// Kills the broker as `kill -9` does. The broker can neither flush nor close its connections.
    public func killBroker() async throws(PrivateServersError) {
        let broker = broker
        try await OwnThread.run { () throws(PrivateServersError) in broker.kill() }
    }

    /// Shuts the broker down as an operator would. The broker closes connections with a reason and flushes queues.
    public func stopBroker() async throws(PrivateServersError) {
        let broker = broker
        try await OwnThread.run { () throws(PrivateServersError) in broker.stop() }
    }

    /// Starts the broker again with its old port and data. Returns when the broker answers. Does nothing if the broker is running.
    public func startBroker() async throws(PrivateServersError) {
        let broker = broker
        try await OwnThread.run { () throws(PrivateServersError) in try broker.start(abandoned: Flag()) }
    }

    /// Freezes the broker. Its sockets stay open and answer nothing, like a network that drops packets.
    public func pauseBroker() async throws(PrivateServersError) {
        let broker = broker
        try await OwnThread.run { () throws(PrivateServersError) in broker.pause() }
    }

    /// Resumes a paused broker.
    public func resumeBroker() async throws(PrivateServersError) {
        let broker = broker
        try await OwnThread.run { () throws(PrivateServersError) in broker.resume() }
    }

    /// Stops PostgreSQL. With `immediate`, PostgreSQL drops every session without a checkpoint, as in a crash, and recovers from its log at
    /// the next start. Otherwise PostgreSQL first ends the sessions and writes everything to disk.
    public func stopDatabase(immediate: Bool = false) async throws(PrivateServersError) {
        let database = database
        try await OwnThread.run { () throws(PrivateServersError) in database.stop(immediate: immediate) }
    }

    /// Starts PostgreSQL again with its old port and data. Returns when PostgreSQL answers. Does nothing if PostgreSQL is running.
    public func startDatabase() async throws(PrivateServersError) {
        let database = database
        try await OwnThread.run { () throws(PrivateServersError) in try database.start(abandoned: Flag()) }
    }

    /// Makes virtual hosts with all rights for the user of ``amqpURL``, any number in one call. One virtual host for each test keeps tests
    /// apart. Existing virtual hosts stay unchanged. Names contain only ASCII letters, digits, `-`, `_` and `.`.
    public func makeVirtualHosts(_ names: [String]) async throws(PrivateServersError) {
        let broker = broker
        try await OwnThread.run { () throws(PrivateServersError) in try broker.makeVirtualHosts(names) }
    }

    /// Makes virtual hosts for tests, and a file with their names, one a line. The environment file then names it as `TIDINGS_TEST_HOSTS`.
    /// Each test takes a name out of the file. Call this before ``announce(_:)``.
    public func prepareTestHosts(_ count: Int) async throws(PrivateServersError) {
        let names = (1...count).map { "test-\($0)" }
        try await makeVirtualHosts(names)
        try PrivateFile.write(names.map { $0 + "\n" }.joined(), to: layout.testHostsFile)
        addToEnvironment(["TIDINGS_TEST_HOSTS=\(layout.testHostsFile)"])
    }

    /// ``amqpURL`` with another virtual host.
    public nonisolated func amqpURL(virtualHost: String) -> String {
        broker.url(virtualHost: virtualHost)
    }

    /// Runs `rabbitmqctl` against this broker and returns its standard output. Takes a second or two, mostly because Erlang starts.
    /// - Throws: ``PrivateServersError/commandFailed(command:status:output:)`` if the exit status is not 0.
    @discardableResult
    public func rabbitmqctl(_ arguments: [String]) async throws(PrivateServersError) -> String {
        let broker = broker
        return try await OwnThread.run { () throws(PrivateServersError) in try broker.control(arguments) }
    }
}
