import DequeModule

/// The buffer that collects deliveries into batches. The prefetch limits it, because the broker sends more only after some messages are
/// settled. The weight of bodies and headers limits it too, because the prefetch does not count bytes. Further messages stay in the socket,
/// and a broker that cannot write waits.
struct BatchBuffer {
    private let policy: BatchPolicy
    private var messages = Deque<(message: AMQPMessage, arrival: ContinuousClock.Instant)>()
    private var bytes = 0

    init(_ policy: BatchPolicy) { self.policy = policy }

    var isEmpty: Bool { messages.isEmpty }

    /// Whether more messages may be read. One message is accepted whatever its size.
    var hasRoom: Bool { bytes < BatchPolicy.batchesHeld * policy.maximumBytes }

    mutating func append(_ message: AMQPMessage, at now: ContinuousClock.Instant) {
        messages.append((message, now))
        bytes += message.weight
    }

    /// The time at which the next batch is complete. Nil while empty; a time in the past if the batch is full already.
    func due() -> ContinuousClock.Instant? {
        guard let first = messages.first else { return nil }
        let isFull = messages.count >= policy.maximumMessages || bytes >= policy.maximumBytes
        return isFull ? first.arrival : first.arrival.advanced(by: policy.maximumDelay)
    }

    /// Removes and returns the next batch, complete or not. Nil when the buffer is empty.
    mutating func dequeue() -> MessageBatch? {
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

    /// Empties the buffer and returns the tags of its messages, which were never delivered to a reader.
    mutating func discard() -> [DeliveryTag] {
        defer {
            messages.removeAll()
            bytes = 0
        }
        return messages.map(\.message.tag)
    }
}
