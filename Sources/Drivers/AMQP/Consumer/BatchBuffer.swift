/// Collects deliveries into batches. Bounded by the prefetch, for the broker sends no more until some are settled, and by the weight of bodies
/// and headers, which the prefetch does not count: what finds no room stays in the socket, and a broker that cannot write waits.
struct BatchBuffer {
    private let policy: BatchPolicy
    private var messages: FIFO<(message: AMQPMessage, arrival: ContinuousClock.Instant)> = FIFO()
    private var bytes = 0

    init(_ policy: BatchPolicy) { self.policy = policy }

    var isEmpty: Bool { messages.isEmpty }

    /// Whether more may be read. One message is taken whatever its size.
    var hasRoom: Bool { bytes < BatchPolicy.batchesHeld * policy.maximumBytes }

    mutating func append(_ message: AMQPMessage, at now: ContinuousClock.Instant) {
        messages.append((message, now))
        bytes += message.weight
    }

    /// When the next batch is complete: nil while empty, a moment in the past when it is full already.
    func due() -> ContinuousClock.Instant? {
        guard let first = messages.first else { return nil }
        let isFull = messages.count >= policy.maximumMessages || bytes >= policy.maximumBytes
        return isFull ? first.arrival : first.arrival.advanced(by: policy.maximumDelay)
    }

    /// The next batch, complete or not; nil when there is none.
    mutating func take() -> MessageBatch? {
        var batch: [AMQPMessage] = []
        var size = 0
        while batch.count < policy.maximumMessages, let next = messages.first?.message {
            guard batch.isEmpty || size + next.weight <= policy.maximumBytes else { break }
            size += next.weight
            batch.append(next)
            _ = messages.popFirst()
        }
        bytes -= size
        return batch.isEmpty ? nil : MessageBatch(messages: batch)
    }

    /// Empties it and returns the tags of what was never handed over.
    mutating func discard() -> [DeliveryTag] {
        bytes = 0
        return messages.removeAll().map(\.message.tag)
    }
}
