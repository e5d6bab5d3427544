import Testing
import TidingsCore

@testable import TidingsAPI
@testable import TidingsStore

/// The events that a stream is told, and those it is spared.
@Suite struct StreamMailboxTests {
    private static let ids = (1...3).map { NotificationID(milliseconds: 1_000 + $0, fraction: 0, random: $0) }

    /// An inbox of unread items.
    private static func event(
        _ unread: Int, newest: NotificationID?, new: [NotificationID] = [], changed: [NotificationID] = []
    ) -> InboxEvent {
        var ids = ChangedIDs()
        ids.add(new: new, changed: changed)
        let news = InboxNews(
            position: 0, counts: InboxCounts(total: unread, unread: unread), newest: newest, arrived: [], changed: [], isComplete: true)
        return InboxEvent(news, ids)
    }

    /// The mailbox of a stream that was told of one item.
    private static func mailbox() -> StreamMailbox {
        let mailbox = StreamMailbox(person: RecipientKey(tenant: "t", id: "ada"), number: 1)
        mailbox.begin(event(1, newest: ids[0]))
        return mailbox
    }

    /// Ends the stream and returns the events that it is still told.
    private static func events(_ mailbox: StreamMailbox) async -> [InboxEvent] {
        mailbox.end()
        var events: [InboxEvent] = []
        while case .event(let event) = await mailbox.next() { events.append(event) }
        return events
    }

    @Test func aLookThatFindsNothingNewTellsNothing() async {
        let mailbox = Self.mailbox()
        for _ in 1...3 { #expect(!mailbox.look(at: Self.event(1, newest: Self.ids[0]))) }
        #expect(await Self.events(mailbox).isEmpty)
    }

    /// The signal comes between two looks: the one event has its ids.
    @Test func aChangeIsToldOnceByItsSignal() async {
        let mailbox = Self.mailbox()
        #expect(mailbox.look(at: Self.event(2, newest: Self.ids[1])))
        let arrival = Self.event(2, newest: Self.ids[1], new: [Self.ids[1]])
        mailbox.put(arrival)
        #expect(!mailbox.look(at: Self.event(2, newest: Self.ids[1])))
        #expect(await Self.events(mailbox) == [arrival])
    }

    @Test func aChangeWithoutASignalIsToldByTheSecondLook() async {
        let mailbox = Self.mailbox()
        let change = Self.event(0, newest: nil)
        #expect(mailbox.look(at: change))
        #expect(!mailbox.look(at: change))
        #expect(!mailbox.look(at: change))
        #expect(await Self.events(mailbox) == [change])
    }

    /// Two looks that find different states are two changes, and each may have its signal on the way.
    @Test func aSecondChangeIsLookedAtAgain() async {
        let mailbox = Self.mailbox()
        #expect(mailbox.look(at: Self.event(2, newest: Self.ids[1])))
        #expect(mailbox.look(at: Self.event(3, newest: Self.ids[2])))
        #expect(await Self.events(mailbox).isEmpty)
    }

    /// The first event has the item already when its signal comes.
    @Test func anItemOfTheFirstEventIsNotToldAgain() async {
        let mailbox = Self.mailbox()
        mailbox.put(Self.event(1, newest: Self.ids[0], new: [Self.ids[0]]))
        #expect(await Self.events(mailbox).isEmpty)
    }

    /// The counts alone cannot tell that one item came while another one went.
    @Test func idsAreToldEvenIfTheCountsAreTheSame() async {
        let mailbox = Self.mailbox()
        let changed = Self.event(1, newest: Self.ids[0], changed: [Self.ids[0]])
        mailbox.put(changed)
        #expect(await mailbox.next().event == changed)
        let older = Self.event(1, newest: Self.ids[0], new: [Self.ids[2]])
        mailbox.put(older)
        #expect(await Self.events(mailbox) == [older])
    }
}

extension StreamMailbox.Message {
    fileprivate var event: InboxEvent? { if case .event(let event) = self { event } else { nil } }
}
