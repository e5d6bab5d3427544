import Testing
import TidingsCore
import TidingsModules

@testable import TidingsAPI
@testable import TidingsStore

/// The events that a stream is told, and those it is spared.
@Suite struct StreamMailboxTests {
    private static let ids = (1...3).map { NotificationID(milliseconds: 1_000 + $0, fraction: 0, random: $0) }

    /// An inbox of unread items at a position.
    private static func event(
        _ position: Int64, unread: Int = 1, new: [NotificationID] = [], changed: [NotificationID] = [], isComplete: Bool = true
    ) -> InboxEvent {
        InboxEvent(
            InboxNews(
                position: position, counts: InboxCounts(total: unread, unread: unread), newest: ids[0], arrived: new, changed: changed,
                isComplete: isComplete))
    }

    private static func unopened(visits: Int64? = nil) -> StreamMailbox {
        StreamMailbox(person: RecipientKey(tenant: "t", id: "ada"), number: 1, topics: ["visits"], known: [visits])
    }

    /// The mailbox of a stream that was told its first event, of position 5.
    private static func mailbox() async -> StreamMailbox {
        let mailbox = unopened()
        #expect(mailbox.begin(event(5)) == StreamMailbox.Missed())
        #expect(await mailbox.next().event == event(5))
        return mailbox
    }

    /// Ends the stream and returns the events that it is still told.
    private static func events(_ mailbox: StreamMailbox) async -> [InboxEvent] {
        mailbox.end()
        var events: [InboxEvent] = []
        while let event = await mailbox.next().event { events.append(event) }
        return events
    }

    private static func visits(_ count: Int, newest: Int64) -> TopicNews {
        TopicNews(count: count, mark: TopicMark(tenant: "t", recipient: "ada", position: newest))
    }

    @Test func thePositionThatIsKnownTellsNothing() async {
        let mailbox = await Self.mailbox()
        #expect(mailbox.positionForNews() == 5)
        mailbox.put(Self.event(5))
        #expect(await Self.events(mailbox).isEmpty)
    }

    /// The signal of a change comes after a look that has told the change already.
    @Test func aChangeIsToldOnce() async {
        let mailbox = await Self.mailbox()
        let change = Self.event(6, changed: [Self.ids[0]])
        mailbox.put(change)
        #expect(mailbox.positionForNews() == 6)
        mailbox.put(Self.event(6))
        #expect(await Self.events(mailbox) == [change])
    }

    /// The last arrival stands first, as in an event that waits for no other.
    @Test func eventsThatWaitBecomeOne() async {
        let mailbox = await Self.mailbox()
        mailbox.put(Self.event(6, unread: 2, new: [Self.ids[1]]))
        mailbox.put(Self.event(8, unread: 3, new: [Self.ids[2]], changed: [Self.ids[0]]))
        let joined = Self.event(8, unread: 3, new: [Self.ids[2], Self.ids[1]], changed: [Self.ids[0]])
        #expect(await Self.events(mailbox) == [joined])
    }

    /// Each half can be named, and the whole cannot.
    @Test func moreThanAnEventNamesIsAReset() async {
        let mailbox = await Self.mailbox()
        let many = (0..<2 * APILimits.idsInEvent).map { NotificationID(milliseconds: 5_000, fraction: 0, random: UInt64($0)) }
        mailbox.put(Self.event(6, changed: Array(many[..<APILimits.idsInEvent])))
        mailbox.put(Self.event(7, changed: Array(many[APILimits.idsInEvent...])))
        let events = await Self.events(mailbox)
        #expect(events.map(\.ids.isCutOff) == [true] && events.map(\.ids.changed.count) == [APILimits.idsInEvent])
    }

    @Test func newsThatAreNotCompleteAreAReset() async {
        let mailbox = await Self.mailbox()
        mailbox.put(Self.event(6, changed: [Self.ids[0]], isComplete: false))
        mailbox.put(Self.event(7))
        #expect(await Self.events(mailbox).map(\.ids.isCutOff) == [true])
    }

    /// A signal comes while the first event is read: the news must be read once more.
    @Test func aChangeBeforeTheFirstEventIsNotMissed() async {
        let mailbox = Self.unopened()
        #expect(mailbox.positionForNews() == nil)
        #expect(mailbox.begin(Self.event(5)) == StreamMailbox.Missed(inbox: true))
        mailbox.put(Self.event(6))
        #expect(await Self.events(mailbox).map(\.position) == [6])
    }

    /// An inbox that was erased and began anew has a lower position, until it has one that is higher than ever.
    @Test func aLowerPositionIsNews() async {
        let mailbox = await Self.mailbox()
        mailbox.put(Self.event(0, unread: 0, isComplete: false))
        #expect(await Self.events(mailbox).map(\.position) == [0])
    }

    // MARK: Ids

    /// The id of an event names the position of the topic that the stream has told, and not those that wait.
    @Test func theIdTellsBothPositions() async {
        let mailbox = Self.unopened(visits: 2)
        mailbox.put(Self.visits(1, newest: 3), of: 0)
        #expect(mailbox.begin(Self.event(5)) == StreamMailbox.Missed())
        #expect(await mailbox.next().id == StreamMark(inbox: 5, topics: [2]))
        #expect(await mailbox.next().id == StreamMark(inbox: 5, topics: [3]))
        mailbox.put(Self.event(6))
        #expect(await mailbox.next().id == StreamMark(inbox: 6, topics: [3]))
    }

    /// A visit is signalled while the stream that opens counts it: a second count from the same position would tell two.
    @Test func aVisitIsCountedOnceWhileAStreamOpens() async {
        let mailbox = Self.unopened(visits: 2)
        #expect(mailbox.markForNews(of: 0, isChanged: true) == nil)
        #expect(mailbox.markForNews(of: 0, isChanged: false) == nil)
        mailbox.put(Self.visits(1, newest: 3), of: 0)
        #expect(mailbox.begin(Self.event(5)) == StreamMailbox.Missed(topics: [0: true]))
        #expect(mailbox.markForNews(of: 0, isChanged: true)?.position == 3)
    }

    @Test func aClientThatKnowsNoVisitsGoesOnFromNow() async {
        let mailbox = Self.unopened()
        mailbox.put(Self.visits(0, newest: 9), of: 0)
        #expect(mailbox.begin(Self.event(5)) == StreamMailbox.Missed())
        #expect(await mailbox.next().id == StreamMark(inbox: 5, topics: [9]))
    }

    @Test(arguments: [StreamMark(inbox: 0), StreamMark(inbox: 17), StreamMark(inbox: 1_764_056_302_989, topics: [0])])
    func anIdIsReadAgain(mark: StreamMark) { #expect(StreamMark(mark.text, topics: 1) == mark) }

    @Test(arguments: [
        "-", "5-", "-5", "5-6-x", "5-6-", "+5", "5 ", "x", "\u{0665}", "9999999999999999999", "01a211a4-318c-7610-a6e0-44805af145a0",
    ])
    func anotherTextIsNoId(text: String) { #expect(StreamMark(text, topics: 1) == nil) }

    /// Beside a process with fewer topics, as while a new version starts, a client would read everything again at each connection.
    @Test func theTopicsOfAnotherVersionAreLeftOut() {
        let known = StreamMark(inbox: 5, topics: [6])
        #expect(StreamMark("5-6-7", topics: 1) == known && StreamMark("5-6", topics: 0) == StreamMark(inbox: 5))
        let most = "5-6" + String(repeating: "-7", count: APILimits.surplusTopics)
        #expect(StreamMark(most, topics: 1) == known && StreamMark(most + "-7", topics: 1) == nil)
    }

    @Test func aClientSaysWhatItKnows() throws {
        let id = "01a211a4-318c-7610-a6e0-44805af145a0"
        let decimal = "01921144-3180-7610-8600-448051145000"
        for (text, known) in [
            (nil, InboxWatcher.Known.nothing), ("", .nothing), ("5", .position(5)), ("5-6", .position(5)),
            (id, .entry(try #require(NotificationID(id)))), (decimal, .entry(try #require(NotificationID(decimal)))),
            ("yesterday", .unclear),
        ] as [(String?, InboxWatcher.Known)] {
            let last = LastEventID(text, topics: 1)
            #expect(last.inbox == known && last.topics == (text == "5-6" ? [6] : []), "\(text ?? "none")")
        }
    }
}

extension StreamMailbox.Message {
    fileprivate var event: InboxEvent? { if case .event(let event, _) = self { event } else { nil } }

    fileprivate var id: StreamMark? {
        switch self {
        case .event(_, let id), .news(_, _, let id): id
        case .heartbeat, .end, .gone: nil
        }
    }
}
