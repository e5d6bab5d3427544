import Testing
import TidingsContracts
import TidingsCore
import TidingsJSON

@testable import TidingsPipeline

/// A refused event names its source, id, type, tenant and people, as far as they stand before the fault.
@Suite struct EventClaimsTests {
    private static let attributes = #""specversion":"1.0","id":"o-17","source":"/shop","type":"orderUpdate""#
    private static let data = #"{"tenant":"acme","recipient":"paula","title":"T"}"#

    /// Names of one event. Nil for a name that cannot be read.
    struct Names: Equatable, Sendable {
        var source: String? = "/shop"
        var id: String? = "o-17"
        var type: String? = "orderUpdate"
        var tenant: String? = "acme"
        var people = ["paula"]

        init(source: String? = "/shop", id: String? = "o-17", type: String? = "orderUpdate", tenant: String? = "acme", _ people: String...)
        {
            (self.source, self.id, self.type, self.tenant, self.people) = (source, id, type, tenant, people)
        }

        init(_ rejection: Rejection) {
            (source, id, type, tenant) = (rejection.source, rejection.eventID, rejection.type, rejection.tenant)
            people = rejection.recipientIDs
        }
    }

    struct Broken: Sendable, CustomTestStringConvertible {
        let body: String
        var contentType: String? = "application/cloudevents+json"
        let names: Names
        var testDescription: String { body }
    }

    static let broken: [Broken] = [
        // A fault behind everything.
        Broken(body: "{\(attributes),\"data\":\(data)", names: Names("paula")),
        Broken(body: "{\(attributes),\"data\":\(data)}}", names: Names("paula")),
        Broken(body: "{\(attributes),\"data\":{\"tenant\":\"acme\",\"recipient\":\"paula\",\"title\":\"never ends", names: Names("paula")),
        Broken(body: "{\(attributes),\"data\":\(data),'x':1}", names: Names("paula")),
        // A fault that hides only its own member.
        Broken(body: #"{"x":NaN,\#(attributes),"time":"\ud800","data":\#(data)}"#, names: Names("paula")),
        Broken(body: "{\"x\":\"a\nb\",\(attributes),\"data\":\(data)}", names: Names("paula")),
        Broken(body: "{\(attributes),\"id\":\"second\",\"data\":\(data)}", names: Names("paula")),
        Broken(
            body: "{\"x\":\(String(repeating: "[", count: 9_000))\(String(repeating: "]", count: 9_000)),\(attributes),\"data\":\(data)}",
            names: Names("paula")),
        // A fault before some of the members.
        Broken(body: #"{"id":"o-17","source":"/shop","type":"orderUpdate""#, names: Names(tenant: nil)),
        Broken(body: #"{"id":"o-17","source":"/shop" "type":"x","data":{}}"#, names: Names(source: nil, type: nil, tenant: nil)),
        Broken(body: #"{"id":"o-17","source":"/shop,"type":"x","data":{}}"#, names: Names(source: nil, type: nil, tenant: nil)),
        Broken(body: #"{"id":"o-17","source":"/sh"#, names: Names(source: nil, type: nil, tenant: nil)),
        Broken(body: #"{"id":17"#, names: Names(source: nil, id: nil, type: nil, tenant: nil)),
        // A member of a wrong type or in a wrong place.
        Broken(
            body: #"{"id":17,"source":["/shop"],"type":null,"data":{"recipient":42}}"#,
            names: Names(source: nil, id: "17", type: nil, tenant: nil, "42")),
        Broken(body: "{\(attributes),\"data\":{\"tenant\":{},\"recipients\":\"paula\"}}", names: Names(tenant: nil, "paula")),
        Broken(body: "{\(attributes),\"data\":{\"recipient\":[\"paula\",null,\"\",7,\"paula\"]}}", names: Names(tenant: nil, "paula", "7")),
        Broken(body: "{\(attributes),\"recipient\":\"paula\",\"data\":{}}", names: Names(tenant: nil, "paula")),
        Broken(body: #"{\#(attributes),"data":"{\"tenant\":\"acme\",\"recipient\":\"paula\"}"}"#, names: Names("paula")),
        Broken(body: "{\(attributes),\"data\":[\(data)]}", names: Names(tenant: nil)),
        // Another form than the content type says, or none.
        Broken(body: "{\(attributes),\"data\":\(data)}", contentType: "text/plain", names: Names("paula")),
        Broken(body: "{\(attributes),\"data\":\(data)}", contentType: nil, names: Names("paula")),
        Broken(body: "[{\(attributes),\"data\":\(data)}]", names: Names("paula")),
        Broken(body: "hello", names: Names(source: nil, id: nil, type: nil, tenant: nil)),
        Broken(body: "", names: Names(source: nil, id: nil, type: nil, tenant: nil)),
        // A batch that cannot be separated has the attributes of its first event, and the people of all.
        Broken(
            body: #"[{\#(attributes),"data":\#(data)},{"id":"o-18","source":"/web","data":{"recipients":["ann","paula"]}},{"#,
            contentType: "application/cloudevents-batch+json", names: Names("paula", "ann")),
    ]

    @Test(arguments: broken) func aBrokenEventIsNotAnonymous(_ broken: Broken) throws {
        let rejection = try Sample.rejection(Sample.decode(broken.body, contentType: broken.contentType))
        #expect(Names(rejection) == broken.names)
        #expect(!rejection.isVerified)
    }

    /// An event is read up to the limit of a message. Only its first 64 KiB are kept.
    @Test func anEventThatIsTooLargeIsNotAnonymous() throws {
        let limits = IntentLimits()
        let text = String(repeating: "x", count: limits.maximumMessageBytes)
        for (title, tenant) in [(text, nil), (String(text.prefix(limits.maximumEventBytes)), "acme")] as [(String, String?)] {
            let known = "{\(Self.attributes),\"data\":{\"recipient\":\"paula\",\"title\":\"\(title)\",\"tenant\":\"acme\"}}"
            let rejection = try Sample.rejection(Sample.decode(known))
            #expect(Names(rejection) == Names(tenant: tenant, "paula") && !rejection.isVerified, "\(rejection.reason)")
        }
    }

    /// PostgreSQL writes the members of `jsonb` by the length of their names, so `data` stands before `source` and `type`.
    @Test func aLargeEventMayHaveItsDataBeforeItsAttributes() throws {
        let limits = IntentLimits()
        let title = String(repeating: "x", count: limits.maximumEventBytes)
        let event =
            #"{"id":"o-17","data":{"title":"\#(title)","tenant":"acme","recipient":"paula"},"type":"orderUpdate","source":"/shop"}"#
        for (body, contentType) in [
            (event, "application/cloudevents+json"), ("[{\"id\":\"other\"},\(event)]", "application/cloudevents-batch+json"),
        ] {
            let rejection = try #require(Sample.decode(body, contentType: contentType).rejections.last)
            #expect(rejection.reason == .tooLarge && Names(rejection) == Names("paula"))
            #expect(rejection.raw.count == limits.keptRawBytes && !rejection.isVerified)
        }
        let headers = ["cloudEvents_id": "o-17", "cloudEvents_source": "/shop", "cloudEvents_type": "orderUpdate"]
        let data = #"{"title":"\#(title)","recipient":"paula","tenant":"acme"}"#
        let binary = try Sample.rejection(Sample.decode(data, contentType: "application/json", headers: headers))
        #expect(binary.reason == .tooLarge && Names(binary) == Names("paula"))
    }

    /// A byte order mark, and an event or a batch that was encoded twice.
    @Test(arguments: ["application/cloudevents+json", "application/cloudevents-batch+json", "text/plain"])
    func anEventInAnotherFormIsNotAnonymous(_ contentType: String) throws {
        let event = #"{"data":{"tenant":"acme","recipient":"paula"},\#(Self.attributes)}"#
        let mark = "\u{FEFF}"
        for body in [mark + event, mark + "[\(event)]", JSON.string(event).serialized, JSON.string("[\(event)]").serialized] {
            let rejection = try Sample.rejection(Sample.decode(body, contentType: contentType))
            #expect(Names(rejection) == Names("paula") && !rejection.isVerified, "\(rejection.reason)")
            #expect(rejection.raw == Array(body.utf8))
        }
        // A string in a string in a string is no event any more.
        let thrice = JSON.string(JSON.string(event).serialized).serialized
        #expect(try Names(Sample.rejection(Sample.decode(thrice))) == Names(source: nil, id: nil, type: nil, tenant: nil))
    }

    @Test func dataOfBinaryModeMayBeEncodedTwice() throws {
        let headers = [
            "cloudEvents_specversion": "1.0", "cloudEvents_id": "o-17", "cloudEvents_source": "/shop", "cloudEvents_type": "orderUpdate",
        ]
        let rejection = try Sample.rejection(
            Sample.decode(JSON.string(Self.data).serialized, contentType: "application/json", headers: headers))
        #expect(Names(rejection) == Names("paula") && !rejection.isVerified)
    }

    /// Headers have the attributes, and the body has the data. Only one of the two may be broken.
    @Test(
        arguments: [
            ("{\"tenant\":\"acme\",\"recipient\":\"paula\",", "application/json", false), (data, "text/xml", false), (data, nil, true),
            (data, "application/json", true),
        ] as [(String, String?, Bool)])
    func binaryModeIsNotAnonymous(_ body: String, _ contentType: String?, isDecoded: Bool) throws {
        let headers = [
            "cloudEvents_specversion": "1.0", "cloudEvents_id": "o-17", "cloudEvents_source": "/shop",
            "cloudEvents:type": isDecoded ? "noType" : "orderUpdate",
        ]
        let rejection = try Sample.rejection(Sample.decode(body, contentType: contentType, headers: headers))
        #expect(Names(rejection) == Names(type: isDecoded ? "noType" : "orderUpdate", "paula"))
        #expect(rejection.isVerified == isDecoded)
    }

    /// A message is refused before its mode is read.
    @Test func theHeadersOfARefusedMessageAreRead() throws {
        for message in [
            IncomingMessage(body: Array("{\(Self.attributes),\"data\":\(Self.data)}".utf8), contentType: nil, headersTooDeep: true),
            IncomingMessage(
                body: Array(Self.data.utf8), contentType: "application/json",
                headers: ["cloudEvents_id": "o-17", "cloudEvents_source": "/shop", "cloudEvents_type": "orderUpdate"], attributesCut: true),
        ] {
            let rejection = try Sample.rejection(Sample.decoder.decode(message, rights: .unrestricted, now: Sample.now))
            #expect(Names(rejection) == Names("paula") && !rejection.isVerified, "\(rejection.reason)")
        }
    }

    /// A value that is cut short is never taken for a whole value.
    @Test func noBeginningOfAnEventGivesAPartOfAName() throws {
        let event = Array(
            #"{"id":"o-17","source":"/shop","type":"orderUpdate","data":{"tenant":"acme","recipients":["paula",1234]},"x":1}"#.utf8)
        for length in 0..<event.count {
            let rejection = try Sample.rejection(Sample.decode(Array(event.prefix(length))))
            let names = Names(rejection)
            #expect([nil, "o-17"].contains(names.id) && [nil, "/shop"].contains(names.source), "\(length)")
            #expect([nil, "orderUpdate"].contains(names.type) && [nil, "acme"].contains(names.tenant), "\(length)")
            #expect([[], ["paula"], ["paula", "1234"]].contains(names.people), "\(length)")
        }
    }

    /// Names are more than a claim when the event is valid and its producer may use them, whatever else is wrong.
    @Test func namesAreVerifiedIfTheirProducerMayUseThem() throws {
        let event = "{\(Self.attributes),\"data\":{\"recipient\":\"paula\",\"tenant\":\"acme\",\"market\":\"nowhere\",\"title\":\"T\"}}"
        func verified(_ event: String, _ rights: ProducerRights = .unrestricted) throws -> Bool {
            try Sample.rejection(Sample.decode(event, rights: rights)).isVerified
        }
        func rights(_ tenant: String, own: Set<String> = []) -> ProducerRights { .only(tenants: [tenant], own: own, others: []) }
        #expect(try verified(event))
        #expect(try verified(event, rights("acme", own: ["/shop"])))
        #expect(try verified(event.replacing("\"orderUpdate\"", with: "\"noType\"")))
        #expect(try !verified(event, rights("default")), "another tenant")
        #expect(try !verified(event, rights("acme", own: ["/web"])), "another source")
        #expect(try !verified(event, .unknown), "no publisher")
        #expect(try !verified(event.replacing("\"paula\"", with: "42")), "no recipient has this form")
        #expect(try !verified(event.replacing("\"1.0\"", with: "1")), "no CloudEvent")
    }

    @Test func namesHaveBounds() throws {
        let limits = IntentLimits()
        let long = String(repeating: "ä", count: 2_000)
        let people = (0...limits.maximumRecipients).map { "\"u\($0)\"" }.joined(separator: ",")
        let body = #"{"id":"\#(long)","source":"\#(long)","data":{"recipients":["\#(long)",\#(people)]}"#
        let rejection = try Sample.rejection(Sample.decode(body))
        #expect(rejection.eventID?.unicodeScalars.count == EventClaims.longestText)
        #expect(rejection.source.map { long.hasPrefix($0) } == true && rejection.recipientIDs.first.map { long.hasPrefix($0) } == true)
        #expect(rejection.recipientIDs.count == limits.maximumRecipients)
        #expect(EventClaims.longestText >= limits.maximumSourceBytes, "a valid source is not cut: its producer asks for it")
    }

    /// Names that Swift takes for equal belong to two people.
    @Test func peopleAreToldApartByTheirBytes() throws {
        let body = "{\(Self.attributes),\"data\":{\"recipients\":[\"caf\u{E9}\",\"cafe\u{301}\",\"caf\u{E9}\"]}"
        #expect(try Sample.rejection(Sample.decode(body)).recipientIDs.map(\.utf8.count) == [5, 6])
    }

    @Test func aRefusedIntentNamesItsOwnRecipient() throws {
        let message = IncomingMessage(
            body: Array(Sample.event(data: #"{"recipients":["ann","paula"],"title":"T"}"#).utf8),
            contentType: "application/cloudevents+json")
        let decoded = Sample.decoder.decode(message, rights: .unrestricted, now: Sample.now)
        let rejection = Sample.decoder.rejection(of: try #require(decoded.intents.last), in: message, .idempotencyConflict, "asked before")
        #expect(rejection.recipientIDs == ["paula"] && rejection.isVerified)
    }
}
