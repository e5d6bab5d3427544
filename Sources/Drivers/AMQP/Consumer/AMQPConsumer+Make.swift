import TidingsSocket

extension AMQPConsumer {
    /// A consumer with nothing to do for so long takes a new channel. RabbitMQ 3.10 can forget one without a word, as when a quorum queue is
    /// declared again while it is being deleted; what it holds for the old channel comes back with that.
    public static let idleLimit = Duration.seconds(60)
    /// Reads between which other work of the connection gets a turn.
    static let eventsPerTurn = 2_048
    /// How soon to try again when the socket's buffer was full.
    static let roomRetry = Duration.milliseconds(2)
    /// How long the broker gets to act on the last settlements before the connection ends. Nothing confirms them, and RabbitMQ 3.10 writes
    /// at most 32 at a time to a quorum queue: of 200 single ones followed at once by the end, 167 were lost and their messages came again.
    public static let settlementGrace = Duration.milliseconds(250)

    /// - Parameters:
    ///   - prefetch: how many unsettled messages the broker lets each queue's consumer hold, 1 to 65,535. It bounds how many messages are
    ///     delivered twice after a crash. Memory is bounded by the bytes of `batch`.
    ///   - idleLimit: see ``AMQPConsumer/idleLimit``.
    ///   - onQueueLost: called from ``run()`` when a queue is deleted or cannot be consumed; may declare it again. The consumer then asks
    ///     for the queue again, with growing pauses.
    ///
    /// Throws ``AMQPError/socket(_:)`` when the process has no file descriptor or thread left.
    // Not an initializer: one that throws, of an actor with an isolated deinit, crashes Swift 6.3 in release builds.
    public static func make(
        configuration: AMQPConfiguration, connectionName: String, queues: [String], prefetch: Int, batch: BatchPolicy = BatchPolicy(),
        idleLimit: Duration = idleLimit, onQueueLost: @escaping @Sendable (String) async -> Void = { _ in },
        log: @escaping @Sendable (AMQPEvent) -> Void = { _ in }
    ) throws(AMQPError) -> AMQPConsumer {
        AMQPConsumer(
            configuration, connectionName: connectionName, queues: queues, prefetch: prefetch, batch: batch, idleLimit: idleLimit,
            onQueueLost: onQueueLost, log: log, thread: try SocketThread.started("amqp-consumer"))
    }
}
