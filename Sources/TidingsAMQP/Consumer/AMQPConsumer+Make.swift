import TidingsSocket

extension AMQPConsumer {
    /// A consumer with nothing to do for so long takes a new channel. RabbitMQ 3.10 can forget one without a word, as when a quorum queue is
    /// declared again while it is being deleted; what it holds for the old channel comes back with that.
    public static let idleLimit = Duration.seconds(60)

    /// - Parameters:
    ///   - prefetch: how many unsettled messages the broker lets each queue's consumer hold, 1 to 65,535. It bounds memory and, after a
    ///     crash, how many messages are delivered twice.
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
        let thread: SocketThread
        do throws(SocketThread.StartError) {
            thread = try SocketThread(starting: "amqp-consumer")
        } catch {
            throw AMQPError.socket(error.description)
        }
        return AMQPConsumer(
            configuration, connectionName: connectionName, queues: queues, prefetch: prefetch, batch: batch, idleLimit: idleLimit,
            onQueueLost: onQueueLost, log: log, thread: thread)
    }
}
