/// The batches of one ``AMQPConsumer``, in the order of delivery. Ends when the consumer stops or gives up.
///
/// Nothing is buffered beyond the prefetch, for the broker sends more only as messages are settled, nor beyond ``BatchPolicy/batchesHeld``. Several
/// loops may iterate at the same time; each batch goes to one of them. Cancelling the iterating task ends its iteration and loses nothing.
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
