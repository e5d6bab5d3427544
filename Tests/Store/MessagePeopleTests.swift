import Testing
import TidingsContracts
import TidingsCore
import TidingsJSON

@testable import TidingsStore

/// The people of a message, and the message without some of them.
@Suite struct MessagePeopleTests {
    private static let eve = RecipientKey(tenant: "default", id: "eve")
    private static let foreign = RecipientKey(tenant: "acme", id: "eve")

    private static func removing(_ people: Set<RecipientKey>, _ text: String) -> MessagePeople.Removal {
        MessagePeople.removing(people, from: Array(text.utf8))
    }

    @Test(arguments: [
        #"{"data":{"recipient":"eve"}}"#, #"{"recipient":"eve","data":{}}"#, #"{"data":{"recipients":["eve","eve"]}}"#,
        #"[{"data":{"recipient":"eve"}}]"#, #"{"id":"p","entries":[{"recipient":"eve","tenant":"default"}]}"#,
        // The rest still names the person.
        #"{"data":{"recipients":["eve","bob"],"data":{"friend":{"id":"eve"}}}}"#,
        #"{"id":"p","entries":[{"recipient":"eve","tenant":"default"},{"recipient":"bob","tenant":"default","title":"eve"}]}"#,
        // Encoded twice.
        #""{\"data\":{\"recipient\":\"eve\"}}""#, #"{"id":"1","data":"{\"recipients\":[\"bob\",\"eve\"]}"}"#,
        // Broken, and the id stands in it as a string.
        #"{"data":{"recipient":"eve""#, #"[{"data":{"recipient":"eve""#,
    ])
    func nothingIsLeft(text: String) {
        #expect(Self.removing([Self.eve], text) == .nothing)
    }

    @Test(arguments: [
        (#"{"id":"1","data":{"recipients":["bob","eve"]}}"#, #"{"id":"1","data":{"recipients":["bob"]}}"#),
        (#"[{"data":{"recipient":"eve"}}, {"data":{"recipient":"bob"}}]"#, #"[{"data":{"recipient":"bob"}}]"#),
        (#"[{"data":{"recipient":"eve"}}, {broken}]"#, #"[{broken}]"#),
        (
            #"{"id":"p","entries":[{"recipient":"eve","tenant":"default"},{"recipient":"eve","tenant":"acme"}]}"#,
            #"{"id":"p","entries":[{"recipient":"eve","tenant":"acme"}]}"#
        ),
    ])
    func theOtherPeopleStay(text: String, expected: String) {
        #expect(Self.removing([Self.eve], text) == .rest(Array(expected.utf8)))
    }

    @Test(arguments: [
        #"{"data":{"recipient":"bob","data":{"friend":"eve"}}}"#, #"{"data":{"recipient":"eve","tenant":"acme"}}"#,
        #"{"tenant":"acme","data":{"recipient":"eve"}}"#, "not JSON: eve", "", "[]", "null", #"{"data":"eve"}"#,
    ])
    func otherMessagesStayAsTheyAre(text: String) {
        #expect(Self.removing([Self.eve], text) == .unnamed)
        #expect(Self.removing([], text) == .unnamed)
    }

    @Test func aNumberMayNameAPerson() {
        let person = RecipientKey(tenant: "default", id: "42")
        #expect(Self.removing([person], #"{"data":{"recipient":42}}"#) == .nothing)
        #expect(Self.removing([person], #"{"data":{"recipient":4.2e1}}"#) == .nothing)
        #expect(Self.removing([person], #"{"data":{"recipients":["bob","42"],"data":{"count":42}}}"#) == .nothing)
        #expect(Self.removing([person], #"{"data":{"recipient":"bob","data":{"count":42}}}"#) == .unnamed)
    }

    @Test func theRecipientsOfAMessageAreFound() {
        let text = #"[{"data":{"recipients":["eve","bob"]}},{"data":{"recipient":"eve","tenant":"acme"}},{"broken":}]"#
        let found = MessagePeople.recipients(of: Array(text.utf8))
        #expect(found == [Self.eve, Self.foreign, RecipientKey(tenant: "default", id: "bob")])
        #expect(MessagePeople.recipients(of: Array("[".utf8)).isEmpty)
        #expect(MessagePeople.recipients(of: Array(#"{"data":"{\"recipient\":\"eve\"}"}"#.utf8)) == [Self.eve])
    }

    @Test func aPackOfTheRouterIsRead() {
        let header = DeliveryHeader(
            notificationID: NotificationID(high: 1, low: 2), ordinal: 0, attempt: 1, tenant: "acme", recipient: "eve", type: "t",
            category: .system, createdAt: Timestamp(seconds: 0), expiresAt: Timestamp(seconds: 1))
        let entry = PackEntry(
            header: header, content: Content(title: "T"), decidedAt: Timestamp(seconds: 0), validUntil: Timestamp(seconds: 1))
        let pack = Pack(id: PackID(high: 3, low: 4), channel: .push, provider: "apns", lane: .urgent, entries: [entry])
        #expect(MessagePeople.recipients(of: pack.encode()) == [Self.foreign])
        #expect(MessagePeople.removing([Self.foreign], from: pack.encode()) == .nothing)
        #expect(MessagePeople.removing([Self.eve], from: pack.encode()) == .unnamed)
    }
}
