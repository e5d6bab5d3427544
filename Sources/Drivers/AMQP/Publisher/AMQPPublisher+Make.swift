internal import TidingsSocket

extension AMQPPublisher {
    /// Messages in flight, and so the largest number of duplicates after one lost connection.
    public static let standardWindow = 1_000
    /// Encoded bytes in flight, unless one message alone is larger.
    public static let standardBytesInFlight = 16 << 20
    /// The longest wait for the oldest confirm. A broker that is cut off from its cluster may never answer.
    public static let standardConfirmTimeout = Duration.seconds(30)
    /// The number of times that a message is published again after a lost connection or confirm.
    public static let standardRepublishes = 3
    /// The age from which a connection is dropped if the broker refuses messages on it. A new connection may reach another leader.
    public static let standardRefusalPatience = Duration.seconds(5)

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
