import Testing
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
                let first = try #require(try await scene.store.mark(change, notification: id, of: Self.ann))
                let again = try #require(try await scene.store.mark(change, notification: id, of: Self.ann))
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
                let answer = try #require(try await scene.store.mark(change, notification: id, of: Self.ann), "\(change)")
                #expect(answer.item.state == state && answer.counts == InboxCounts(total: total, unread: unread), "\(change)")
                #expect(answer.isChanged, "\(change)")
            }
        }
    }

    @Test func readingIsAlsoSeeing() async throws {
        try await StoreScene.with { scene in
            let id = try await scene.deliver(to: Self.ann)
            let answer = try #require(try await scene.store.mark(.read, notification: id, of: Self.ann))
            #expect(answer.item.seenAt != nil && answer.item.seenAt == answer.item.readAt)
        }
    }

    @Test func aDeletedEntryIsOnlyThereForUndo() async throws {
        try await StoreScene.with { scene in
            let id = try await scene.deliver(to: Self.ann)
            _ = try await scene.store.mark(.delete, notification: id, of: Self.ann)
            #expect(try await scene.store.inboxItem(id, of: Self.ann) == nil)
            for change in [InboxChange.read, .unread, .seen, .dismiss, .snooze(until: .distantFuture)] {
                #expect(try await scene.store.mark(change, notification: id, of: Self.ann) == nil, "\(change)")
            }
            let back = try #require(try await scene.store.mark(.undo, notification: id, of: Self.ann))
            #expect(back.isChanged && back.item.deletedAt == nil && back.counts == InboxCounts(total: 1, unread: 1))
        }
    }

    @Test func undoHasALimit() async throws {
        try await StoreScene.with { scene in
            let ids = try await scene.deliver(2, to: Self.ann)
            _ = try await scene.store.mark(.delete, notification: ids[0], of: Self.ann)
            _ = try await scene.store.mark(.dismiss, notification: ids[1], of: Self.ann)
            try await scene.shiftClock(by: Store.inboxUndoLimit + .seconds(1))
            #expect(try await scene.store.mark(.undo, notification: ids[0], of: Self.ann) == nil)
            let late = try #require(try await scene.store.mark(.undo, notification: ids[1], of: Self.ann))
            #expect(!late.isChanged && late.item.state == .dismissed)

            // A late deletion is taken back, and the early dismissal of the same entry stays.
            _ = try await scene.store.mark(.delete, notification: ids[1], of: Self.ann)
            let back = try #require(try await scene.store.mark(.undo, notification: ids[1], of: Self.ann))
            #expect(back.isChanged && back.item.state == .dismissed && back.counts == InboxCounts(total: 1, unread: 0))
        }
    }

    @Test func aSnoozedEntryComesBackUnread() async throws {
        try await StoreScene.with { scene in
            let id = try await scene.deliver(to: Self.ann)
            _ = try await scene.store.mark(.read, notification: id, of: Self.ann)
            let until = scene.store.clock.now().adding(.seconds(3_600))
            let answer = try #require(try await scene.store.mark(.snooze(until: until), notification: id, of: Self.ann))
            #expect(answer.item.snoozedUntil == until && answer.counts == InboxCounts(total: 0, unread: 0))
            #expect(try await scene.listing(of: Self.ann, limit: 5).isEmpty)
            #expect(try await scene.store.inboxItem(id, of: Self.ann) != nil, "found by its id")
            #expect(try await scene.store.clearInbox(of: Self.ann).changed == 0, "hidden from changes of all entries")

            try await scene.shiftClock(by: .seconds(3_601))
            let page = try await scene.store.inboxPage(of: Self.ann, limit: 5, from: .offset(0))
            #expect(page.items.map(\.id) == [id] && page.items.allSatisfy { !$0.isRead } && page.counts == InboxCounts(total: 1, unread: 1))
        }
    }

    @Test func allUpToAnEntryAreRead() async throws {
        try await StoreScene.with { scene in
            let ids = try await scene.deliver(4, to: Self.ann)
            _ = try await scene.store.mark(.read, notification: ids[0], of: Self.ann)
            _ = try await scene.store.mark(.dismiss, notification: ids[1], of: Self.ann)
            let some = try await scene.store.markAllRead(before: ids[2], of: Self.ann)
            #expect(some.changed == 2 && some.newest == [ids[2], ids[1]] && some.counts == InboxCounts(total: 4, unread: 1))
            #expect(try await scene.store.markAllRead(before: ids[2], of: Self.ann).changed == 0)
            #expect(try await scene.store.markAllRead(of: Self.ann).counts == InboxCounts(total: 4, unread: 0))
        }
    }

    @Test func allUpToAnEntryAreDeleted() async throws {
        try await StoreScene.with { scene in
            let ids = try await scene.deliver(4, to: Self.ann)
            let some = try await scene.store.clearInbox(before: ids[1], of: Self.ann)
            #expect(some.changed == 2 && some.newest == [ids[1], ids[0]] && some.counts == InboxCounts(total: 2, unread: 2))
            #expect(try await scene.listing(of: Self.ann, limit: 9) == [ids[3], ids[2]])
            #expect(try await scene.store.mark(.undo, notification: ids[0], of: Self.ann)?.counts.total == 3)
            let rest = try await scene.store.clearInbox(of: Self.ann)
            #expect(rest.changed == 3 && rest.counts == InboxCounts(total: 0, unread: 0))
        }
    }

    /// Several clients of one person change entries at random while entries arrive. The stored marks give the same counts.
    @Test func countsAreThoseOfARecount() async throws {
        try await StoreScene.with { scene in
            let ids = try await scene.deliver(12, to: Self.ann)
            try await withThrowingTaskGroup(of: Void.self) { group in
                // The clients run at the same time. The group waits for each.
                for client in 0..<3 { group.addTask { try await Self.changeAtRandom(ids, seed: UInt64(client), in: scene) } }
                group.addTask { _ = try await scene.deliver(6, to: Self.ann) }
                try await group.waitForAll()
            }
            let counts = try await scene.store.inboxCounts(of: Self.ann)
            let listed = "from tidings_ops.inbox where deleted_at is null and (snoozed_until is null or snoozed_until <= tidings.clock())"
            #expect(try await scene.count("select count(*) \(unsafe: listed)") == counts.total)
            #expect(
                try await scene.count("select count(*) \(unsafe: listed) and read_at is null and dismissed_at is null") == counts.unread)
            #expect(try await scene.listing(of: Self.ann, limit: 5).count == counts.total)
            let news = try await scene.store.inboxNews(of: [InboxWatcher(Self.ann)])
            #expect(news.map(\.counts) == [counts])
        }
    }

    private static func changeAtRandom(_ ids: [NotificationID], seed: UInt64, in scene: StoreScene) async throws {
        var random = SplitMix64(state: seed)
        let changes: [InboxChange] = [.read, .unread, .seen, .dismiss, .delete, .undo, .snooze(until: .distantFuture)]
        for _ in 0..<40 {
            let id = ids[random.below(ids.count)]
            switch random.below(10) {
            case 0: _ = try await scene.store.markAllRead(before: id, of: ann)
            case 1: _ = try await scene.store.clearInbox(before: id, of: ann)
            default: _ = try await scene.store.mark(changes[random.below(changes.count)], notification: id, of: ann)
            }
        }
    }
}
