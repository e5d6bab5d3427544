import Testing

@testable import TidingsAMQP

@Suite struct MessageAssemblerTests {
    private let envelope = Delivery.Envelope(consumerTag: "t", tag: 7, redelivered: false, exchange: "e", routingKey: "k")

    @Test func theFramesOfABodyArePutTogether() throws {
        var assembler = MessageAssembler()
        #expect(try assembler.receive(.deliver(envelope)) == nil)
        #expect(try assembler.receive(.header(size: 3, MessageProperties())) == nil)
        #expect(try assembler.receive(.body([1, 2])) == nil)
        // The connection's own channel may speak between frames of a message.
        guard case .blocked? = try assembler.receive(.event(.blocked(reason: "low on memory"))) else {
            Issue.record("a blocked notice between two body frames was not passed on")
            return
        }
        guard case .delivered(let delivery)? = try assembler.receive(.body([3])) else {
            Issue.record("the last body frame did not complete the message")
            return
        }
        #expect(delivery.body == [1, 2, 3])
        #expect(!delivery.isBodyTruncated)
    }

    @Test func anEmptyBodyHasNoBodyFrame() throws {
        var assembler = MessageAssembler()
        _ = try assembler.receive(.returned(code: 312, text: "NO_ROUTE"))
        var properties = MessageProperties()
        properties.messageID = "m"
        guard case .returned(let returned)? = try assembler.receive(.header(size: 0, properties)) else {
            Issue.record("the header did not complete the returned message")
            return
        }
        #expect(returned.code == 312 && returned.messageID == "m")
    }

    @Test func aBodyIsCutAtItsLimit() throws {
        var assembler = MessageAssembler()
        _ = try assembler.receive(.deliver(envelope))
        let piece = [UInt8](repeating: 1, count: 1 << 20)
        _ = try assembler.receive(.header(size: UInt64(piece.count * 10), MessageProperties()))
        for _ in 0..<9 { #expect(try assembler.receive(.body(piece)) == nil) }
        guard case .delivered(let delivery)? = try assembler.receive(.body(piece)) else {
            Issue.record("the last body frame did not complete the message")
            return
        }
        #expect(delivery.body.count == AMQPMessage.maximumBodyBytes)
        #expect(delivery.isBodyTruncated)
    }

    @Test func aFrameOutOfPlaceIsRefused() throws {
        var first = MessageAssembler()
        #expect(throws: AMQPError.self) { try first.receive(.body([1])) }
        var second = MessageAssembler()
        _ = try second.receive(.deliver(envelope))
        #expect(throws: AMQPError.self) { try second.receive(.deliver(envelope)) }
        var third = MessageAssembler()
        _ = try third.receive(.deliver(envelope))
        _ = try third.receive(.header(size: 1, MessageProperties()))
        #expect(throws: AMQPError.self) { try third.receive(.body([1, 2])) }
    }
}
