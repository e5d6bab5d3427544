/// The wanted properties of an exchange.
public struct ExchangeDeclaration: Sendable, Hashable {
    public var name: String
    /// `topic`, `fanout`, `direct` or `headers`.
    public var kind: String
    public var durable: Bool
    public var arguments: [String: AMQPValue]

    public init(name: String, kind: String, durable: Bool = true, arguments: [String: AMQPValue] = [:]) {
        self.name = name
        self.kind = kind
        self.durable = durable
        self.arguments = arguments
    }
}

/// The wanted properties of a queue. A quorum queue (`x-queue-type`: `quorum`) must be durable.
public struct QueueDeclaration: Sendable, Hashable {
    public var name: String
    public var arguments: [String: AMQPValue]
    /// Further arguments, which only place a new queue in a cluster, such as `x-queue-leader-locator`. They change nothing about an existing
    /// queue, so ``AMQPControl/declareQueue(_:)`` accepts a queue that was declared without them, or with other values.
    public var placement: [String: AMQPValue]
    public var durable: Bool
    /// Whether only the declaring connection may use the queue. The queue then ends with that connection.
    public var exclusive: Bool
    /// Whether the queue is deleted when its last consumer ends.
    public var autoDelete: Bool

    public init(
        name: String, arguments: [String: AMQPValue] = [:], placement: [String: AMQPValue] = [:], durable: Bool = true,
        exclusive: Bool = false, autoDelete: Bool = false
    ) {
        self.name = name
        self.arguments = arguments
        self.placement = placement
        self.durable = durable
        self.exclusive = exclusive
        self.autoDelete = autoDelete
    }
}

extension QueueDeclaration {
    /// The declaration with its placement among the arguments, as a new queue needs it.
    var placed: QueueDeclaration {
        var placed = unplaced
        placed.arguments.merge(placement) { _, placement in placement }
        return placed
    }

    /// The declaration without its placement.
    var unplaced: QueueDeclaration {
        var unplaced = self
        unplaced.placement = [:]
        return unplaced
    }

    /// Whether the broker refused the declaration only because the queue exists with another placement. RabbitMQ names one argument:
    /// `PRECONDITION_FAILED - inequivalent arg 'x-queue-leader-locator' for queue …`.
    func isPlacedOtherwise(_ error: AMQPError) -> Bool {
        guard case .channelClosed(code: 406, let text) = error else { return false }
        return placement.keys.contains { text.contains("inequivalent arg '\($0)'") }
    }
}

/// A route from an exchange to a queue.
public struct Binding: Sendable, Hashable {
    public var queue: String
    public var exchange: String
    public var routingKey: String
    public var arguments: [String: AMQPValue]

    public init(queue: String, exchange: String, routingKey: String, arguments: [String: AMQPValue] = [:]) {
        self.queue = queue
        self.exchange = exchange
        self.routingKey = routingKey
        self.arguments = arguments
    }
}

/// The state of a queue, as the broker reports it.
public struct QueueStatus: Sendable, Hashable {
    /// Messages ready for delivery. Messages held by consumers, and dead letters that wait for their target, are not counted.
    public var messages: Int
    public var consumers: Int

    public init(messages: Int, consumers: Int) {
        self.messages = messages
        self.consumers = consumers
    }
}
