import Testing
import TidingsCore

@testable import TidingsCatalogue
@testable import TidingsContracts
@testable import TidingsPipeline

/// A decoder with a catalogue made for these tests, and events for it.
enum Sample {
    /// 2026-06-01T12:00:00Z.
    static let now = Timestamp(seconds: 1_780_315_200)

    static let decoder: IntentDecoder = {
        do {
            return try IntentDecoder(catalogue: CompiledCatalogue(CatalogueFile.parse(yaml: catalogue)))
        } catch {
            preconditionFailure("the catalogue of the tests is broken: \(error)")
        }
    }()

    static let catalogue = """
        types:
          orderUpdate: {category: transactional, allowsCritical: true}
          promotion: {category: marketing}
          metadata: {category: system, silent: true, channels: [push]}
          invoice:
            category: transactional
            title: "Invoice {{number}}"
            body: "{{total}} due"
            schema:
              type: object
              required: [number]
              properties:
                number: {type: string, minLength: 1}
                total: {type: number}
                due: {type: string, format: date}
              additionalProperties: false
        """

    /// An event of type `orderUpdate` with this `data`.
    static func event(data: String, type: String = "orderUpdate", more: String = "") -> String {
        #"{"specversion":"1.0","id":"o-17","source":"/shop","type":"\#(type)","data":\#(data)\#(more)}"#
    }

    static let plain = event(data: #"{"recipient":"user-42","title":"Your order shipped","data":{"orderId":"17"}}"#)

    static func decode(
        _ body: String, contentType: String? = "application/cloudevents+json", headers: [String: String] = [:],
        rights: ProducerRights = .unrestricted
    ) -> DecodedMessage {
        decode(Array(body.utf8), contentType: contentType, headers: headers, rights: rights)
    }

    static func decode(
        _ body: [UInt8], contentType: String? = "application/cloudevents+json", headers: [String: String] = [:],
        rights: ProducerRights = .unrestricted
    ) -> DecodedMessage {
        decoder.decode(IncomingMessage(body: body, contentType: contentType, headers: headers), rights: rights, now: now)
    }

    static func intent(_ body: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> DecodedIntent {
        let decoded = decode(body)
        #expect(decoded.rejections.isEmpty, "\(decoded.rejections)", sourceLocation: sourceLocation)
        return try #require(decoded.intents.first, sourceLocation: sourceLocation)
    }

    /// The rejection of a message that must give exactly one rejection and no intent.
    static func rejection(_ decoded: DecodedMessage, sourceLocation: SourceLocation = #_sourceLocation) throws -> Rejection {
        #expect(decoded.intents.isEmpty, sourceLocation: sourceLocation)
        #expect(decoded.rejections.count == 1, sourceLocation: sourceLocation)
        return try #require(decoded.rejections.first, sourceLocation: sourceLocation)
    }
}
