internal import TidingsSocket

/// A queue that one consumer has for itself, for messages that may be lost: exclusive, transient, and deleted when the consumer ends.
///
/// The consumer declares and binds the queue on each new connection. Messages published while the consumer is disconnected never reach it.
/// The queue has a length limit: the broker drops the oldest messages when the consumer does not keep up.
public struct OwnQueue: Sendable, Hashable {
    /// The beginning of the queue's name on the broker, and the queue's name in messages and events. A random part follows on the broker:
    /// after a lost connection, the old queue may still exist for a moment, and no other connection may use its name.
    public var name: String
    /// The exchange to bind to. The consumer declares the exchange too, because an exchange that is not durable ends with the broker.
    public var exchange: ExchangeDeclaration
    public var routingKey: String
    /// The largest number of messages that wait in the broker.
    public var maximumMessages: Int
    /// The largest number of body bytes that wait in the broker.
    public var maximumBytes: Int

    public init(name: String, exchange: ExchangeDeclaration, routingKey: String = "", maximumMessages: Int, maximumBytes: Int) {
        self.name = name
        self.exchange = exchange
        self.routingKey = routingKey
        self.maximumMessages = maximumMessages
        self.maximumBytes = maximumBytes
    }

    private var arguments: [String: AMQPValue] {
        ["x-max-length": .int(Int64(maximumMessages)), "x-max-length-bytes": .int(Int64(maximumBytes)), "x-overflow": "drop-head"]
    }

    /// Declares and binds a new queue. Returns its name on the broker.
    func declare(over connection: BrokerConnection) throws(AMQPError) -> String {
        let unique = "\(name).\(String(UInt64.random(in: .min ... .max), radix: 36))"
        try connection.declare(QueueDeclaration(name: unique, arguments: arguments, durable: false, exclusive: true, autoDelete: true))
        try bind(unique, over: connection)
        return unique
    }

    /// Binds the queue, and declares the exchange before. Changes nothing if both exist.
    func bind(_ unique: String, over connection: BrokerConnection) throws(AMQPError) {
        try connection.declare(exchange, passive: false)
        try connection.bind(Binding(queue: unique, exchange: exchange.name, routingKey: routingKey))
    }
}

extension AMQPConsumer {
    /// Creates a consumer with a queue of its own. ``AMQPEvent/consuming(queue:)`` tells each time that the queue is bound and consumed from
    /// now on. All messages published earlier, and not read yet, are lost then.
    ///
    /// - Parameters:
    ///   - prefetch: the number of unsettled messages that the broker allows, 1 to 65,535.
    ///   - idleLimit: the idle time after which the consumer binds its queue again.
    ///
    /// Throws ``AMQPError/socket(_:)`` when the process has no file descriptor or thread left.
    public static func make(
        configuration: AMQPConfiguration, connectionName: String, ownQueue: OwnQueue, prefetch: Int, batch: BatchPolicy = BatchPolicy(),
        idleLimit: Duration = AMQPConsumer.idleLimit, log: @escaping @Sendable (AMQPEvent) -> Void = { _ in }
    ) throws(AMQPError) -> AMQPConsumer {
        AMQPConsumer(
            configuration, connectionName: connectionName, queues: [ownQueue.name], prefetch: prefetch, batch: batch, idleLimit: idleLimit,
            ownQueue: ownQueue, onQueueLost: { _ in }, log: log, thread: try SocketThread.started("amqp-consumer"))
    }
}
