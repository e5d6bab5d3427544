import Testing
import TidingsCore
import TidingsJSON
import TidingsStore

@testable import TidingsContracts
@testable import TidingsPipeline

/// The examples of CloudEvents 1.0.2: its events as they are, apart from data that is none of Tidings.
@Suite struct CloudEventsExampleTests {
    private func attributes(_ event: String) throws -> EventAttributes {
        try EventAttributes(try #require(try JSON.parse(event).objectValue), limits: IntentLimits())
    }

    /// JSON format, section 3.2: an event with a JSON object, with extensions, and with attributes that are null.
    @Test func theEventWithAnObject() throws {
        let found = try attributes(
            """
            {
                "specversion" : "1.0", "type" : "com.example.someevent", "source" : "/mycontext", "subject": null,
                "id" : "C234-1234-1234", "time" : "2018-04-05T17:31:00Z", "comexampleextension1" : "value",
                "comexampleothervalue" : 5, "unsetextension": null, "datacontenttype" : "application/json",
                "data" : { "appinfoA" : "abc", "appinfoB" : 123, "appinfoC" : true }
            }
            """)
        #expect(found.type == "com.example.someevent" && found.source == "/mycontext" && found.id == "C234-1234-1234")
        #expect(found.time?.rfc3339 == "2018-04-05T17:31:00.000Z")
        #expect(found.data.keys == ["appinfoA", "appinfoB", "appinfoC"])
    }

    /// Section 2.3, and the examples of `source` and `id` of the specification.
    @Test(arguments: [
        "https://github.com/cloudevents", "mailto:cncf-wg-serverless@lists.cncf.io", "urn:uuid:6e8bc430-9c3a-11d9-9669-0800200c9a66",
        "cloudevents/spec/pull/123", "/sensors/tn-1234567/alerts", "1-555-123-4567", "/mycontext",
    ])
    func everySourceOfTheStandard(_ source: String) throws {
        let found = try attributes(
            #"{"specversion":"1.0","id":"1234-1234-1234","source":"\#(source)","type":"com.example.object.deleted.v2","time":null,"data":{}}"#
        )
        #expect(found.source == source && found.time == nil)
    }

    /// Section 4.3: "also valid in a request".
    @Test func theEmptyBatch() {
        let batch = "application/cloudevents-batch+json"
        let decoded = Sample.decode("[]", contentType: batch)
        #expect(decoded.intents.isEmpty && decoded.rejections.isEmpty && decoded.taken == 0)
        let key = CallerKey(id: "0123456789abcdef", name: "shop", tenant: nil, scopes: [.intentsWrite])
        for contentType in [batch, "application/json"] {
            let body = SubmittedBody(
                SubmittedRequest(body: Array(" [ ] ".utf8), contentType: contentType, key: key), decoder: Sample.decoder,
                rights: .unrestricted, now: Sample.now)
            #expect(body.faults.isEmpty && body.events.isEmpty, "\(body.faults)")
        }
    }

    /// AMQP binding, sections 3.1.2, 3.1.4 and 3.2.1.
    @Test(arguments: ["application/json; charset=utf-8", "application/json;charset=utf-8", "application/json;charset=\"UTF-8\"", ""])
    func theBinaryMessage(_ contentType: String) throws {
        let headers = [
            "cloudEvents:specversion": "1.0", "cloudEvents:type": "orderUpdate", "cloudEvents:time": "2018-04-05T03:56:24Z",
            "cloudEvents:id": "1234-1234-1234", "cloudEvents:source": "/mycontext/subcontext",
        ]
        let decoded = Sample.decode(#"{"recipient":"a","title":"T"}"#, contentType: contentType, headers: headers)
        let intent = try #require(decoded.intents.first?.intent, "\(decoded.rejections)")
        #expect(intent.id == "1234-1234-1234" && intent.source == "/mycontext/subcontext")
        #expect(intent.time?.rfc3339 == "2018-04-05T03:56:24.000Z")
    }

    @Test(arguments: [
        "application/cloudevents+json; charset=UTF-8", "application/cloudevents+json; charset=utf-8", "APPLICATION/CloudEvents+Json",
        "application/cloudevents+json; profile=\"a; charset=latin1\"", "application/cloudevents+json ;charset=\"utf-8\"; v=1",
    ])
    func theStructuredMessage(_ contentType: String) { #expect(Sample.decode(Sample.plain, contentType: contentType).intents.count == 1) }

    /// A content type that is no media type. The producer is told what to set.
    @Test func aShortNameIsToldInFull() throws {
        let rejection = try Sample.rejection(Sample.decode(Sample.plain, contentType: "cloudevents+json"))
        #expect(
            rejection.reason == .unsupportedContentType && rejection.message.contains("set the content type application/cloudevents+json"))
    }
}
