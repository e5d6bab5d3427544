import Testing
import TidingsContracts
import TidingsCore
import TidingsCrypto
import TidingsPipeline
import TidingsTestSupport

@Suite struct MessageLimitTests {
    private let limits = IntentLimits()
    private let batch = "application/cloudevents-batch+json"

    @Test func recipientsHaveALimit() throws {
        func event(_ count: Int) -> String {
            Sample.event(data: "{\"title\":\"T\",\"recipients\":[\((0..<count).map { "\"u\($0)\"" }.joined(separator: ","))]}")
        }
        #expect(Sample.decode(event(1_000)).intents.count == 1_000)
        let decoded = Sample.decode(event(1_001))
        let rejection = try Sample.rejection(decoded)
        #expect(rejection.reason == .tooManyRecipients && rejection.pointer == "/data/recipients")
        #expect(rejection.recipients == 1_001 && decoded.taken == 1_001)
        let long = String(repeating: "x", count: 257)
        #expect(
            try Sample.rejection(Sample.decode(Sample.event(data: "{\"recipient\":\"\(long)\",\"title\":\"T\"}"))).reason
                == .invalidAttribute)
    }

    @Test func anEventTooLargeKeepsItsBeginning() throws {
        let text = String(repeating: "x", count: limits.maximumEventBytes)
        let event = Sample.event(data: "{\"recipient\":\"a\",\"title\":\"\(text)\"}")
        let rejection = try Sample.rejection(Sample.decode(event))
        #expect(rejection.reason == .tooLarge && !rejection.isReplayable)
        #expect(rejection.raw == Array(event.utf8.prefix(limits.keptRawBytes)))
        #expect(rejection.size == event.utf8.count && rejection.sha256 == SHA256.hash(event.utf8))
    }

    @Test func anEventOfExactlyTheLimitIsTaken() {
        let empty = Sample.event(data: #"{"recipient":"a","title":""}"#).utf8.count
        let text = String(repeating: "x", count: limits.maximumEventBytes - empty)
        #expect(Sample.decode(Sample.event(data: "{\"recipient\":\"a\",\"title\":\"\(text)\"}")).intents.count == 1)
    }

    @Test func aMessageTooLargeIsRefusedWhole() throws {
        let body = [UInt8](repeating: UInt8(ascii: " "), count: limits.maximumMessageBytes + 1)
        let rejection = try Sample.rejection(Sample.decode(body, contentType: batch))
        #expect(rejection.reason == .messageTooLarge && rejection.raw.count == limits.keptRawBytes && !rejection.isReplayable)
    }

    @Test func aBatchHarmsNoNeighbour() {
        let good = (0..<3).map {
            #"{"specversion":"1.0","id":"\#($0)","source":"/s","type":"orderUpdate","data":{"recipient":"u","title":"T"}}"#
        }
        let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
        let body = "[\(good[0]), {\"specversion\":\"1.0\"},\(deep),\(good[1]),{\"a\":1,\"a\":2},,{\"x\":nonsense}, \(good[2])]"
        let decoded = Sample.decode(body, contentType: "application/cloudevents-batch+json; charset=utf-8")
        #expect(decoded.intents.map(\.intent.id) == ["0", "1", "2"])
        #expect(decoded.rejections.map(\.reason) == [.missingAttribute, .tooDeep, .duplicateKey, .notJSON, .notJSON])
        #expect(decoded.rejections[0].raw == Array("{\"specversion\":\"1.0\"}".utf8))
        #expect(decoded.rejections[0].contentType == "application/cloudevents+json")
        #expect(decoded.rejections.allSatisfy { !$0.isReplayable }, "each would be refused again")
        #expect(decoded.taken == 8)
    }

    @Test func invalidUTF8InOneEventOfABatchHarmsNoNeighbour() {
        let body =
            Array("[".utf8) + Array(Sample.plain.utf8) + Array(",{\"id\":\"".utf8) + [0xFF] + Array("\"},".utf8)
            + Array(Sample.plain.utf8) + Array("]".utf8)
        let decoded = Sample.decode(body, contentType: batch)
        #expect(decoded.intents.count == 2 && decoded.rejections.map(\.reason) == [.invalidUTF8])
    }

    @Test func aBatchHasALimitAndIsRefusedFast() throws {
        let thousand = "[" + Array(repeating: Sample.plain, count: 1_000).joined(separator: ",") + "]"
        #expect(Sample.decode(thousand, contentType: batch).intents.count == 1_000)
        let tooMany = "[" + Array(repeating: "{}", count: 100_000).joined(separator: ",") + "]"
        var rejection: Rejection?
        let took = try ContinuousClock().measure { rejection = try Sample.rejection(Sample.decode(tooMany, contentType: batch)) }
        #expect(rejection?.reason == .tooManyEvents)
        #expect(rejection?.raw.count == limits.keptRawBytes && rejection?.size == tooMany.utf8.count)
        var bar = Bar()
        bar.expect(took < .seconds(1), "refused after \(took), the bar is 1 s")
        try bar.end()
    }

    @Test func aBrokenBatchIsRefusedWhole() throws {
        for body in ["", "{}", "[", "[{}", "[{}]]", "[\"", "{\"specversion\":\"1.0\"}"] {
            let rejection = try Sample.rejection(Sample.decode(body, contentType: batch))
            #expect(rejection.reason == .notJSON, "\(body)")
            #expect(rejection.raw == Array(body.utf8) && rejection.contentType == batch)
        }
        #expect(Sample.decode("[]", contentType: batch).taken == 0)
    }

    @Test func headersNestedTooDeepRefuseTheMessage() throws {
        let message = IncomingMessage(body: Array(Sample.plain.utf8), contentType: "application/cloudevents+json", headersTooDeep: true)
        let rejection = try Sample.rejection(Sample.decoder.decode(message, rights: .unrestricted, now: Sample.now))
        #expect(rejection.reason == .headersTooDeep && rejection.raw == Array(Sample.plain.utf8))
        #expect(rejection.isReplayable, "a replay has no nested headers")
    }

    /// The last event exceeds only the limit of its whole message. Sent alone, the event is accepted.
    @Test func anEventThatFoundItsMessageFullMayBeReplayed() throws {
        let recipients = (0..<limits.maximumRecipients).map { "\"u\($0)\"" }.joined(separator: ",")
        let event = Sample.event(data: "{\"title\":\"T\",\"recipients\":[\(recipients)]}")
        let count = limits.maximumIntentsPerMessage / limits.maximumRecipients
        let body = "[" + Array(repeating: event, count: count + 1).joined(separator: ",") + "]"
        let decoded = Sample.decode(body, contentType: batch)
        let rejection = try #require(decoded.rejections.first)
        #expect(decoded.rejections.count == 1 && rejection.reason == .tooManyRecipients && rejection.isReplayable)
        #expect(Sample.decode(rejection.raw, contentType: rejection.contentType).intents.count == limits.maximumRecipients)
    }

    /// An event that lost a header is a different event, so an event of binary mode is refused. A structured event needs no header and is
    /// accepted.
    @Test(arguments: ["application/json", nil])
    func binaryModeWithoutAllItsHeadersIsRefused(_ contentType: String?) throws {
        for headers in [["cloudEvents_specversion": "1.0", "cloudEvents_id": "1"], [:]] {
            let message = IncomingMessage(body: Array("{}".utf8), contentType: contentType, headers: headers, attributesCut: true)
            let rejection = try Sample.rejection(Sample.decoder.decode(message, rights: .unrestricted, now: Sample.now))
            #expect(rejection.reason == .headersTooLarge && rejection.raw == Array("{}".utf8) && !rejection.isReplayable)
        }
        let structured = IncomingMessage(body: Array(Sample.plain.utf8), contentType: "application/cloudevents+json", attributesCut: true)
        #expect(Sample.decoder.decode(structured, rights: .unrestricted, now: Sample.now).intents.count == 1)
    }

    @Test func anUnroutableMessageIsKeptEventByEventWithTheRightKey() {
        let body = Array("[\(Sample.plain),\(Sample.event(data: "{}", type: "nope"))]".utf8)
        let message = IncomingMessage(body: body, contentType: batch, isUnroutable: true)
        let decoded = Sample.decoder.decode(message, rights: .unrestricted, now: Sample.now)
        #expect(decoded.intents.isEmpty && decoded.rejections.map(\.reason) == [.unroutable, .unroutable])
        #expect(decoded.rejections[0].message.contains("transactional.orderUpdate"))
        #expect(decoded.rejections.allSatisfy { !$0.isReplayable }, "a replay has the same routing key")
    }

    @Test func anIntentThatTheStoreRefusesIsKeptTheSameWay() throws {
        let body = Array("[\(Sample.plain),\(Sample.event(data: #"{"recipients":["a","b"],"title":"T"}"#))]".utf8)
        let message = IncomingMessage(body: body, contentType: batch)
        let decoded = Sample.decoder.decode(message, rights: .unrestricted, now: Sample.now)
        let rejection = Sample.decoder.rejection(of: try #require(decoded.intents.first), in: message, .idempotencyConflict, "asked before")
        #expect(rejection.raw == Array(Sample.plain.utf8) && rejection.recipients == 1 && !rejection.isReplayable)
        #expect(rejection.source == "/shop" && rejection.eventID == "o-17" && rejection.type == "orderUpdate")
    }
}
