internal import TidingsSocket

extension AMQPConsumer {
    /// The idle time after which a consumer renews its channel, or binds its own queue again. RabbitMQ 3.10 can silently forget a
    /// consumer, for example when a quorum queue is declared again during its deletion. The messages that it holds for the old channel
    /// are then redelivered.
    public static let idleLimit = Duration.seconds(60)
    /// The idle time after which a consumer of a cluster looks at its queues from another node. Two such looks find out that its own node
    /// delivers nothing.
    public static let lookInterval = Duration.seconds(10)
    /// The time that the broker gets for the last settlements before the connection ends. No answer confirms a settlement, and RabbitMQ
    /// 3.10 writes at most 32 at a time to a quorum queue. After 200 single settlements with an immediate close, 167 were lost and their
    /// messages were redelivered.
    public static let settlementGrace = Duration.milliseconds(250)

    /// Creates a consumer.
    ///
    /// - Parameters:
    ///   - prefetch: the number of unsettled messages that the broker allows for each queue's consumer, 1 to 65,535. It limits how many
    ///     messages are redelivered after a crash. The bytes of `batch` limit memory.
    ///   - idleLimit: see ``AMQPConsumer/idleLimit``.
    ///   - lookInterval: see ``AMQPConsumer/lookInterval``.
    ///   - onQueueLost: called from ``run()`` when a queue is deleted or cannot be consumed. It may declare the queue again. The consumer
    ///     then tries to consume the queue again, with growing pauses.
    ///
    /// Throws ``AMQPError/socket(_:)`` when the process has no file descriptor or thread left.
    // A static method: a throwing initializer of an actor with an isolated deinit crashes Swift 6.3 in release builds.
    public static func make(
        configuration: AMQPConfiguration, connectionName: String, queues: [String], prefetch: Int, batch: BatchPolicy = BatchPolicy(),
        idleLimit: Duration = AMQPConsumer.idleLimit, lookInterval: Duration = AMQPConsumer.lookInterval,
        onQueueLost: @escaping @Sendable (String) async -> Void = { _ in },
        log: @escaping @Sendable (AMQPEvent) -> Void = { _ in }
    ) throws(AMQPError) -> AMQPConsumer {
        AMQPConsumer(
            configuration, connectionName: connectionName, queues: queues, prefetch: prefetch, batch: batch, idleLimit: idleLimit,
            lookInterval: lookInterval, onQueueLost: onQueueLost, log: log, thread: try SocketThread.started("amqp-consumer"))
    }
}
