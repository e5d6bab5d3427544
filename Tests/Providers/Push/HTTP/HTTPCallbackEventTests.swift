import Testing
import TidingsCore
import TidingsProvider

@testable import ProviderJSONOverHTTP

/// The reports that the events of a callback become, and the settings that describe the events.
@Suite struct HTTPCallbackEventTests {
    private static let secret = ["SECRET": "Bearer 0123456789"]
    private static let authentication = [
        "callbackAuthentication": "secret", "callbackHeader": "Authorization", "callbackSecret": "env:SECRET",
    ]
    private static let id = NotificationID(high: 0x019a_3c2e_0000_7000, low: 0x8000_0000_0000_0001)

    private static func read(_ body: String, _ settings: [String: String] = [:]) throws -> CallbackReading {
        try HTTPService.reader(authentication.merging(settings) { $1 }, secret)
            .read(HTTPService.callback(body, [("authorization", "Bearer 0123456789")]))
    }

    private static func reports(_ body: String, _ settings: [String: String] = [:]) throws -> [DeliveryReport] {
        let reading = try read(body, settings)
        guard case .reports(let reports, let unreadable) = reading, unreadable.isEmpty else {
            Issue.record("\(reading)")
            return []
        }
        return reports
    }

    @Test func anEventBecomesAReport() throws {
        let body = #"{"ref":"\#(Self.id)-3","state":"delivered","at":"2026-01-01T00:00:00Z"}"#
        #expect(
            try Self.reports(body) == [
                DeliveryReport(
                    .delivery(Self.id, ordinal: 3), .delivered, at: HTTPService.now, key: "delivered@2026-01-01T00:00:00.000Z")
            ])
    }

    @Test(arguments: [
        ("delivered", DeliveryReport.Outcome.delivered), ("read", .engaged), ("bounced", .failed(.providerRejected, endpointGone: false)),
        ("late", .failed(.timeout, endpointGone: false)), ("dead", .failed(.endpointGone, endpointGone: true)), ("queued", .ignored),
        ("a new word", .ignored), ("Delivered", .ignored),
    ])
    func eachWordHasItsMeaning(_ word: String, _ outcome: DeliveryReport.Outcome) throws {
        #expect(try Self.reports(#"{"ref":"\#(Self.id)-0","state":"\#(word)"}"#).map(\.outcome) == [outcome])
    }

    @Test func eventsStandInAnArray() throws {
        let event = #"{"ref":"\#(Self.id)-0","state":"read"}"#
        #expect(try Self.reports("[\(event),\(event)]").count == 2)
        #expect(try Self.reports("[]").isEmpty)
        #expect(try Self.reports(#"{"data":{"events":[\#(event)]}}"#, ["callbackEventsPath": "/data/events"]).count == 1)
    }

    @Test func malformedBodiesAreRefused() throws {
        let many = "[" + Array(repeating: "{}", count: 1_001).joined(separator: ",") + "]"
        for body in ["", "{", "1", #""text""#, "null", "[", "[x]", "[,]", #"[{"ref":"a"},"#, "\u{feff}{", many] {
            guard case .malformed = try Self.read(body) else {
                Issue.record("\(body.prefix(20)) is read")
                continue
            }
        }
        guard case .malformed = try Self.read("{}", ["callbackEventsPath": "/events"]) else {
            Issue.record("a body without events is read")
            return
        }
    }

    /// Text that the settings do not read, as services send it: cut in half, in another encoding, with a NUL, or a member twice.
    @Test(arguments: [
        #""text":"Hi \ud83d""#, #""text":"\udc32","n":{"\ud800":"\ud83d\ud83d"}"#, #""text":"a\u0000b""#, #""text":"it\'s""#,
        "\"text\":\"a\nb\"", #""text":NaN"#, #""text":"a","text":"b""#, #""state":"queued","state":"read""#,
    ])
    func aTextThatIsNotReadDoesNotMatter(_ members: String) throws {
        let bad = #"{"ref":"\#(Self.id)-1",\#(members),"state":"read"}"#
        let good = #"{"ref":"\#(Self.id)-2","state":"delivered"}"#
        #expect(try Self.reports(bad).map(\.outcome) == [.engaged])
        #expect(try Self.reports("\u{FEFF}[\(bad),\(good)]").map(\.outcome) == [.engaged, .delivered])
        let nested = #"{"data":{"events":[\#(good),\#(bad)],"text":"\ud83d"}}"#
        #expect(try Self.reports(nested, ["callbackEventsPath": "/data/events"]).map(\.outcome) == [.delivered, .engaged])
    }

    /// An event that is no report costs none of the others, and is told to the operator.
    @Test(arguments: [
        ("1", "it is not an object"), ("null", "it is not an object"), (#"{"ref":}"#, "it is not an object"), ("", "it is not an object"),
        (#"{"ref":"\ud83d","state":"read"}"#, "callbackReferencePath"), (#"{"ref":"a\u0000","state":"read"}"#, "callbackReferencePath"),
        (#"{"ref":"x","state":"\ud83dread"}"#, "callbackStatePath"),
        (#"{"ref":"x","deep":\#(String(repeating: "[", count: 70))\#(String(repeating: "]", count: 70))}"#, "it is not an object"),
    ])
    func anUnreadableEventCostsNoOther(_ event: String, _ reason: String) throws {
        let good = #"{"ref":"\#(Self.id)-2","state":"delivered"}"#
        let events = "[\(good),\(event),\(good)]"
        for (body, settings) in [
            (events, [:]), ("\u{FEFF}\(events)", [:]), (#"{"data":{"n":1,"events":\#(events)}}"#, ["callbackEventsPath": "/data/events"]),
        ] as [(String, [String: String])] {
            guard case .reports(let reports, let unreadable) = try Self.read(body, settings) else {
                Issue.record("the body is refused")
                continue
            }
            #expect(reports.map(\.outcome) == [.delivered, .delivered])
            #expect(unreadable.count == 1 && unreadable[0].hasPrefix("event 2: ") && unreadable[0].contains(reason), "\(unreadable)")
        }
    }

    /// A field beside the events that is too deep, too long or no JSON.
    @Test(arguments: [
        String(repeating: "[", count: 70) + String(repeating: "]", count: 70), String(repeating: "7", count: 1_001), "tru", "'x'",
    ])
    func aFieldBesideTheEventsCostsNoEvent(_ value: String) throws {
        let good = #"{"ref":"\#(Self.id)-2","state":"delivered"}"#
        let path = ["callbackEventsPath": "/data/1/events"]
        for body in [
            #"{"x":\#(value),"data":[0,{"events":[\#(good),\#(good)]}]}"#, #"{"data":[\#(value),{"events":[\#(good),\#(good)],"x":1}]}"#,
        ] {
            #expect(try Self.reports(body, path).map(\.outcome) == [.delivered, .delivered])
        }
        guard case .malformed = try Self.read(#"{"x":\#(value),"data":[0,{"events":{}}]}"#, path) else {
            Issue.record("a body without an array of events is read")
            return
        }
    }

    /// The service would only send the same event again.
    @Test(arguments: [#"{"ref":"\ud83d","state":"read"}"#, "[1]", "[null,2]"])
    func aBodyOfUnreadableEventsIsTaken(_ body: String) throws {
        guard case .reports(let reports, let unreadable) = try Self.read(body) else {
            Issue.record("the body is refused")
            return
        }
        #expect(reports.isEmpty && !unreadable.isEmpty)
    }

    /// Two keys that are cut at the same place are two events.
    @Test func aKeyThatCannotBeReadIsNone() throws {
        let settings = ["callbackEventIdPath": "/id"]
        let body = #"[{"ref":"x","state":"read","id":"e\ud83d"},{"ref":"x","state":"queued","id":"e\ud83e"}]"#
        #expect(try Self.reports(body, settings).map(\.key) == ["read@", "queued@"])
    }

    /// Others may send through the same account. Their events name nothing that Tidings knows.
    @Test(arguments: [
        #""ref":null"#, #""ref":"""#, #""ref":"order-17""#, #""ref":"019a3c2e-0000-7000-8000-000000000001""#,
        #""ref":"019a3c2e-0000-7000-8000-000000000001-""#, #""ref":"019a3c2e-0000-7000-8000-000000000001-wake""#,
        #""ref":"019a3c2e-0000-7000-8000-000000000001-99999""#, #""ref":"019a3c2e-0000-4000-8000-000000000001-0""#, #""ref":["a"]"#,
    ])
    func anUnknownReferenceNamesNoDelivery(_ member: String) throws {
        #expect(try Self.reports("{\(member),\"state\":\"read\"}").map(\.reference) == [nil])
    }

    @Test func aMessageIDIsAReference() throws {
        let settings = ["callbackReference": "message", "messageIdPath": "/id"]
        #expect(try Self.reports(#"{"ref":"m-17","state":"read"}"#, settings).map(\.reference) == [.message("m-17")])
        #expect(try Self.reports(#"{"ref":17,"state":"read"}"#, settings).map(\.reference) == [.message("17")])
        let long = String(repeating: "m", count: 257)
        #expect(try Self.reports(#"{"ref":"\#(long)","state":"read"}"#, settings).map(\.reference) == [nil])
    }

    @Test(arguments: [
        (#""2026-01-01T00:00:00Z""#, HTTPService.now), ("1767225600", HTTPService.now), ("1767225600000", HTTPService.now),
        (#""1767225600""#, HTTPService.now), ("1767225600.5", HTTPService.now.adding(.milliseconds(500))), ("-1", nil), ("1e99", nil),
        ("\"yesterday\"", nil), ("null", nil), ("{}", nil),
    ])
    func aTimeHasOneOfThreeForms(_ text: String, _ time: Timestamp?) throws {
        #expect(try Self.reports(#"{"ref":"x","state":"read","at":\#(text)}"#).map(\.at) == [time])
    }

    @Test func aKeyTellsRepetitionsApart() throws {
        let settings = ["callbackEventIdPath": "/id"]
        #expect(try Self.reports(#"{"ref":"x","state":"read","id":"e-1"}"#, settings).map(\.key) == ["e-1"])
        #expect(try Self.reports(#"{"ref":"x","state":"read"}"#, settings).map(\.key) == ["read@"])
        let long = String(repeating: "k", count: 257)
        #expect(try Self.reports(#"{"ref":"x","state":"read","id":"\#(long)"}"#, settings).map(\.key.utf8.count) == [64])
    }

    /// Settings, and the text of the error.
    static let mistakes: [([String: String?], String)] = [
        (["callbackAuthentication": nil], "setting callbackAuthentication: must be set, because callbackSecret is"),
        (["callbackAuthentication": "basic"], "is none of hmac, standardWebhooks, secret"),
        (["callbackSecret": nil], "setting callbackSecret: must be set: env:NAME or file:/path"),
        (["callbackSecret": "Bearer 0123456789"], "setting callbackSecret: a secret is named, not written down"),
        (["callbackSecret": "env:SHORT"], "a secret has fewer than 16 bytes"), (["callbackSecret": "env:MANY"], "has 5 lines"),
        (["callbackHeader": nil], "setting callbackHeader: must be set"), (["callbackHeader": "a b"], "is not the name of a header"),
        (["callbackReferencePath": nil], "setting callbackReferencePath: must be set"),
        (["callbackReferencePath": "ref"], "is not a JSON pointer"), (["callbackStatePath": nil], "setting callbackStatePath: must be set"),
        (["callbackStates": nil], "setting callbackStates: must be set"), (["callbackStates": "read"], "is not \"word = meaning\""),
        (["callbackStates": "read = seen"], "\"seen\" is none of delivered, engaged, failed, gone, ignored"),
        (["callbackStates": "a = failed noDevice"], "\"noDevice\" is no reason of a failure"),
        (["callbackStates": "a = gone, a = failed"], "the word \"a\" is there twice"),
        (["callbackReference": "message"], "setting messageIdPath: must be set, because callbackReference is message"),
        (["callbackReference": "other"], "is none of delivery, message"),
        (["callbackToleranceSeconds": "0"], "setting callbackToleranceSeconds"),
        (["callbackAuthentication": "hmac", "callbackSignatureEncoding": "base32"], "is none of hex, base64"),
        (["callbackAuthentication": "hmac", "callbackSignedText": "{{timestamp}}"], "has no {{body}}"),
        (["callbackAuthentication": "hmac", "callbackSignedText": "{{timestamp}}{{body}}"], "callbackTimestampHeader is not set"),
        (["callbackAuthentication": "hmac", "callbackSignedText": "{{id}}{{body}}"], "unknown placeholder \"id\""),
        (["callbackAuthentication": "hmac", "callbackSignedText": "{{body"], "never closed"),
        (
            ["callbackAuthentication": "hmac", "callbackTimestampHeader": "X-Time", "callbackSignedText": "{{body}}"],
            "anybody could change the time"
        ), (["callbackAuthentication": "standardWebhooks"], "is not whsec_"),
        (["callbackAuthentication": "standardWebhooks", "callbackSecret": "env:PUBLIC"], "is not whpk_"),
    ]

    @Test(arguments: mistakes)
    func mistakesAreNamed(_ change: [String: String?], _ message: String) {
        let environment = Self.secret.merging(["SHORT": "0123456789", "MANY": "a\nb\nc\nd\ne", "PUBLIC": "whpk_AAAA"]) { $1 }
        var settings = HTTPService.events.merging(Self.authentication) { $1 }
        for (name, value) in change { settings[name] = value }
        let error = #expect(throws: ProviderConfigurationError.self) {
            _ = try HTTPProviderFactory.callbackReader(binding: HTTPService.binding(settings), environment: environment)
        }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("0123456789") == false, "the message tells a secret")
    }

    /// A process that only sends needs no secret of callbacks. A wrong path shows there too.
    @Test func theProviderItselfReadsNoSecret() throws {
        let settings = HTTPService.events.merging(Self.authentication) { $1 }
        _ = try HTTPService.configuration(settings)
        #expect(HTTPService.problem(settings.merging(["callbackStatePath": "state"]) { $1 }).contains("callbackStatePath"))
        #expect(try HTTPService.configuration(settings).isReportedByMessageID == false)
        let byMessage = settings.merging(["callbackReference": "message", "messageIdPath": "/id"]) { $1 }
        #expect(try HTTPService.configuration(byMessage).isReportedByMessageID)
    }

    @Test func aProviderWithoutCallbackSettingsHasNoCallbacks() throws {
        let binding = HTTPService.binding(["url": "https://dmp.example.com"])
        #expect(try HTTPProviderFactory.callbackReader(binding: binding, environment: [:]) == nil)
        let other = ProviderBinding(name: "null", channel: .push, kind: "null", addressing: .person)
        #expect(try NullProviderFactory.callbackReader(binding: other, environment: [:]) == nil)
    }
}
