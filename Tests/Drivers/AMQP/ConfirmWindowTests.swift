import Testing

@testable import TidingsAMQP

@Suite struct ConfirmWindowTests {
    private func window(_ ids: [String]) -> ConfirmWindow<String> {
        var window = ConfirmWindow<String>()
        for id in ids { window.sent(id, messageID: id, bytes: 10, at: .now) }
        return window
    }

    @Test func multipleAnswersEverythingUpToItsTag() {
        var window = window(["a", "b", "c", "d"])
        #expect(window.answered(2, multiple: false).map(\.entry) == ["b"])
        #expect(window.answered(3, multiple: true).map(\.entry) == ["a", "c"])
        #expect(window.count == 1)
        #expect(window.bytes == 10)
        #expect(window.answered(4, multiple: true).map(\.entry) == ["d"])
        #expect(window.isEmpty && window.oldest == nil)
    }

    @Test func aConfirmOfAMessageThatWasNeverSentIsIgnored() {
        var window = window(["a"])
        #expect(window.answered(7, multiple: true).isEmpty)
        #expect(window.answered(1, multiple: false).count == 1)
        #expect(window.answered(1, multiple: false).isEmpty)
    }

    @Test func aReturnBelongsToTheOldestOfItsMessageID() {
        var window = window(["a", "same", "same"])
        window.returned(messageID: "same", code: 312, text: "NO_ROUTE")
        window.returned(messageID: "unknown", code: 312, text: "NO_ROUTE")
        let answered = window.answered(3, multiple: true)
        #expect(answered.map { $0.returned?.code } == [nil, 312, nil])
    }

    @Test func aNewConnectionStartsAtTagOneAgain() {
        var window = window(["a", "b", "c"])
        _ = window.answered(1, multiple: false)
        #expect(window.dequeueAll().map(\.entry) == ["b", "c"])
        window.sent("b", messageID: "b", bytes: 10, at: .now)
        #expect(window.answered(1, multiple: false).map(\.entry) == ["b"])
    }
}
