import Testing
import TidingsContracts
import TidingsCore
import TidingsCrypto

@Suite struct ContentModeTests {
    private let attributes = [
        "cloudEvents_specversion": "1.0", "cloudEvents_id": "o-17", "cloudEvents_source": "/shop", "cloudEvents_type": "orderUpdate",
    ]
    private let data = #"{"recipient":"user-42","title":"Your order shipped","data":{"orderId":"17"}}"#

    @Test func binaryModeIsTheSameEvent() throws {
        let structured = try Sample.intent(Sample.plain)
        for contentType in ["application/json", "application/json; charset=utf-8", nil] {
            let decoded = Sample.decode(data, contentType: contentType, headers: attributes)
            let intent = try #require(decoded.intents.first, "\(decoded.rejections)")
            #expect(intent.intent == structured.intent)
            #expect(intent.idempotencyKey == structured.idempotencyKey && intent.contentHash == structured.contentHash)
        }
    }

    @Test func bothPrefixesCountInAnyCase() {
        let colons = Dictionary(uniqueKeysWithValues: attributes.map { ($0.key.replacing("cloudEvents_", with: "cloudEvents:"), $0.value) })
        let lower = Dictionary(uniqueKeysWithValues: attributes.map { ($0.key.lowercased(), $0.value) })
        #expect(Sample.decode(data, contentType: "application/json", headers: colons).intents.count == 1)
        #expect(Sample.decode(data, contentType: "application/json", headers: lower).intents.count == 1)
    }

    /// The header would be ignored, and the event would go to the tenant `default`.
    @Test func aMemberOfDataInAHeaderIsRefused() throws {
        for name in ["tenant", "channels", "scheduledfor"] {
            let headers = attributes.merging(["cloudEvents_\(name)": "acme"]) { $1 }
            let rejection = try Sample.rejection(Sample.decode(data, contentType: "application/json", headers: headers))
            #expect(rejection.reason == .invalidAttribute && rejection.pointer == "/\(name)", "\(rejection.message)")
        }
        let headers = attributes.merging(["cloudEvents_recipient": "user-42"]) { $1 }
        #expect(Sample.decode(data, contentType: "application/json", headers: headers).intents.count == 1)
    }

    @Test func aRefusedBinaryEventIsKeptSoThatItCanBeSentAgain() throws {
        var headers = attributes
        headers["cloudEvents_type"] = "nope"
        let rejection = try Sample.rejection(Sample.decode(data, contentType: "application/json", headers: headers))
        #expect(rejection.reason == .unknownType && rejection.type == "nope" && rejection.isReplayable)
        #expect(rejection.size == data.utf8.count && rejection.sha256 == SHA256.hash(data.utf8))
        #expect(rejection.raw == Array(data.utf8) && rejection.contentType == "application/json")
        #expect(rejection.attributes.contains(HeaderAttribute(name: "type", value: "nope")) && rejection.attributes.count == 4)
        let again = Sample.decode(rejection.raw, contentType: rejection.contentType, headers: headers)
        #expect(again.rejections == [rejection], "a replay is refused as the same event")
    }

    /// The body alone does not tell such events apart, whether their mode is read or not.
    @Test(arguments: ["application/json", nil, "text/xml", "application/cloudevents+avro"])
    func twoEventsWithOneBodyDifferInTheirAttributes(_ contentType: String?) throws {
        let rejections = try ["o-17", "o-18"].map { id in
            let headers = attributes.merging(["cloudEvents_id": id, "cloudEvents_type": "nope"]) { $1 }
            return try Sample.rejection(Sample.decode(data, contentType: contentType, headers: headers))
        }
        #expect(rejections[0].sha256 == rejections[1].sha256 && rejections[0].reason == rejections[1].reason)
        #expect(rejections[0].attributes != rejections[1].attributes)
    }

    /// The headers of another binding. Without them, all such events with one body were one row without a name.
    @Test(arguments: ["ce-", "ce_", "ce:", "Ce-", "cloudEvents-"], ["application/json", nil, "text/xml", "application/cloudevents+avro"])
    func attributesInAForeignSpellingAreClaims(_ prefix: String, _ contentType: String?) throws {
        let rejections = try ["o-17", "o-18", "o-19"].map { id in
            let headers = [
                "\(prefix)specversion": "1.0", "\(prefix)id": id, "\(prefix)source": "/shop", "\(prefix)Type": "orderUpdate",
                "x-tries": "1",
            ]
            return try Sample.rejection(Sample.decode(data, contentType: contentType, headers: headers))
        }
        #expect(Set(rejections.map(\.attributes)).count == 3)
        #expect(rejections.map(\.eventID) == ["o-17", "o-18", "o-19"])
        for rejection in rejections {
            #expect(rejection.reason == .unsupportedContentType && !rejection.isReplayable && !rejection.isVerified)
            #expect(rejection.source == "/shop" && rejection.type == "orderUpdate" && rejection.recipientIDs == ["user-42"])
            let namesPrefix =
                rejection.message.contains("\"\(prefix.lowercased())\"") && rejection.message.contains("begin with cloudEvents_")
            #expect(namesPrefix || contentType == "application/cloudevents+avro", "\(rejection.message)")
        }
    }

    /// A header that only begins with the same letters, and an event that has its attributes in its body.
    @Test func otherHeadersAreNoAttributes() throws {
        let plain = try Sample.rejection(Sample.decode(data, contentType: "application/json", headers: ["ce-region": "eu", "CE_": "1"]))
        #expect(plain.attributes.isEmpty && !plain.message.contains("\"ce-\""))
        let structured = try Sample.rejection(Sample.decode(Sample.plain, contentType: nil, headers: ["ce-id": "other"]))
        #expect(structured.attributes.isEmpty && structured.eventID == "o-17" && structured.recipientIDs == ["user-42"])
    }

    /// The order of headers differs from process to process, so neither value may win.
    @Test(arguments: ["CloudEvents_id", "cloudEvents:id", "CLOUDEVENTS:id"])
    func anAttributeWithTwoValuesIsRefused(_ second: String) throws {
        let headers = attributes.merging([second: "o-18"]) { $1 }
        let rejection = try Sample.rejection(Sample.decode(data, contentType: "application/json", headers: headers))
        #expect(rejection.reason == .invalidAttribute && rejection.pointer == "/id", "\(rejection.message)")
        #expect(rejection.attributes.filter { $0.name == "id" }.map(\.value) == ["o-17", "o-18"])
        #expect(rejection.eventID == "o-17" && !rejection.isVerified && !rejection.isReplayable)
        let same = attributes.merging([second: "o-17"]) { $1 }
        #expect(Sample.decode(data, contentType: "application/json", headers: same).intents.map(\.intent.id) == ["o-17"])
    }

    /// Headers have no meaning for a structured event, and two such events with the same bytes are one.
    @Test func aStructuredEventHasNoAttributesInHeaders() throws {
        let rejection = try Sample.rejection(Sample.decode(Sample.event(data: "{}", type: "nope"), headers: attributes))
        #expect(rejection.attributes.isEmpty)
    }

    @Test func binaryDataThatIsNoJSONIsKeptAsItCame() throws {
        let rejection = try Sample.rejection(Sample.decode("{oops", contentType: "application/json", headers: attributes))
        #expect(rejection.reason == .notJSON && rejection.raw == Array("{oops".utf8) && !rejection.isReplayable)
        #expect(rejection.eventID == "o-17")
    }

    @Test func binaryModeWithoutDataSaysSo() throws {
        let rejection = try Sample.rejection(Sample.decode("", contentType: "application/json", headers: attributes))
        #expect(rejection.reason == .missingAttribute && rejection.pointer == "/data")
    }

    static let unsupported: [(String?, String, String)] = [
        (nil, Sample.plain, "set the content type application/cloudevents+json"),
        ("", Sample.plain, "set the content type application/cloudevents+json"),
        ("application/json", Sample.plain, "set the content type application/cloudevents+json"),
        (nil, "hello", "no content type"),
        ("text/plain", "hello", "\"text/plain\""),
        ("application/cloudevents+avro", "x", "application/cloudevents+avro"),
        ("application/cloudevents+json; charset=iso-8859-1", Sample.plain, "iso-8859-1"),
    ]

    @Test(arguments: unsupported) func anythingElseIsRefusedWithWhatToDo(contentType: String?, body: String, part: String) throws {
        let rejection = try Sample.rejection(Sample.decode(body, contentType: contentType))
        #expect(rejection.reason == .unsupportedContentType)
        #expect(rejection.message.contains(part), "\(rejection.message)")
        #expect(rejection.raw == Array(body.utf8) && rejection.contentType == contentType)
    }

    @Test func binaryModeWithOtherDataIsRefused() throws {
        let rejection = try Sample.rejection(Sample.decode("<a/>", contentType: "text/xml", headers: attributes))
        #expect(rejection.reason == .unsupportedContentType && rejection.message.contains("application/json"))
    }
}
