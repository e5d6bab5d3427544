import Testing
import TidingsContracts

@testable import TidingsAMQP
@testable import TidingsPipeline

/// The headers of a kept message that a replay sends.
@Suite struct ReplayHeadersTests {
    private static let ids = AMQPValue.bytes([UInt8](0..<32) + [0xFF])

    @Test func everyKindOfValueComesBack() throws {
        let headers: [String: AMQPValue] = [
            "cloudEvents_id": .string("Ünï \"17\""), "cloudEvents:source": .string("a\nb\0c"),
            "cloudEvents_time": .timestamp(1_780_315_200),
            "cloudevents_sequence": .int(7), "cloudEvents_flag": .bool(true), "cloudEvents_bytes": .bytes(Array("x".utf8)),
            "traceparent": .string("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"), QueueNames.idsHeader: Self.ids,
            "ce-type": .string("orderUpdate"),
        ]
        let message = Self.message(headers)
        let text = try #require(ReplayHeaders.text(of: message, withIDs: true))
        #expect(!text.utf8.contains(0))
        let replayed = ReplayHeaders.values(in: text)
        #expect(replayed.keys.sorted() == headers.keys.sorted())
        #expect(replayed["cloudEvents_time"] == .timestamp(1_780_315_200) && replayed[QueueNames.idsHeader] == Self.ids)
        #expect(IncomingMessage(Self.message(replayed)).headers == IncomingMessage(message).headers, "a router reads the same")
    }

    /// `x-death` and its like tell of the first message. `CC` would send the replay to further queues.
    @Test func noHeaderOfTheBrokerOrOfAnybodyElseIsSent() {
        let headers: [String: AMQPValue] = [
            "x-death": .array([.table(["count": 3])]), "x-delivery-count": 4, "x-first-death-queue": "q", "CC": "other", "own": "1",
            "cloudEvents_nested": .table([:]), QueueNames.producerHeader: "shop", QueueNames.idsHeader: Self.ids,
        ]
        #expect(ReplayHeaders.text(of: Self.message(headers), withIDs: false) == "{}")
    }

    /// An event without some of its attributes is another event. A structured event has all of them in its body.
    @Test func headersThatWereCutAreNotSent() {
        var message = Self.message(["cloudEvents_id": "1"])
        message.neededHeadersCut = true
        #expect(ReplayHeaders.text(of: message, withIDs: false) == nil)
        message.contentType = "application/cloudevents+json"
        #expect(ReplayHeaders.text(of: message, withIDs: false) != nil)
    }

    /// The driver keeps at most 16 KiB of headers, and an escape may take several bytes.
    @Test(arguments: ["x", "\"", "\u{1}", "\0"]) func theTextHasABound(_ character: String) throws {
        let name = "cloudEvents_x"
        let value = String(repeating: character, count: AMQPMessage.maximumHeaderBytes - name.utf8.count)
        let text = try #require(ReplayHeaders.text(of: Self.message([name: .string(value)]), withIDs: false))
        #expect(text.utf8.count <= 2 * AMQPMessage.maximumHeaderBytes)
        #expect(IncomingMessage(Self.message(ReplayHeaders.values(in: text))).headers == [name: value])
    }

    @Test func aTextOfAnotherFormGivesNothing() {
        for text in ["", "[]", "null", #"{"a":null,"b":{},"c":{"base64":"%"},"d":{"timestamp":"x"},"e":7}"#] {
            #expect(ReplayHeaders.values(in: text).isEmpty, "\(text)")
        }
    }

    private static func message(_ headers: [String: AMQPValue]) -> AMQPMessage {
        var properties = MessageProperties()
        properties.contentType = "application/json"
        properties.headers = headers
        let envelope = Delivery.Envelope(consumerTag: "t", tag: 1, redelivered: false, exchange: "e", routingKey: "k")
        return AMQPMessage(
            Delivery(envelope: envelope, properties: properties, body: [], isBodyTruncated: false), generation: 1, queue: "q")
    }
}
