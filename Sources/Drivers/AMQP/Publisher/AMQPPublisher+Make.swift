internal import TidingsSocket

extension AMQPPublisher {
    /// Creates a publisher.
    ///
    /// - Parameters:
    ///   - window: the largest number of messages in flight, and so of duplicates after one lost connection.
    ///   - maximumBytesInFlight: the largest number of encoded bytes in flight, unless one message alone is larger.
    ///   - confirmTimeout: the longest wait for the oldest confirm, after which the connection is dropped. Blocked time does not count.
    ///   - refusalPatience: the age from which a connection is dropped if the broker refuses messages on it.
    ///
    /// Throws ``AMQPError/socket(_:)`` when the process has no file descriptor or thread left.
    // A static method: a throwing initializer of an actor with an isolated deinit crashes Swift 6.3 in release builds.
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
}
