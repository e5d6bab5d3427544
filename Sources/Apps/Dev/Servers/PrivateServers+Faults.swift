/// Faults on demand, for tests of what must survive them. Each returns when its effect holds; URLs and data stay the same.
extension PrivateServers {
    /// Kills the broker as `kill -9` does, without a chance to flush or say goodbye.
    public func killBroker() async throws(PrivateServersError) {
        let broker = broker
        try await OwnThread.run { () throws(PrivateServersError) in broker.kill() }
    }

    /// Shuts the broker down as an operator would: connections are closed with a reason, queues are flushed.
    public func stopBroker() async throws(PrivateServersError) {
        let broker = broker
        try await OwnThread.run { () throws(PrivateServersError) in broker.stop() }
    }

    /// Starts the broker again on its old port and data; returns when it answers. Does nothing when it is running.
    public func startBroker() async throws(PrivateServersError) {
        let broker = broker
        try await OwnThread.run { () throws(PrivateServersError) in try broker.start(abandoned: Flag()) }
    }

    /// Freezes the broker: its sockets stay open and answer nothing, as behind a network that swallows packets.
    public func pauseBroker() async throws(PrivateServersError) {
        let broker = broker
        try await OwnThread.run { () throws(PrivateServersError) in broker.pause() }
    }

    /// Lets a paused broker go on.
    public func resumeBroker() async throws(PrivateServersError) {
        let broker = broker
        try await OwnThread.run { () throws(PrivateServersError) in broker.resume() }
    }

    /// Stops PostgreSQL. `immediate` drops every session without a checkpoint, as a crash does, so that the next start recovers from
    /// the log; otherwise sessions are ended and everything is written down first.
    public func stopDatabase(immediate: Bool = false) async throws(PrivateServersError) {
        let database = database
        try await OwnThread.run { () throws(PrivateServersError) in database.stop(immediate: immediate) }
    }

    /// Starts PostgreSQL again on its old port and data; returns when it answers. Does nothing when it is running.
    public func startDatabase() async throws(PrivateServersError) {
        let database = database
        try await OwnThread.run { () throws(PrivateServersError) in try database.start(abandoned: Flag()) }
    }

    /// Makes virtual hosts with all rights for the user of ``amqpURL``, in one call however many: one a test keeps tests apart.
    /// Existing ones are left as they are. Names hold ASCII letters, digits, `-`, `_` and `.` only.
    public func makeVirtualHosts(_ names: [String]) async throws(PrivateServersError) {
        let broker = broker
        try await OwnThread.run { () throws(PrivateServersError) in try broker.makeVirtualHosts(names) }
    }

    /// ``amqpURL`` with another virtual host.
    public nonisolated func amqpURL(virtualHost: String) -> String {
        broker.url(virtualHost: virtualHost)
    }

    /// Runs `rabbitmqctl` against this broker and returns its standard output; takes a second or two, most of it Erlang starting.
    /// - Throws: ``PrivateServersError/commandFailed(command:status:output:)`` when it exits with anything but 0.
    @discardableResult
    public func rabbitmqctl(_ arguments: [String]) async throws(PrivateServersError) -> String {
        let broker = broker
        return try await OwnThread.run { () throws(PrivateServersError) in try broker.control(arguments) }
    }
}
