internal import TidingsSocket

extension AMQPPublisher {
    /// - Parameters:
    ///   - window: the most messages in flight; also the most that one lost connection can duplicate.
    ///   - maximumBytesInFlight: the most encoded bytes in flight, unless one message alone is larger.
    ///   - confirmTimeout: how long the oldest message may wait for its confirm before the connection is given up; time blocked does not count.
    ///   - refusalPatience: how old a connection becomes on which the broker refuses messages.
    ///
    /// Throws ``AMQPError/socket(_:)`` when the process has no file descriptor or thread left.
    // Not an initializer: one that throws, of an actor with an isolated deinit, crashes Swift 6.3 in release builds.
    public static func make(
        configuration: AMQPConfiguration, connectionName: String, window: Int = standardWindow,
        maximumBytesInFlight: Int = standardBytesInFlight, confirmTimeout: Duration = standardConfirmTimeout,
        refusalPatience: Duration = standardRefusalPatience, maximumRepublishes: Int = standardRepublishes,
        log: @escaping @Sendable (AMQPEvent) -> Void = { _ in }
    ) throws(AMQPError) -> AMQPPublisher {
        AMQPPublisher(
            configuration: configuration, connectionName: connectionName, window: window, maximumBytesInFlight: maximumBytesInFlight,
            confirmTimeout: confirmTimeout, refusalPatience: refusalPatience, maximumRepublishes: maximumRepublishes, log: log,
            thread: try SocketThread.started("amqp-publisher"))
    }

    /// The same for tests and commands, whose process ends with the reason when it has no file descriptor or thread left.
    package init(
        configuration: AMQPConfiguration, connectionName: String, window: Int = standardWindow,
        maximumBytesInFlight: Int = standardBytesInFlight, confirmTimeout: Duration = standardConfirmTimeout,
        refusalPatience: Duration = standardRefusalPatience, maximumRepublishes: Int = standardRepublishes,
        log: @escaping @Sendable (AMQPEvent) -> Void = { _ in }
    ) {
        self.init(
            configuration: configuration, connectionName: connectionName, window: window, maximumBytesInFlight: maximumBytesInFlight,
            confirmTimeout: confirmTimeout, refusalPatience: refusalPatience, maximumRepublishes: maximumRepublishes, log: log,
            thread: SocketThread(name: "amqp-publisher"))
    }
}

extension SocketThread {
    /// Starts a thread for a connection.
    static func started(_ name: String) throws(AMQPError) -> SocketThread {
        do throws(StartError) {
            return try SocketThread(starting: name)
        } catch {
            throw .socket(error.description)
        }
    }
}
