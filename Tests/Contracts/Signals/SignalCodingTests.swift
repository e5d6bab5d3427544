import Testing
import TidingsContracts
import TidingsCore

@Suite struct SignalCodingTests {
    private func decoded(_ people: [InboxSignal.Person]) throws -> [InboxSignal] {
        try InboxSignal.messages(for: people).map { try InboxSignal.decode($0) }
    }

    @Test func everythingComesBack() throws {
        #expect(try decoded(InboxSignal.sample.people) == [.sample])
        let odd = InboxSignal.Person(tenant: "\u{e9}\"\\", recipient: "\u{1}\u{1F4E6}\n/")
        #expect(try decoded([odd]) == [InboxSignal(people: [odd])])
        #expect(InboxSignal.messages(for: []).isEmpty)
    }

    @Test func aBatchIsCutAtTheLargestNumberOfPeople() throws {
        let people = InboxSignal.people(2 * InboxSignal.maximumPeople + 1)
        let signals = try decoded(people)
        #expect(signals.map(\.people.count) == [InboxSignal.maximumPeople, InboxSignal.maximumPeople, 1])
        #expect(signals.flatMap(\.people) == people)
    }

    @Test func aPersonWithManyIdsIsNamedAgain() throws {
        let (new, changed) = ((0..<120).map { NotificationID.numbered($0) }, (200..<260).map { NotificationID.numbered($0) })
        let signal = try #require(try decoded([InboxSignal.Person(tenant: "t", recipient: "r", new: new, changed: changed)]).first)
        #expect(signal.people.map(\.new.count) == [50, 50, 20] && signal.people.map(\.changed.count) == [50, 10, 0])
        #expect(signal.people.flatMap(\.new) == new && signal.people.flatMap(\.changed) == changed)
    }

    /// Names of control characters take six times their bytes.
    @Test func noMessageIsTooLarge() throws {
        let name = String(repeating: "\u{1}", count: InboxSignal.maximumNameBytes)
        let ids = (0..<50).map { NotificationID.numbered($0) }
        let people = (0..<150).map { _ in InboxSignal.Person(tenant: name, recipient: name, new: ids, changed: ids) }
        let messages = InboxSignal.messages(for: people)
        #expect(messages.count > 2 && messages.allSatisfy { $0.count <= InboxSignal.maximumBytes })
        #expect(messages.dropLast().allSatisfy { $0.count > InboxSignal.maximumBytes * 9 / 10 }, "none is cut much too early")
        #expect(try messages.flatMap { try InboxSignal.decode($0).people } == people)
    }

    @Test func aNameThatNoReaderTakesIsLeftOut() throws {
        let long = InboxSignal.Person(tenant: "t", recipient: String(repeating: "x", count: InboxSignal.maximumNameBytes + 1))
        let empty = InboxSignal.Person(tenant: "", recipient: "r")
        let good = InboxSignal.Person(tenant: "t", recipient: "r")
        #expect(try decoded([long, good, empty]) == [InboxSignal(people: [good])])
        #expect(InboxSignal.messages(for: [long, empty]).isEmpty)
    }

    private static let person =
        #"{"tenant":"t","recipient":"r","new":["01900000-0000-7000-8000-000000000001"],"changed":[],"kind":"inbox"}"#
    private static let signal = #"{"v":1,"people":[\#(person)]}"#

    static let damages: [(String, String, String)] = [
        (#""v":1"#, #""v":2"#, "/v"), (#""v":1"#, #""v":"1""#, "/v"), (#""v":1,"#, "", "/v"), (#""v":1"#, #""v":1,"more":true"#, ""),
        (#""people":["#, #""persons":["#, "/people"), (#""tenant":"t","#, "", "/people/0/tenant"),
        (#""tenant":"t""#, #""tenant":"""#, "/people/0/tenant"), (#""recipient":"r""#, #""recipient":7"#, "/people/0/recipient"),
        (#""kind":"inbox""#, #""kind":"Dreams""#, "/people/0/kind"), (#""kind":"inbox""#, #""kind":"inbox","more":1"#, "/people/0"),
        (#""changed":[]"#, #""changed":null"#, "/people/0/changed"), (#""changed":[]"#, #""changed":[1]"#, "/people/0/changed/0"),
        ("-7000-", "-4000-", "/people/0/new/0"), ("000000000001", "00000000000A", "/people/0/new/0"),
    ]

    @Test(arguments: damages) func aMessageThatIsNoSignalOfThisVersionIsRefused(from: String, to: String, pointer: String) {
        #expect(throws: Never.self) { try InboxSignal.decode(Array(Self.signal.utf8)) }
        #expect(Self.signal.contains(from), "the test damages nothing: \(from)")
        let error = #expect(throws: SignalDecodingError.self) { try InboxSignal.decode(Array(Self.signal.replacing(from, with: to).utf8)) }
        #expect(error?.pointer == pointer)
    }

    @Test func limitsHoldForHostileMessages() {
        let ids = Array(repeating: #""01900000-0000-7000-8000-000000000001""#, count: InboxSignal.maximumIDs + 1).joined(separator: ",")
        let people = Array(repeating: Self.person, count: InboxSignal.maximumPeople + 1).joined(separator: ",")
        let hostile = [
            "", "{", "[]", "null", #"{"v":1,"people":[]}"#, #"{"v":1,"people":[\#(people)]}"#,
            Self.signal.replacing(#""changed":[]"#, with: #""changed":[\#(ids)]"#),
            Self.signal.replacing(#""r""#, with: "\"\(String(repeating: "x", count: InboxSignal.maximumNameBytes + 1))\""),
            Self.signal + String(repeating: " ", count: InboxSignal.maximumBytes), String(repeating: "[", count: 10_000),
        ]
        for text in hostile { #expect(throws: SignalDecodingError.self, "\(text.prefix(80))") { try InboxSignal.decode(Array(text.utf8)) } }
    }
}
