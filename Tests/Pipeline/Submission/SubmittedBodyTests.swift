import Testing
import TidingsCore
import TidingsStore

@testable import TidingsContracts
@testable import TidingsPipeline

/// The bodies of requests over HTTP: every fault of every event, with its place in the body.
@Suite struct SubmittedBodyTests {
    private static let batch = "application/cloudevents-batch+json"

    @Test(arguments: ["application/cloudevents+json", "application/json", "Application/JSON; charset=UTF-8"])
    func oneEvent(contentType: String) {
        let body = Self.read(" " + Sample.plain, contentType)
        #expect(body.faults.isEmpty && body.events.count == 1)
        #expect(body.events.first?.intents.map(\.intent.recipient) == ["user-42"])
        #expect(body.events.first?.pointer == "")
    }

    /// Each event has its own bytes, and gives the same intents as the same event alone over AMQP.
    @Test(arguments: [batch, "application/json"])
    func aBatch(contentType: String) throws {
        let other = Sample.event(data: #"{"recipients":["a","b","a"],"title":"T"}"#)
        let body = Self.read("[\(Sample.plain), \(other)]", contentType)
        #expect(body.faults.isEmpty && body.events.map(\.pointer) == ["/0", "/1"])
        #expect(body.events.map { String(decoding: $0.bytes, as: UTF8.self) } == [Sample.plain, other])
        let alone = Sample.decode(other).intents
        #expect(body.events.last?.intents.map(\.idempotencyKey) == alone.map(\.idempotencyKey) && alone.count == 2)
    }

    /// All events are read, and their good neighbours do not hide a fault.
    @Test func everyFaultHasItsPlace() {
        let bad = Sample.event(data: #"{"recipient":"","title":"T"}"#)
        let worse = Sample.event(
            data: #"{"recipient":"a","data":{"number":"","total":"ten","more":1}}"#, type: "invoice")
        let body = Self.read("[\(bad), \(Sample.plain), \(worse), 7]", Self.batch)
        let places = body.faults.map { "\($0.pointer) \($0.reason)" }
        #expect(places.first == "/0/data/recipient emptyRecipient" && places.last == "/3 notJSON")
        let violations = body.faults.filter { $0.reason == .schemaViolation }.map(\.pointer)
        #expect(Set(violations).isSuperset(of: ["/2/data/data/number", "/2/data/data/total"]), "\(body.faults)")
        #expect(violations.count >= 3)
    }

    @Test func aKeyNamesItsTenantOnly() {
        let event = Sample.event(data: #"{"recipient":"a","title":"T","tenant":"acme"}"#)
        let refused = Self.read(event, "application/json", rights: ProducerRights.unrestricted.limited(to: "default"))
        #expect(refused.faults.map(\.reason) == [.tenantForbidden] && refused.faults.first?.pointer == "/data/tenant")
        #expect(Self.read(event, "application/json", rights: ProducerRights.unrestricted.limited(to: "acme")).faults.isEmpty)
    }

    @Test func aBodyThatIsNoEventSaysWhy() {
        let cases: [(body: String, contentType: String?, reason: ReasonCode)] = [
            (Sample.plain, nil, .unsupportedContentType), (Sample.plain, "text/plain", .unsupportedContentType),
            (Sample.plain, "application/json; charset=latin1", .unsupportedContentType), ("", "application/json", .notJSON),
            (Sample.plain, "cloudevents+json", .unsupportedContentType), (Sample.plain, Self.batch, .notJSON),
            ("[" + Sample.plain, Self.batch, .notJSON), ("[{},{}", "application/json", .notJSON),
            ("[" + Array(repeating: "1", count: 1_001).joined(separator: ",") + "]", Self.batch, .tooManyEvents),
            (String(repeating: " ", count: 4 << 20) + Sample.plain, "application/json", .messageTooLarge),
        ]
        for one in cases {
            let body = Self.read(one.body, one.contentType)
            #expect(body.faults.map(\.reason) == [one.reason] && body.events.isEmpty, "\(one.body.prefix(80))")
        }
    }

    /// The limit counts the notifications of all events, as the router counts those of one message.
    @Test func anExcessOfNotificationsIsNamedOnce() {
        let recipients = (0..<1_000).map { "\"p\($0)\"" }.joined(separator: ",")
        let event = Sample.event(data: #"{"recipients":[\#(recipients)],"title":"T"}"#)
        let body = Self.read("[" + Array(repeating: event, count: 23).joined(separator: ",") + "]", Self.batch)
        #expect(body.faults.map(\.pointer) == ["/20/data/recipients"] && body.faults.first?.reason == .tooManyRecipients)
    }

    private static func read(_ text: String, _ contentType: String?, rights: ProducerRights = .unrestricted) -> SubmittedBody {
        let key = CallerKey(id: "0123456789abcdef", name: "shop", tenant: nil, scopes: [.intentsWrite])
        return SubmittedBody(
            SubmittedRequest(body: Array(text.utf8), contentType: contentType, key: key), decoder: Sample.decoder, rights: rights,
            now: Sample.now)
    }
}
