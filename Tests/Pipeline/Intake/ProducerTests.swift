import Testing
import TidingsCore
import TidingsStore

@testable import TidingsAMQP
@testable import TidingsCatalogue
@testable import TidingsContracts
@testable import TidingsPipeline

/// The producer of a message, and the rights that follow from it.
@Suite struct ProducerTests {
    private static let catalogue = Catalogue.builtIn.restricted(to: [
        "caf\u{E9}": ProducerEntry(tenants: ["acme"]), "relay": ProducerEntry(tenants: [], vouches: true),
        "db:shop": ProducerEntry(tenants: ["acme"]),
    ])

    /// The header counts only from the roles' own user and from a user that vouches.
    @Test func aHeaderIsBelievedFromFew() {
        let said = "db:shop"
        let cases: [(user: String?, said: String?, producer: String?)] = [
            ("roles", said, said), ("relay", said, said), ("roles", nil, "roles"), ("relay", nil, "relay"), ("roles", "", nil),
            ("web", said, "web"), ("web", nil, "web"), ("web", "", "web"), (nil, said, nil), (nil, nil, nil),
            // A user of the broker with the name of a database role is no producer.
            ("db:shop", nil, nil), ("db:shop", "web", nil), ("Roles", said, "Roles"),
        ]
        for asked in cases {
            let message = Self.message(user: asked.user, said: asked.said)
            #expect(message.producer(trusted: "roles", catalogue: Self.catalogue) == asked.producer, "\(asked)")
        }
    }

    /// Two users in one batch whose names are equal for Swift.
    @Test func anEquivalentNameGetsNoRights() throws {
        let decoder = IntentDecoder(catalogue: try CompiledCatalogue(CatalogueFile.sealed(Self.catalogue)))
        let messages = ["caf\u{E9}", "cafe\u{301}"].map { Self.message(user: $0, said: nil) }
        let pieces = DecodedMessages.pieces(of: messages, decoder: decoder, trusted: "roles", now: Timestamp(seconds: 1_780_315_200))
        let batches = pieces.map(\.batch)
        #expect(batches.flatMap(\.intents).count == 1)
        let refused = batches.flatMap(\.refused)
        #expect(refused.map(\.rejection.reason) == [.tenantForbidden])
        #expect(refused.first?.producer.map { Array($0.utf8) } == Array("cafe\u{301}".utf8))
    }

    private static func message(user: String?, said: String?) -> AMQPMessage {
        let event =
            #"{"specversion":"1.0","id":"1","source":"/s","type":"orderUpdate","data":{"recipient":"a","title":"T","tenant":"acme"}}"#
        return AMQPMessage(
            tag: DeliveryTag(generation: 1, value: 1), body: Array(event.utf8), isBodyTruncated: false,
            contentType: "application/cloudevents+json", headers: said.map { [QueueNames.producerHeader: .string($0)] } ?? [:],
            headersTooDeep: false, headersCut: false, neededHeadersCut: false, headerWeight: 0, messageID: nil, userID: user, appID: nil,
            correlationID: nil, type: nil, timestamp: nil,
            exchange: QueueNames.intentsExchange, routingKey: "transactional.orderUpdate", queue: "q", redelivered: false, deliveryCount: 0)
    }
}

extension Catalogue {
    fileprivate func restricted(to producers: [String: ProducerEntry]) -> Catalogue {
        var restricted = self
        restricted.producers = producers
        return restricted
    }
}
