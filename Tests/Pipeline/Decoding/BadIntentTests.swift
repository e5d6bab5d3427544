import Testing
import TidingsContracts
import TidingsCore
import TidingsCrypto

@testable import TidingsPipeline

/// Every fault of an event gives a precise reason and the place, and the event is kept.
@Suite struct BadIntentTests {
    /// The `data` of an otherwise valid event, the reason, the pointer, and a part of the message.
    static let badData: [(String, ReasonCode, String, String)] = [
        (#"{"title":"T"}"#, .noRecipient, "/data", "recipient"),
        (#"{"recipients":[],"title":"T"}"#, .noRecipient, "/data/recipients", "empty"),
        (#"{"recipient":"","title":"T"}"#, .emptyRecipient, "/data/recipient", "empty"),
        (#"{"recipient":"  ","title":"T"}"#, .emptyRecipient, "/data/recipient", "empty"),
        (#"{"recipients":["a",""],"title":"T"}"#, .emptyRecipient, "/data/recipients/1", "empty"),
        (#"{"recipients":["a",7],"title":"T"}"#, .invalidAttribute, "/data/recipients/1", "string"),
        (#"{"recipients":"a","title":"T"}"#, .invalidAttribute, "/data/recipients", "array"),
        (#"{"recipient":"a","recipients":["b"],"title":"T"}"#, .invalidAttribute, "/data/recipients", "not both"),
        (#"{"recipient":"a\nb","title":"T"}"#, .invalidAttribute, "/data/recipient", "control"),
        (#"{"recipient":"a"}"#, .missingAttribute, "/data/title", "title"),
        (#"{"recipient":"a","title":""}"#, .missingAttribute, "/data/title", "title"),
        (#"{"recipient":"a","title":5}"#, .invalidAttribute, "/data/title", "string"),
        (#"{"recipient":"a","title":"T","body":["x"]}"#, .invalidAttribute, "/data/body", "not array"),
        (#"{"recipient":"a","title":"T","data":"{}"}"#, .invalidAttribute, "/data/data", "object"),
        (#"{"recipient":"a","title":"T","channels":"push"}"#, .invalidAttribute, "/data/channels", "array"),
        (#"{"recipient":"a","title":"T","channels":[]}"#, .invalidAttribute, "/data/channels", "no channel"),
        (#"{"recipient":"a","title":"T","channels":["push","pigeon"]}"#, .unknownChannel, "/data/channels/1", "pigeon"),
        (#"{"recipient":"a","title":"T","channels":["inapp"]}"#, .unknownChannel, "/data/channels/0", "did you mean \"inApp\"?"),
        (#"{"recipient":"a","title":"T","scheduledFor":"1900-01-01T00:00:00Z"}"#, .scheduledTooFarInPast, "/data/scheduledFor", "1d"),
        (#"{"recipient":"a","title":"T","scheduledFor":"2026-05-31T11:59:59Z"}"#, .scheduledTooFarInPast, "/data/scheduledFor", "ago"),
        (#"{"recipient":"a","title":"T","scheduledFor":"9999-12-31T23:59:59Z"}"#, .scheduledTooFarAhead, "/data/scheduledFor", "730d"),
        (#"{"recipient":"a","title":"T","scheduledFor":"2028-05-31T12:00:01Z"}"#, .scheduledTooFarAhead, "/data/scheduledFor", "ahead"),
        (#"{"recipient":"a","title":"T","scheduledFor":"2026-06-02T09:00:00"}"#, .invalidAttribute, "/data/scheduledFor", "offset"),
        (#"{"recipient":"a","title":"T","scheduledFor":1780315200}"#, .invalidAttribute, "/data/scheduledFor", "RFC 3339"),
        (#"{"recipient":"a","title":"T","expiresAt":"tomorrow"}"#, .invalidAttribute, "/data/expiresAt", "RFC 3339"),
        // Without the time, Tidings would send at once, or for ever.
        (#"{"recipient":"a","title":"T","scheduledFor":""}"#, .invalidAttribute, "/data/scheduledFor", "RFC 3339"),
        (#"{"recipient":"a","title":"T","expiresAt":""}"#, .invalidAttribute, "/data/expiresAt", "RFC 3339"),
        (
            #"{"recipient":"a","title":"T","schedueldFor":"2026-06-02T09:00:00Z"}"#, .invalidAttribute, "/data/schedueldFor",
            "\"scheduledFor\""
        ),
        (#"{"recipient":"a","title":"T","a/b~c":1}"#, .invalidAttribute, "/data/a~1b~0c", "no member"),
        (#"{"recipient":"a","title":"T","critical":"yes"}"#, .invalidAttribute, "/data/critical", "true or false"),
        (#"{"recipient":"a","title":"T","market":"default2"}"#, .unknownMarket, "/data/market", "did you mean \"default\"?"),
        (#"{"recipient":"a","title":"T","tenant":"a b"}"#, .invalidAttribute, "/data/tenant", "letters"),
        (#"{"recipient":"a","title":"T","tenant":""}"#, .invalidAttribute, "/data/tenant", "letters"),
        (#""text""#, .invalidAttribute, "/data", "not string"),
        (#"null"#, .missingAttribute, "/data", "missing"),
    ]

    @Test(arguments: badData) func dataIsRefused(data: String, reason: ReasonCode, pointer: String, part: String) throws {
        let rejection = try Sample.rejection(Sample.decode(Sample.event(data: data)))
        #expect(rejection.reason == reason)
        #expect(rejection.pointer == pointer)
        #expect(rejection.message.contains(part), "\(rejection.message)")
        #expect(rejection.source == "/shop" && rejection.eventID == "o-17" && rejection.type == "orderUpdate")
        #expect(rejection.raw == Array(Sample.event(data: data).utf8))
        // A later catalogue may add a template for the title, a market or the type's permission. A wrong value stays wrong.
        let depends = pointer == "/data/title" && reason == .missingAttribute
        #expect(rejection.isReplayable == (depends || reason.isRetryable), "\(reason)")
    }

    /// A whole event, the reason and the pointer.
    static let badEvents: [(String, ReasonCode, String)] = [
        (#"{"id":"1","source":"/s","type":"orderUpdate","data":{}}"#, .missingAttribute, "/specversion"),
        (#"{"specversion":"0.3","id":"1","source":"/s","type":"orderUpdate","data":{}}"#, .unsupportedSpecVersion, "/specversion"),
        (#"{"specversion":1.0,"id":"1","source":"/s","type":"orderUpdate","data":{}}"#, .unsupportedSpecVersion, "/specversion"),
        (#"{"specversion":"1.0","source":"/s","type":"orderUpdate","data":{}}"#, .missingAttribute, "/id"),
        (#"{"specversion":"1.0","id":"","source":"/s","type":"orderUpdate","data":{}}"#, .missingAttribute, "/id"),
        (#"{"specversion":"1.0","id":7,"source":"/s","type":"orderUpdate","data":{}}"#, .invalidAttribute, "/id"),
        (#"{"specversion":"1.0","id":"1","type":"orderUpdate","data":{}}"#, .missingAttribute, "/source"),
        (#"{"specversion":"1.0","id":"1","source":"my shop","type":"orderUpdate","data":{}}"#, .invalidAttribute, "/source"),
        (#"{"specversion":"1.0","id":"1","source":"/s","data":{}}"#, .missingAttribute, "/type"),
        (#"{"specversion":"1.0","id":"1","source":"/s","type":null,"data":{}}"#, .missingAttribute, "/type"),
        (#"{"specversion":"1.0","id":"1","source":"/s","type":"orderUpdate"}"#, .missingAttribute, "/data"),
        (#"{"specversion":"1.0","id":"1","source":"/s","type":"orderUpdate","data_base64":"e30="}"#, .invalidAttribute, "/data_base64"),
        (#"{"specversion":"1.0","id":"1","source":"/s","type":"orderUpdate","time":"now","data":{}}"#, .invalidAttribute, "/time"),
        (
            #"{"specversion":"1.0","id":"1","source":"/s","type":"orderUpdate","datacontenttype":"text/xml","data":{}}"#,
            .unsupportedContentType, "/datacontenttype"
        ),
        (#"{"specversion":"1.0","id":"1","source":"/s","type":"nope","data":{"recipient":"a"}}"#, .unknownType, "/type"),
        (
            #"{"specversion":"1.0","id":"1","source":"/s","type":"orderUpdate","scheduledFor":"2026-06-02T09:00:00Z","data":{}}"#,
            .invalidAttribute, "/scheduledFor"
        ),
        (#"[]"#, .notJSON, ""), (#"7"#, .notJSON, ""), (#""#, .notJSON, ""), (#"hello"#, .notJSON, ""), (#"{"a":1"#, .notJSON, ""),
        (#"{"specversion":"1.0"} {"#, .notJSON, ""),
        (#"{"specversion":"1.0","id":"1","id":"2"}"#, .duplicateKey, "/id"),
        (#"{"specversion":"1.0","id":"a\u0000b"}"#, .nulCharacter, "/id"),
        (#"{"specversion":"1.0","id":"\ud800"}"#, .invalidUTF8, "/id"),
    ]

    @Test(arguments: badEvents) func anEventIsRefused(event: String, reason: ReasonCode, pointer: String) throws {
        let rejection = try Sample.rejection(Sample.decode(event))
        #expect(rejection.reason == reason, "\(rejection.message)")
        if reason != .notJSON { #expect(rejection.pointer == pointer) }
        #expect(!rejection.message.isEmpty)
        #expect(rejection.raw == Array(event.utf8) && rejection.size == event.utf8.count)
        #expect(rejection.sha256 == SHA256.hash(event.utf8))
        #expect(rejection.recipients == 1)
    }

    /// A member of `data` in the wrong place, with its pointer. In silence, another tenant would be asked, or another channel.
    static let misplaced: [(String, String)] =
        IntentRequest.memberNames.filter { $0 != "data" }.map { (#""\#($0.lowercased())":"x""#, "/\($0.lowercased())") }
        + [
            (#""tenant":"acme""#, "/tenant"), (#""market":"default""#, "/market"), (#""channels":["email"]"#, "/channels"),
            (#""critical":true"#, "/critical"), (#""scheduledFor":"2026-06-02T09:00:00Z""#, "/scheduledFor"),
            (#""scheduledfor":"2026-06-02T09:00:00Z""#, "/scheduledfor"), (#""title":"Another""#, "/title"), (#""title":"""#, "/title"),
        ]

    @Test(arguments: misplaced) func aMemberBesideDataIsRefused(member: String, pointer: String) throws {
        for data in [#"{"recipient":"a","title":"T"}"#, "null"] {
            let rejection = try Sample.rejection(Sample.decode(Sample.event(data: data, more: ",\(member)")))
            #expect(rejection.reason == .invalidAttribute && rejection.pointer == pointer, "\(rejection.message)")
            #expect(rejection.message.contains("it belongs inside data"), "\(rejection.message)")
            #expect(!rejection.isReplayable)
        }
    }

    /// A router of events reads only attributes, so a producer may repeat a member.
    @Test func aMemberBesideDataMayRepeatItsValue() throws {
        let data = #"{"recipient":"a","title":"T","tenant":"acme","critical":true,"scheduledFor":"2026-06-02T09:00:00Z"}"#
        let plain = try Sample.intent(Sample.event(data: data))
        let more = #","tenant":"acme","critical":true,"scheduledfor":"2026-06-02T09:00:00Z","recipient":"a","market":null"#
        let repeated = try Sample.intent(Sample.event(data: data, more: more))
        #expect(repeated.intent == plain.intent && repeated.contentHash == plain.contentHash)
    }

    /// CloudEvents has no arrays and objects as values of attributes.
    @Test(arguments: [#""myext":[1]"#, #""myext":{}"#, #""subject":["a"]"#, #""dataschema":{"a":1}"#])
    func anAttributeIsNoArrayAndNoObject(attribute: String) throws {
        let event = Sample.event(data: #"{"recipient":"a","title":"T"}"#, more: ",\(attribute)")
        let rejection = try Sample.rejection(Sample.decode(event))
        #expect(rejection.reason == .invalidAttribute && attribute.hasPrefix("\"\(rejection.pointer.dropFirst())\""))
        #expect(rejection.message.contains("must be a string, a number or a boolean"), "\(rejection.message)")
    }

    /// These documents are JSON, so the message must not say the opposite.
    @Test(arguments: [("null", "null"), ("7", "number"), (#""x""#, "string"), ("true", "bool")])
    func anotherValueIsNamed(event: String, name: String) throws {
        let rejection = try Sample.rejection(Sample.decode(event))
        #expect(
            rejection.message.hasPrefix("an event must be a JSON object, not ") && rejection.message.contains(name), "\(rejection.message)")
    }

    @Test func bytesThatAreNoUTF8AreToldAsSuch() throws {
        var bytes = Array(Sample.plain.utf8)
        let place = try #require(bytes.firstIndex(of: UInt8(ascii: "Y")))
        bytes.replaceSubrange(place...place, with: [0xC0, 0xAF])
        let rejection = try Sample.rejection(Sample.decode(bytes))
        #expect(rejection.reason == .invalidUTF8 && rejection.pointer == "/data/title")
        #expect(rejection.raw == bytes)
    }

    @Test(arguments: [10_000, 120_000]) func deepNestingIsRefusedAndHarmless(levels: Int) throws {
        let deep = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        let rejection = try Sample.rejection(Sample.decode(Sample.event(data: #"{"recipient":"a","title":"T","data":{"x":\#(deep)}}"#)))
        #expect(rejection.reason == .tooDeep)
    }

    @Test func dataIsHeldAgainstTheTypesSchema() throws {
        let rejection = try Sample.rejection(
            Sample.decode(Sample.event(data: #"{"recipient":"u","data":{"number":"","total":"x","extra":1}}"#, type: "invoice")))
        #expect(rejection.reason == .schemaViolation)
        #expect(
            ["/data/data/number", "/data/data/total", "/data/data/extra", "/data/data"].contains(rejection.pointer), "\(rejection.pointer)")
        #expect(rejection.message.contains("/number") && rejection.message.contains("/total"), "\(rejection.message)")
        let absent = try Sample.rejection(Sample.decode(Sample.event(data: #"{"recipient":"u"}"#, type: "invoice")))
        #expect(absent.reason == .schemaViolation && absent.pointer == "/data/data")
        let format = try Sample.rejection(
            Sample.decode(Sample.event(data: #"{"recipient":"u","data":{"number":"1","due":"2026-02-30"}}"#, type: "invoice")))
        #expect(format.reason == .schemaViolation && format.pointer == "/data/data/due")
    }

    @Test func theNearestTypeIsSuggested() throws {
        let rejection = try Sample.rejection(Sample.decode(Sample.event(data: #"{"recipient":"a"}"#, type: "orderUpdat")))
        #expect(rejection.message.contains("did you mean \"orderUpdate\"?"))
    }

    @Test func criticalNeedsATypeThatAllowsIt() throws {
        let rejection = try Sample.rejection(
            Sample.decode(Sample.event(data: #"{"recipient":"a","title":"T","critical":true}"#, type: "promotion")))
        #expect(rejection.reason == .criticalNotAllowed && rejection.pointer == "/data/critical")
    }

    /// A simulated intent is refused with the same message as the producer's event.
    @Test(
        arguments: [
            ("promotion", true, nil), ("promotion", false, "nope"), ("orderUpdat", false, nil), ("promotion", true, "nope"),
            ("orderUpdate", true, nil), ("orderUpdate", true, "default"),
        ] as [(String, Bool, String?)])
    func aSimulatedIntentIsRefusedAlike(_ type: String, _ critical: Bool, _ market: String?) throws {
        let members = [
            #""recipient":"a","title":"T""#, critical ? #""critical":true"# : nil, market.map { #""market":"\#($0)""# },
        ].compactMap { $0 }
        let decoded = Sample.decode(Sample.event(data: "{\(members.joined(separator: ","))}", type: type))
        var intent = Intent(source: "/shop", id: "o-17", type: type, recipient: "a")
        (intent.critical, intent.market) = (critical, market)
        let refusal = Sample.decoder.catalogue.refusal(of: intent)
        #expect(decoded.rejections.count + decoded.intents.count == 1)
        #expect(decoded.rejections.first?.reason == refusal?.reason)
        #expect(decoded.rejections.first?.pointer == refusal?.pointer)
        #expect(decoded.rejections.first?.message == refusal?.message)
        #expect((refusal == nil) == (type == "orderUpdate"))
    }

    @Test func onlyAllowedTenantsMayBeNamed() throws {
        let event = Sample.event(data: #"{"recipient":"a","title":"T","tenant":"acme"}"#)
        func only(_ tenant: String) -> ProducerRights { .only(tenants: [tenant], own: [], others: []) }
        #expect(Sample.decode(event, rights: only("acme")).intents.count == 1)
        let rejection = try Sample.rejection(Sample.decode(event, rights: only("default")))
        #expect(rejection.reason == .tenantForbidden && rejection.pointer == "/data/tenant" && rejection.tenant == "acme")
        #expect(try Sample.rejection(Sample.decode(Sample.plain, rights: only("acme"))).reason == .tenantForbidden)
    }

    @Test func onlyOwnSourcesMayBeNamed() throws {
        func rights(own: Set<String>, others: Set<String>) -> ProducerRights { .only(tenants: ["default"], own: own, others: others) }
        #expect(Sample.decode(Sample.plain, rights: rights(own: ["/shop"], others: [])).intents.count == 1)
        for foreign in [rights(own: ["/billing"], others: []), rights(own: [], others: ["/shop"])] {
            let rejection = try Sample.rejection(Sample.decode(Sample.plain, rights: foreign))
            #expect(rejection.reason == .sourceNotAllowed && rejection.pointer == "/source" && rejection.source == "/shop")
        }
    }

    /// An unknown producer may not even name the standard tenant, because anybody may have sent the message.
    @Test func anUnknownProducerMayNameNothing() throws {
        let rejection = try Sample.rejection(Sample.decode(Sample.plain, rights: .unknown))
        #expect(rejection.reason == .producerUnknown && rejection.message.contains("user_id") && rejection.eventID == "o-17")
    }
}
