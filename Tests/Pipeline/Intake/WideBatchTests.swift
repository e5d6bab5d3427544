import Testing
import TidingsContracts
import TidingsCore
import TidingsStore

@testable import TidingsAMQP
@testable import TidingsCatalogue
@testable import TidingsPipeline

/// Messages that ask for very many notifications are decoded piece by piece.
@Suite struct WideBatchTests {
    private static let now = Timestamp(microseconds: 1_800_000_000_000_000)
    private static let perMessage = 1_000

    /// There are seven messages, and three of them fill a portion.
    @Test func aPieceEndsWithTheMessageThatFillsAPortion() throws {
        let decoder = try Self.decoder()
        let each = IntakePortion.maximumIntents / 3 + 1
        let messages = (0..<7).map { Self.message("wide-\($0)", recipients: each) }
        var sizes: [Int] = []
        var people: [String] = []
        for piece in DecodedMessages.pieces(of: messages, decoder: decoder, trusted: "tidings", now: Self.now) {
            sizes.append(piece.batch.intents.count)
            for portion in piece.portions { people += piece.batch(of: portion).intents.map { "\($0.intent.id) \($0.intent.recipient)" } }
            // A refusal of an intent leads back to the intent's own message.
            let last = piece.batch.intents.count - 1
            let refusal = piece.refusal(of: last, .internalError, "a test")
            #expect(refusal.routingKey == piece.batch.intents[last].intent.id)
            #expect(String(decoding: refusal.rejection.raw, as: UTF8.self).contains(#""id":"\#(refusal.routingKey)""#))
        }
        #expect(sizes == [3 * each, 3 * each, each])
        #expect(people.count == 7 * each && Set(people).count == people.count)
    }

    /// A thousand small refused events each repeat the headers of their message: a thousand times 16 KiB.
    @Test func refusalsAreWeighedWithTheirHeaders() throws {
        let decoder = try Self.decoder()
        // Together with the headers, a thousand of these events have more bytes than a portion allows.
        let text = "\"" + String(repeating: "x", count: 1_000) + "\""
        var message = Self.message("refused", recipients: 0)
        message.contentType = "application/cloudevents-batch+json"
        message.body = Array("[\(Array(repeating: text, count: Self.perMessage).joined(separator: ","))]".utf8)
        message.headers = ["h": .string(String(repeating: "x", count: AMQPMessage.maximumHeaderBytes - 100))]
        let pieces = Array(DecodedMessages.pieces(of: [message, message, message], decoder: decoder, trusted: "tidings", now: Self.now))
        #expect(pieces.map(\.batch.refused.count) == [Self.perMessage, Self.perMessage, Self.perMessage])
    }

    @Test func anOrdinaryBatchIsOnePieceAndOnePortion() throws {
        let messages = (0..<Router.batch.maximumMessages).map { Self.message("plain-\($0)", recipients: 1) }
        let pieces = Array(DecodedMessages.pieces(of: messages, decoder: try Self.decoder(), trusted: "tidings", now: Self.now))
        #expect(pieces.count == 1 && pieces.first?.portions.count == 1)
        #expect(pieces.first?.batch.intents.count == messages.count)
    }

    private static func decoder() throws -> IntentDecoder {
        IntentDecoder(catalogue: try CompiledCatalogue(CatalogueFile.sealed(.builtIn)))
    }

    private static func message(_ id: String, recipients: Int) -> AMQPMessage {
        let people = (0..<recipients).map { "\"p\($0)\"" }.joined(separator: ",")
        let event = #"""
            {"specversion":"1.0","id":"\#(id)","source":"/tests","type":"orderUpdate","data":{"recipients":[\#(people)],"title":"T"}}
            """#
        var properties = MessageProperties()
        properties.contentType = "application/cloudevents+json"
        let envelope = Delivery.Envelope(consumerTag: "t", tag: 1, redelivered: false, exchange: "e", routingKey: id)
        return AMQPMessage(
            Delivery(envelope: envelope, properties: properties, body: Array(event.utf8), isBodyTruncated: false), generation: 1,
            queue: "q")
    }
}
