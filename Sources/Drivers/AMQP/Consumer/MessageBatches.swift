/// The batches of one ``AMQPConsumer``, in the order of delivery. The sequence ends when the consumer stops or its last connect attempt
/// fails.
///
/// Two limits bound the buffered messages: the prefetch, because the broker sends more only after messages are settled, and
/// ``BatchPolicy/batchesHeld``. Several loops may iterate at the same time, and each batch goes to one of them. Cancelling the iterating
/// task ends its iteration and loses no message.
public struct MessageBatches: AsyncSequence, Sendable {
    public typealias Element = MessageBatch
    public typealias Failure = Never

    let consumer: AMQPConsumer

    public struct AsyncIterator: AsyncIteratorProtocol {
        public typealias Element = MessageBatch
        public typealias Failure = Never

        let consumer: AMQPConsumer

        public mutating func next() async -> MessageBatch? { await consumer.nextBatch() }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> MessageBatch? { await consumer.nextBatch() }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(consumer: consumer) }
}
