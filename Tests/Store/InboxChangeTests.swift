import Synchronization
import Testing
import TidingsContracts
import TidingsCore
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// The changes that people make to their entries.
@Suite struct InboxChangeTests {
    private static let ann = StoreScene.person("ann")

    /// Each change is repeated. The second time it finds nothing to change, and answers the same.
    @Test func aRepeatedChangeChangesNothing() async throws {
        try await StoreScene.with { scene in
            for change in [InboxChange.read, .seen, .dismiss, .delete, .snooze(until: .distantFuture)] {
                let id = try await scene.deliver(to: Self.ann)
                let first = try #require(try await scene.store.inbox.mark(change, notification: id, of: Self.ann))
                let again = try #require(try await scene.store.inbox.mark(change, notification: id, of: Self.ann))
                #expect(first.isChanged && !again.isChanged, "\(change)")
                #expect(first.item == again.item && first.counts == again.counts, "\(change)")
            }
        }
    }

    @Test func eachMarkHasItsCounts() async throws {
        try await StoreScene.with { scene in
            let id = try await scene.deliver(to: Self.ann)
            _ = try await scene.deliver(to: Self.ann)
            for (change, state, total, unread) in [
                (InboxChange.seen, InboxItem.State.delivered, 2, 2), (.dismiss, .dismissed, 2, 1), (.read, .read, 2, 1),
                (.unread, .delivered, 2, 2), (.read, .read, 2, 1), (.dismiss, .dismissed, 2, 1), (.delete, .dismissed, 1, 1),
                (.undo, .read, 2, 1),
            ] {
                let answer = try #require(try await scene.store.inbox.mark(change, notification: id, of: Self.ann), "\(change)")
                #expect(answer.item.state == state && answer.counts == InboxCounts(total: total, unread: unread), "\(change)")
                #expect(answer.isChanged, "\(change)")
            }
        }
    }

    /// A person may swipe an entry away, read it all the same, and swipe it away again.
    @Test func theLastActCounts() async throws {
        try await StoreScene.with { scene in
            let id = try await scene.deliver(to: Self.ann)
            for round in 1...2 {
                for (change, state) in [(InboxChange.dismiss, InboxItem.State.dismissed), (.read, .read)] {
                    let first = try #require(try await scene.store.inbox.mark(change, notification: id, of: Self.ann))
                    #expect(first.isChanged && first.item.state == state, "\(change) \(round)")
                    let again = try #require(try await scene.store.inbox.mark(change, notification: id, of: Self.ann))
                    #expect(!again.isChanged && again.item == first.item, "\(change) \(round)")
                }
            }
        }
    }

    @Test func readingIsAlsoSeeing() async throws {
        try await StoreScene.with { scene in
            let id = try await scene.deliver(to: Self.ann)
            let answer = try #require(try await scene.store.inbox.mark(.read, notification: id, of: Self.ann))
            #expect(answer.item.seenAt != nil && answer.item.seenAt == answer.item.readAt)
        }
    }

    @Test func aDeletedEntryIsOnlyThereForUndo() async throws {
        try await StoreScene.with { scene in
            let id = try await scene.deliver(to: Self.ann)
            _ = try await scene.store.inbox.mark(.delete, notification: id, of: Self.ann)
            #expect(try await scene.store.inbox.item(id, of: Self.ann) == nil)
            for change in [InboxChange.read, .unread, .seen, .dismiss, .snooze(until: .distantFuture)] {
                #expect(try await scene.store.inbox.mark(change, notification: id, of: Self.ann) == nil, "\(change)")
            }
            let back = try #require(try await scene.store.inbox.mark(.undo, notification: id, of: Self.ann))
            #expect(back.isChanged && back.item.deletedAt == nil && back.counts == InboxCounts(total: 1, unread: 1))
        }
    }

    @Test func undoHasALimit() async throws {
        try await StoreScene.with { scene in
            let ids = try await scene.deliver(2, to: Self.ann)
            _ = try await scene.store.inbox.mark(.delete, notification: ids[0], of: Self.ann)
            _ = try await scene.store.inbox.mark(.dismiss, notification: ids[1], of: Self.ann)
            try await scene.shiftClock(by: Store.inboxUndoLimit + .seconds(1))
            #expect(try await scene.store.inbox.mark(.undo, notification: ids[0], of: Self.ann) == nil)
            let late = try #require(try await scene.store.inbox.mark(.undo, notification: ids[1], of: Self.ann))
            #expect(!late.isChanged && late.item.state == .dismissed)

            // A late deletion is taken back, and the early dismissal of the same entry stays.
            _ = try await scene.store.inbox.mark(.delete, notification: ids[1], of: Self.ann)
            let back = try #require(try await scene.store.inbox.mark(.undo, notification: ids[1], of: Self.ann))
            #expect(back.isChanged && back.item.state == .dismissed && back.counts == InboxCounts(total: 1, unread: 0))
        }
    }

    @Test func aSnoozedEntryComesBackUnread() async throws {
        try await StoreScene.with { scene in
            let id = try await scene.deliver(to: Self.ann)
            _ = try await scene.store.inbox.mark(.read, notification: id, of: Self.ann)
            let until = scene.store.clock.now().adding(.seconds(3_600))
            let answer = try #require(try await scene.store.inbox.mark(.snooze(until: until), notification: id, of: Self.ann))
            #expect(answer.item.snoozedUntil == until && answer.counts == InboxCounts(total: 0, unread: 0))
            #expect(try await scene.listing(of: Self.ann, limit: 5).isEmpty)
            #expect(try await scene.store.inbox.item(id, of: Self.ann) != nil, "found by its id")
            #expect(try await scene.store.inbox.clear(of: Self.ann)?.changed == 0, "hidden from changes of all entries")
            #expect(try await scene.store.inbox.wakeSnoozed() == nil, "the time has not come")

            try await scene.shiftClock(by: .seconds(3_601))
            #expect(try await scene.store.inbox.wakeSnoozed()?.people.map(\.new) == [[id]])
            #expect(try await scene.store.inbox.wakeSnoozed() == nil, "every snooze is over")
            let page = try await scene.store.inbox.page(of: Self.ann, limit: 5, from: .offset(0))
            #expect(page.items.map(\.id) == [id] && page.items.allSatisfy { !$0.isRead } && page.counts == InboxCounts(total: 1, unread: 1))
            #expect(page.items.first?.snoozedUntil == nil)
        }
    }

    /// A woken entry stands above everything that arrived during its snooze.
    @Test func aWokenEntryArrivesOnTop() async throws {
        try await StoreScene.with { scene in
            let ids = try await scene.deliver(3, to: Self.ann)
            let until = scene.store.clock.now().adding(.seconds(3_600))
            for id in ids[0...1] { _ = try await scene.store.inbox.mark(.snooze(until: until), notification: id, of: Self.ann) }
            let byHand = try #require(try await scene.store.inbox.mark(.wake, notification: ids[1], of: Self.ann))
            #expect(byHand.isChanged && byHand.item.snoozedUntil == nil && byHand.counts == InboxCounts(total: 2, unread: 2))
            let again = try #require(try await scene.store.inbox.mark(.wake, notification: ids[1], of: Self.ann))
            #expect(!again.isChanged && again.item.position == byHand.item.position)
            let later = try await scene.deliver(to: Self.ann)
            try await scene.shiftClock(by: .seconds(3_601))
            #expect(try await scene.store.inbox.wakeSnoozed()?.people.map(\.new) == [[ids[0]]])
            #expect(try await scene.positions(of: Self.ann).map(\.id) == [ids[2], ids[1], later, ids[0]])
        }
    }

    /// The earliest snooze is deleted and taken back after its time. The entry still wakes.
    @Test func aSnoozedEntryThatWasDeletedMeanwhileWakes() async throws {
        try await StoreScene.with { scene in
            let ids = try await scene.deliver(2, to: Self.ann)
            for (id, seconds) in zip(ids, [60, 120]) {
                let until = scene.store.clock.now().adding(.seconds(seconds))
                _ = try await scene.store.inbox.mark(.snooze(until: until), notification: id, of: Self.ann)
            }
            _ = try await scene.store.inbox.mark(.delete, notification: ids[0], of: Self.ann)
            try await scene.shiftClock(by: .seconds(90))
            #expect(try await scene.store.inbox.wakeSnoozed()?.isEmpty == true)
            _ = try await scene.store.inbox.mark(.undo, notification: ids[0], of: Self.ann)
            #expect(try await scene.store.inbox.wakeSnoozed()?.people.map(\.new) == [[ids[0]]])
            try await scene.shiftClock(by: .seconds(130))
            #expect(try await scene.store.inbox.wakeSnoozed()?.people.map(\.new) == [[ids[1]]])
        }
    }

    @Test func allUpToAnEntryAreRead() async throws {
        try await StoreScene.with { scene in
            let ids = try await scene.deliver(4, to: Self.ann)
            _ = try await scene.store.inbox.mark(.read, notification: ids[0], of: Self.ann)
            _ = try await scene.store.inbox.mark(.dismiss, notification: ids[1], of: Self.ann)
            let some = try #require(try await scene.store.inbox.markAllRead(before: .entry(ids[2]), of: Self.ann))
            #expect(some.changed == 1 && some.newest == [ids[2]] && some.counts == InboxCounts(total: 4, unread: 1))
            #expect(try await scene.store.inbox.item(ids[1], of: Self.ann)?.item.state == .dismissed)
            #expect(try await scene.store.inbox.markAllRead(before: .entry(ids[2]), of: Self.ann)?.changed == 0)
            #expect(try await scene.store.inbox.markAllRead(of: Self.ann)?.counts == InboxCounts(total: 4, unread: 0))
        }
    }

    @Test func allUpToAnEntryAreDeleted() async throws {
        try await StoreScene.with { scene in
            let ids = try await scene.deliver(4, to: Self.ann)
            let position = try #require(try await scene.store.inbox.item(ids[1], of: Self.ann)).item.position
            let some = try #require(try await scene.store.inbox.clear(before: .position(position), of: Self.ann))
            #expect(some.changed == 2 && some.newest == [ids[1], ids[0]] && some.counts == InboxCounts(total: 2, unread: 2))
            #expect(try await scene.listing(of: Self.ann, limit: 9) == [ids[3], ids[2]])
            #expect(try await scene.store.inbox.mark(.undo, notification: ids[0], of: Self.ann)?.counts.total == 3)
            #expect(try await scene.store.inbox.clear(before: .entry(ids[1]), of: Self.ann)?.changed == 1, "a deleted entry is a bound too")
            #expect(try await scene.store.inbox.clear(before: .entry(scene.store.clock.nextID()), of: Self.ann) == nil)
            let rest = try #require(try await scene.store.inbox.clear(of: Self.ann))
            #expect(rest.changed == 2 && rest.counts == InboxCounts(total: 0, unread: 0))
        }
    }

    /// A listing of more than two steps. Each step is a transaction with a position of its own, so it holds the inbox for a short time.
    @Test func aChangeOfManyIsMadeInSteps() async throws {
        try await StoreScene.with { scene in
            let count = 2 * Int(Store.inboxSweepStep) + 10
            let ids = try await scene.deliver(toEach: Array(repeating: Self.ann, count: count))
            let read = try #require(try await scene.store.inbox.markAllRead(before: .entry(ids[count - 6]), of: Self.ann))
            #expect(read.changed == count - 5 && read.counts == InboxCounts(total: count, unread: 5))
            let uppermost = ids[(count - 5 - Store.inboxSweepNames)..<(count - 5)]
            #expect(read.newest == Array(uppermost.reversed()))
            #expect(try await scene.count("select count(distinct changed) from tidings.inbox") == 3)
            #expect(try await scene.store.inbox.markAllRead(before: .entry(ids[count - 6]), of: Self.ann)?.changed == 0)
            #expect(try await scene.store.inbox.clear(of: Self.ann)?.changed == count)
            try await Self.expectRecount(in: scene)
        }
    }

    /// An entry that arrived late has an old id. A person who saw only the entries below it neither reads nor deletes it.
    @Test func aLateArrivalIsNotSwallowed() async throws {
        try await StoreScene.with { scene in
            let late = scene.store.clock.nextID()
            let seen = try await scene.deliver(to: Self.ann)
            try await scene.deliver(to: Self.ann, as: late)
            #expect(late < seen)
            #expect(try await scene.store.inbox.markAllRead(before: .entry(seen), of: Self.ann)?.newest == [seen])
            #expect(try await scene.store.inbox.clear(before: .entry(seen), of: Self.ann)?.newest == [seen])
            #expect(try await scene.store.inbox.item(late, of: Self.ann)?.item.state == .delivered)
        }
    }

    /// Eight clients of one person change entries at random while entries arrive, wake and reach the end of their retention. The counts are
    /// always those of a recount, and four tabs that follow the news show what the inbox has.
    @Test func countsAreThoseOfARecount() async throws {
        try await StoreScene.with { scene in
            let ids = try await scene.deliver(12, to: Self.ann)
            let isOver = Mutex(false)
            try await withThrowingTaskGroup(of: Void.self) { tabs in
                // The tabs follow until nothing changes any more. The group waits for each.
                for _ in 0..<4 {
                    tabs.addTask { @Sendable in
                        var tab = try await InboxTab(of: Self.ann, in: scene)
                        while !isOver.withLock({ $0 }), !Task.isCancelled { try await tab.listen() }
                        try await tab.listen()
                        let shown = try await InboxTab(of: Self.ann, in: scene).shown
                        #expect(tab.shown == shown)
                    }
                }
                try await Self.changeEverything(ids, in: scene)
                isOver.withLock { $0 = true }
                try await tabs.waitForAll()
            }
            try await Self.expectRecount(in: scene)
            let counts = try await scene.store.inbox.counts(of: Self.ann)
            #expect(try await scene.listing(of: Self.ann, limit: 5).count == counts.total)
            let news = try await scene.store.inbox.news(of: [InboxWatcher(Self.ann)])
            #expect(news.map(\.counts) == [counts])
        }
    }

    private static func changeEverything(_ ids: [NotificationID], in scene: StoreScene) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            // The clients run at the same time. The group waits for each.
            for client in 0..<8 { group.addTask { try await Self.changeAtRandom(ids, seed: UInt64(client), in: scene) } }
            group.addTask { _ = try await scene.deliver(6, to: Self.ann) }
            group.addTask {
                for _ in 0..<20 {
                    _ = try await scene.store.inbox.wakeSnoozed()
                    _ = try await scene.store.inbox.prune(retention: .seconds(1))
                    _ = try await scene.deliver(toEach: [Self.ann, StoreScene.person("bob")])
                }
            }
            group.addTask { for _ in 0..<20 { try await Self.expectRecount(in: scene) } }
            try await group.waitForAll()
        }
    }

    /// Compares the counts with the entries, in one statement and so at one moment.
    private static func expectRecount(in scene: StoreScene) async throws {
        let wrong = try await scene.system.query(
            """
            select format('%s has %s, %s, %s of %s, %s, %s', b.recipient_id, b.total, b.unread, b.snoozed, n.total, n.unread, n.snoozed)
            from tidings_ops.inboxes b cross join lateral (
                select count(*) filter (where snoozed_until is null) as total, count(*) filter (where snoozed_until is not null) as snoozed,
                    count(*) filter (where snoozed_until is null and read_at is null and dismissed_at is null) as unread
                from tidings_ops.inbox i where i.tenant = b.tenant and i.recipient_id = b.recipient_id and i.deleted_at is null
            ) n
            where (b.total, b.unread, b.snoozed) is distinct from (n.total, n.unread, n.snoozed)
            """
        ).rows.map { try $0.decode(String.self) }
        #expect(wrong.isEmpty)
    }

    private static func changeAtRandom(_ ids: [NotificationID], seed: UInt64, in scene: StoreScene) async throws {
        var random = SplitMix64(state: seed)
        let soon = scene.store.clock.now()
        let changes: [InboxChange] = [
            .read, .unread, .seen, .dismiss, .delete, .undo, .snooze(until: .distantFuture), .snooze(until: soon), .wake,
        ]
        for _ in 0..<40 {
            let id = ids[random.below(ids.count)]
            switch random.below(10) {
            case 0: _ = try await scene.store.inbox.markAllRead(before: .entry(id), of: ann)
            case 1: _ = try await scene.store.inbox.clear(before: .entry(id), of: ann)
            default: _ = try await scene.store.inbox.mark(changes[random.below(changes.count)], notification: id, of: ann)
            }
        }
    }
}
