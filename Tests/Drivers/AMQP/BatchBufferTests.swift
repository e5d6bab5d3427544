import Testing

@testable import TidingsAMQP

@Suite struct BatchBufferTests {
    private let start = ContinuousClock.now

    private func message(_ tag: UInt64, bytes: Int = 1, headerWeight: Int = 0) -> AMQPMessage {
        let envelope = Delivery.Envelope(consumerTag: "t", tag: tag, redelivered: false, exchange: "", routingKey: "q")
        let body = [UInt8](repeating: 0, count: bytes)
        var properties = MessageProperties()
        properties.headerWeight = headerWeight
        return AMQPMessage(
            Delivery(envelope: envelope, properties: properties, body: body, isBodyTruncated: false), generation: 1, queue: "q")
    }

    @Test func aBatchWaitsForTheDelayOfItsOldestMessage() {
        var buffer = BatchBuffer(BatchPolicy(maximumMessages: 10, maximumBytes: 100, maximumDelay: .seconds(1)))
        #expect(buffer.due() == nil)
        buffer.append(message(1), at: start)
        buffer.append(message(2), at: start.advanced(by: .milliseconds(900)))
        #expect(buffer.due() == start.advanced(by: .seconds(1)))
    }

    @Test func aFullBatchIsDueAtOnce() {
        var buffer = BatchBuffer(BatchPolicy(maximumMessages: 2, maximumBytes: 100, maximumDelay: .seconds(1)))
        for tag in 1...3 as ClosedRange<UInt64> { buffer.append(message(tag), at: start) }
        #expect(buffer.due() == start)
        #expect(buffer.dequeue()?.tags.map(\.value) == [1, 2])
        #expect(buffer.dequeue()?.tags.map(\.value) == [3])
        #expect(buffer.dequeue() == nil)
    }

    @Test func bytesLimitABatchButAMessageAloneMayBeLarger() {
        var buffer = BatchBuffer(BatchPolicy(maximumMessages: 10, maximumBytes: 100, maximumDelay: .seconds(1)))
        buffer.append(message(1, bytes: 60), at: start)
        buffer.append(message(2, bytes: 60), at: start)
        buffer.append(message(3, bytes: 500), at: start)
        #expect(buffer.due() == start)
        #expect(buffer.dequeue()?.tags.map(\.value) == [1])
        #expect(buffer.dequeue()?.tags.map(\.value) == [2])
        #expect(buffer.dequeue()?.tags.map(\.value) == [3])
        #expect(buffer.isEmpty)
    }

    @Test func aBufferHasRoomForTheBytesOfTwoBatches() {
        var buffer = BatchBuffer(BatchPolicy(maximumMessages: 10, maximumBytes: 100, maximumDelay: .seconds(1)))
        for tag in 1...3 as ClosedRange<UInt64> {
            #expect(buffer.hasRoom)
            buffer.append(message(tag, bytes: 90), at: start)
        }
        #expect(!buffer.hasRoom)
        _ = buffer.dequeue()
        #expect(buffer.hasRoom)
    }

    /// Large headers fill a batch as bodies do, even if the bodies are empty.
    @Test func headersCountLikeBodies() {
        var buffer = BatchBuffer(BatchPolicy(maximumMessages: 10, maximumBytes: 100, maximumDelay: .seconds(1)))
        for tag in 1...3 as ClosedRange<UInt64> {
            #expect(buffer.hasRoom)
            buffer.append(message(tag, bytes: 0, headerWeight: 90), at: start)
        }
        #expect(!buffer.hasRoom)
        #expect(buffer.dequeue()?.tags.map(\.value) == [1])
        #expect(buffer.hasRoom)
    }
}
