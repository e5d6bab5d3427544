import Testing
import TidingsContracts
import TidingsCore
import TidingsJSON

@testable import TidingsPipeline

@Suite struct ValidIntentTests {
    @Test func everyMemberArrives() throws {
        let decoded = try Sample.intent(
            Sample.event(
                data: """
                    {"recipient":"user-42","title":"T","body":"B","data":{"orderId":"17", "n": [1, 2.50]},
                    "channels":["webhook","push","webhook"],
                    "scheduledFor":"2026-06-02T09:00:00+02:00","expiresAt":"2026-06-03T00:00:00Z","groupKey":"g","collapseKey":"c",
                    "critical":true,"market":"default","tenant":"acme"}
                    """,
                more:
                    #","time":"2026-06-01T11:59:00Z","traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01","subject":"x""#
            ))
        let intent = Intent(
            tenant: "acme", source: "/shop", id: "o-17", type: "orderUpdate", time: Timestamp(seconds: 1_780_315_140), recipient: "user-42",
            content: Content(title: "T", body: "B", data: #"{"orderId":"17","n":[1,2.50]}"#, groupKey: "g", collapseKey: "c"),
            channels: [.webhook, .push],
            scheduledFor: Timestamp(seconds: 1_780_383_600), expiresAt: Timestamp(seconds: 1_780_444_800),
            critical: true, market: "default", traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        #expect(decoded.intent == intent)
        #expect(decoded.notes.isEmpty)
    }

    @Test func theLeastThatIsNeededIsEnough() throws {
        let intent = try Sample.intent(Sample.event(data: #"{"recipient":"u","title":"T"}"#)).intent
        #expect(intent == Intent(source: "/shop", id: "o-17", type: "orderUpdate", recipient: "u", content: Content(title: "T")))
        #expect(intent.tenant == "default" && intent.data == "{}")
    }

    @Test func nullIsTheSameAsAbsent() throws {
        let nulls = IntentRequest.memberNames.filter { $0 != "recipient" && $0 != "title" }.map { "\"\($0)\":null" }.joined(separator: ",")
        let with = try Sample.intent(
            Sample.event(data: "{\"recipient\":\"u\",\"title\":\"T\",\(nulls)}", more: #","time":null,"data_base64":null"#))
        let without = try Sample.intent(Sample.event(data: #"{"title":"T","recipient":"u"}"#))
        #expect(with.intent == without.intent)
        #expect(with.contentHash == without.contentHash && with.idempotencyKey == without.idempotencyKey)
    }

    /// An empty collapse key would be a key that all such notifications share: each would replace the one before.
    @Test func anEmptyOptionalTextIsTheSameAsAbsent() throws {
        let names = Content.Field.allCases.map(\.rawValue) + ["market"]
        let empty = names.map { "\"\($0)\":\"\"" }.joined(separator: ",")
        let data = #"{"recipient":"u","data":{"number":"7"}"#
        let without = try Sample.intent(Sample.event(data: data + "}", type: "invoice"))
        let more = [#","datacontenttype":"""#, #","traceparent":"""#].joined()
        let with = try Sample.intent(Sample.event(data: "\(data),\(empty)}", type: "invoice", more: more))
        #expect(with.intent == without.intent && with.intent.title == "Invoice 7")
        #expect(with.contentHash == without.contentHash && with.idempotencyKey == without.idempotencyKey)

        let attributes = [
            "cloudEvents_specversion": "1.0", "cloudEvents_id": "o-17", "cloudEvents_source": "/shop", "cloudEvents_type": "invoice",
            "cloudEvents_traceparent": "",
        ]
        let binary = Sample.decode("\(data),\(empty)}", contentType: "", headers: attributes)
        #expect(binary.intents.first?.intent == without.intent, "\(binary.rejections)")
        #expect(binary.intents.first?.contentHash == without.contentHash)
    }

    @Test func manyRecipientsAreManyIntentsAndARepeatedOneCountsOnce() {
        let decoded = Sample.decode(Sample.event(data: #"{"recipients":["a","b","a","c"],"title":"T"}"#))
        #expect(decoded.rejections.isEmpty)
        #expect(decoded.intents.map(\.intent.recipient) == ["a", "b", "c"])
        #expect(Set(decoded.intents.map(\.idempotencyKey)).count == 3)
        #expect(Set(decoded.intents.map(\.contentHash)).count == 1)
        #expect(decoded.taken == 3)
    }

    @Test func twoNamesThatOnlyLookAlikeAreTwoPeople() {
        let decoded = Sample.decode(Sample.event(data: "{\"recipients\":[\"\u{E9}\",\"e\u{301}\"],\"title\":\"T\"}"))
        #expect(decoded.intents.count == 2)
    }

    @Test func titleAndBodyComeFromTheTemplateWhenAbsent() throws {
        let templated = try Sample.intent(Sample.event(data: #"{"recipient":"u","data":{"number":"7","total":12.50}}"#, type: "invoice"))
            .intent
        #expect(templated.title == "Invoice 7" && templated.body == "12.50 due")
        let own = try Sample.intent(
            Sample.event(data: #"{"recipient":"u","title":"Mine","data":{"number":"7"}}"#, type: "invoice")
        ).intent
        #expect(own.title == "Mine" && own.body == " due")
    }

    @Test func aSilentTypeNeedsNoTitle() throws {
        #expect(try Sample.intent(Sample.event(data: #"{"recipient":"u"}"#, type: "metadata")).intent.title == nil)
    }

    @Test func aTimeJustPastIsSentNowAndNoted() throws {
        let decoded = try Sample.intent(
            Sample.event(data: #"{"recipient":"u","title":"T","scheduledFor":"2026-05-31T12:00:00Z"}"#))
        #expect(decoded.notes == [.scheduledInPast])
    }

    /// Data that nobody will see is no error, and it is not silence either.
    @Test(
        arguments: [
            (#"{"recipient":"u","data":{"number":"17"}}"#, "invoice", [.placeholderEmpty]),
            (#"{"recipient":"u","data":{"number":"17","total":4.5}}"#, "invoice", []),
            (#"{"recipient":"u","title":"T","body":"B","data":{"number":"17"}}"#, "invoice", []),
            (#"{"recipient":"u","data":{"aps":{"badge":1}}}"#, "metadata", [.fieldLeftOut]),
            (#"{"recipient":"u","data":{"type":"sync"}}"#, "metadata", [.fieldLeftOut]),
            (#"{"recipient":"u","data":{"feed":"sync"}}"#, "metadata", []),
            (#"{"recipient":"u","title":"T","data":{"aps":{"badge":1}}}"#, "orderUpdate", []),
        ] as [(String, String, [ReasonCode])])
    func unseenDataIsNoted(data: String, type: String, notes: [ReasonCode]) throws {
        #expect(try Sample.intent(Sample.event(data: data, type: type)).notes == notes)
    }

    @Test func contentTypesMayHaveParametersAndAnyCase() {
        for type in [
            "Application/CloudEvents+JSON; charset=UTF-8", "application/cloudevents+json;charset=\"utf-8\" ",
            "application/cloudevents+json",
        ] {
            #expect(Sample.decode(Sample.plain, contentType: type).intents.count == 1, "\(type)")
        }
    }

    @Test func extensionsOfOthersAreIgnored() {
        #expect(
            Sample.decode(Sample.event(data: #"{"recipient":"u","title":"T"}"#, more: #","partitionkey":"x","sequence":5"#)).intents.count
                == 1)
    }

    @Test func aTraceparentMayComeAsAHeaderAndABrokenOneIsIgnored() throws {
        let valid = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        #expect(Sample.decode(Sample.plain, headers: ["traceparent": valid]).intents.first?.intent.traceparent == valid)
        #expect(Sample.decode(Sample.plain, headers: ["traceparent": "00-zz"]).intents.first?.intent.traceparent == nil)
    }
}
