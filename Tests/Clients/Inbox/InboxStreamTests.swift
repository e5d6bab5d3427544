import Testing

@testable import TidingsInbox

@Suite struct InboxStreamTests {
    private static func events(_ pieces: String...) -> [ServerSentEvent] {
        var parser = ServerSentEventParser()
        return pieces.flatMap { parser.read(Array($0.utf8)) ?? [] }
    }

    @Test func anEventEndsWithAnEmptyLine() {
        #expect(Self.events("event: inbox\nid: 7\ndata: {}\n") == [])
        #expect(Self.events("event: inbox\nid: 7\ndata: {}\n\n") == [ServerSentEvent(event: "inbox", id: "7", data: "{}")])
    }

    /// Pieces end anywhere, also between the two bytes of a line's end, and inside a character.
    @Test func everySplitGivesTheSameEvents() {
        let text = Array(": hi\r\n\r\nevent: inbox\r\ndata: ä\r\ndata:b\r\n\r\nretry: 40\rdata\r\rid: x\ndata: y\n\n".utf8)
        var whole = ServerSentEventParser()
        let expected = whole.read(text)
        #expect(expected?.map(\.data) == ["ä\nb", "", "y"])
        #expect(expected?.map(\.retry) == [nil, 40, nil])
        for split in text.indices {
            var parser = ServerSentEventParser()
            let events = (parser.read(text[..<split]) ?? []) + (parser.read(text[split...]) ?? [])
            #expect(events == expected, "split at \(split)")
        }
    }

    @Test func anIDStaysForLaterEvents() {
        #expect(Self.events("id: 1\ndata: a\n\n", "data: b\n\n", "id\ndata: c\n\n").map(\.id) == ["1", "1", ""])
    }

    @Test func anEventWithoutAnEndIsRefused() {
        var parser = ServerSentEventParser()
        let piece = Array(repeating: UInt8(ascii: "a"), count: ServerSentEventParser.maximumBytes)
        #expect(parser.read(piece) == [])
        #expect(parser.read(piece) == nil)
    }

    @Test func heartbeatsNeverFillAnEvent() {
        var parser = ServerSentEventParser()
        let heartbeat = Array(": heartbeat\n".utf8)
        for _ in 0...(ServerSentEventParser.maximumBytes / heartbeat.count) { #expect(parser.read(heartbeat) == []) }
    }

    @Test func aDelayIsDrawnNamedOrAsked() {
        #expect(ReconnectDelay.seconds(retry: nil, retryAfter: nil, random: 0) == 1)
        #expect(ReconnectDelay.seconds(retry: nil, retryAfter: nil, random: 1) == 30)
        #expect(ReconnectDelay.seconds(retry: 2_500, retryAfter: nil, random: 1) == 2.5)
        #expect(ReconnectDelay.seconds(retry: nil, retryAfter: 10, random: 0) == 11)
        #expect(ReconnectDelay.seconds(retry: nil, retryAfter: 1e9, random: 0) == 3_600)
    }

    @Test func onlyKnownEventsAreSignals() {
        #expect(InboxSignal(ServerSentEvent(event: "likes", data: #"{"new":2}"#)) == .likes(new: 2))
        #expect(InboxSignal(ServerSentEvent(event: "bye", data: "{}")) == .bye)
        #expect(InboxSignal(ServerSentEvent(event: "weather", data: "{}")) == nil)
        #expect(InboxSignal(ServerSentEvent(event: "inbox", data: "no JSON")) == nil)
    }
}
