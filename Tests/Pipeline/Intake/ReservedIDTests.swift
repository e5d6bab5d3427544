import Testing
import TidingsCore
import TidingsStore

@testable import TidingsAMQP
@testable import TidingsCatalogue
@testable import TidingsContracts
@testable import TidingsPipeline

/// The ids in the header of a message, and whom the router believes about them.
@Suite struct ReservedIDTests {
    private static let now = Timestamp(seconds: 1_780_315_200)
    private static let ids = (1...2).map { id(at: now, random: $0) }

    @Test func idsSurviveTheHeader() {
        #expect(ReservedIDs.decode(ReservedIDs.encode(Self.ids)) == Self.ids)
        let many = (1...1_000).map { Self.id(at: Self.now, random: $0) }
        guard case .bytes(let bytes) = ReservedIDs.encode(many) else {
            Issue.record("no bytes")
            return
        }
        #expect(bytes.count + QueueNames.idsHeader.utf8.count < AMQPMessage.maximumHeaderBytes - 256, "beside the other headers")
        // The bytes of an id may happen to be UTF-8, and then the driver reads them as a text.
        #expect(ReservedIDs.decode(.string("0123456\u{0}7890123456")) == nil)
    }

    @Test func onlyUsersThatVouchAreBelieved() {
        let header = ReservedIDs.encode(Self.ids)
        for user in ["roles", "relay"] { #expect(Self.intents(user: user, header).map(\.reservedID) == Self.ids, "\(user)") }
        for user in ["web", "Roles"] {
            #expect(Self.intents(user: user, header).map(\.reservedID) == [nil, nil], "\(user)")
        }
    }

    /// The intents stay, with ids of the router's own.
    @Test func hostileHeadersHaveNoEffect() {
        let (first, second) = (Self.ids[0], Self.ids[1])
        let old = Self.id(at: Self.now.adding(.zero - ReservedIDs.longestAge), random: 1)
        let ahead = Self.id(at: Self.now.adding(ReservedIDs.longestLead + .seconds(1)), random: 1)
        let version4 = NotificationID(high: first.high & ~0xF000 | 0x4000, low: first.low)
        let headers: [AMQPValue] = [
            ReservedIDs.encode([first]), ReservedIDs.encode([first, second, old]), ReservedIDs.encode([first, first]),
            ReservedIDs.encode([version4, second]), ReservedIDs.encode([old, ahead]), .bytes([]), .bytes([1, 2, 3]), .string("\(first)"),
            .array([.string("\(first)"), .string("\(second)")]), .int(7), .void, .table([:]),
        ]
        for header in headers { #expect(Self.intents(user: "roles", header).map(\.reservedID) == [nil, nil], "\(header)") }
        #expect(Self.intents(user: "roles", ReservedIDs.encode([old, second])).map(\.reservedID) == [nil, second])
    }

    private static func intents(user: String?, _ header: AMQPValue) -> [DecodedIntent] {
        let event =
            #"{"specversion":"1.0","id":"1","source":"/s","type":"orderUpdate","data":{"recipients":["a","b"],"title":"T"}}"#
        let message = AMQPMessage(
            tag: DeliveryTag(generation: 1, value: 1), body: Array(event.utf8), isBodyTruncated: false,
            contentType: "application/cloudevents+json", headers: [QueueNames.idsHeader: header], headersTooDeep: false, headersCut: false,
            neededHeadersCut: false, headerWeight: 0, messageID: nil, userID: user, appID: nil, correlationID: nil, type: nil,
            timestamp: nil, exchange: QueueNames.intentsExchange, routingKey: "transactional.orderUpdate", queue: "q", redelivered: false,
            deliveryCount: 0)
        do {
            var catalogue = Catalogue.builtIn
            catalogue.producers = ["relay": ProducerEntry(tenants: ["default"], vouches: true), "web": ProducerEntry(tenants: ["default"])]
            let decoder = IntentDecoder(catalogue: try CompiledCatalogue(CatalogueFile.sealed(catalogue)))
            return DecodedMessages.pieces(of: [message], decoder: decoder, trusted: "roles", now: now).flatMap(\.batch.intents)
        } catch {
            Issue.record("\(error)")
            return []
        }
    }

    private static func id(at time: Timestamp, random: Int) -> NotificationID {
        NotificationID(milliseconds: UInt64(time.microseconds / 1_000), fraction: 0, random: UInt64(random))
    }
}
