import Testing
import TidingsContracts
import TidingsCore
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// Retention of inboxes, and the writers and readers beside people.
@Suite struct InboxUpkeepTests {
    private static let ann = StoreScene.person("ann")

    @Test func entriesAreKeptForTheirTime() async throws {
        try await StoreScene.with { scene in
            let old = try await scene.deliver(to: Self.ann)
            let later = scene.store.clock.now().adding(.seconds(86_400))
            let scheduled = try await scene.deliver(to: Self.ann, scheduledFor: later)
            let snoozed = try await scene.deliver(to: Self.ann)
            _ = try await scene.store.inbox.mark(.snooze(until: later), notification: snoozed, of: Self.ann)

            try await scene.shiftClock(by: .seconds(86_460))
            #expect(try await scene.store.inbox.wakeSnoozed()?.people.map(\.new) == [[snoozed]])
            try await scene.shiftClock(by: Store.inboxRetention - .seconds(60))
            #expect(try await scene.store.inbox.prune() == false)
            try await scene.shiftClock(by: Store.inboxRetention + .seconds(60))
            #expect(try await scene.store.inbox.prune())
            #expect(try await scene.store.inbox.prune() == false)
            #expect(try await scene.store.inbox.item(old, of: Self.ann) == nil)
            #expect(try await scene.listing(of: Self.ann, limit: 9) == [snoozed, scheduled])
            #expect(try await scene.store.inbox.counts(of: Self.ann) == InboxCounts(total: 2, unread: 2))

            // The last rows stay for as long as those that a person deletes. Then the inbox has nothing left, and goes too.
            try await scene.shiftClock(by: Store.inboxRetention + .seconds(86_500))
            #expect(try await scene.store.inbox.prune())
            #expect(try await scene.listing(of: Self.ann, limit: 9).isEmpty)
            #expect(try await scene.count("select count(*) from tidings.inbox") == 3)
            try await scene.shiftClock(by: Store.inboxRetention + Store.inboxUndoLimit + Store.inboxDeletedKept + .seconds(86_600))
            #expect(try await scene.store.inbox.prune())
            #expect(try await scene.store.inbox.prune() == false)
            #expect(try await scene.count("select (select count(*) from tidings.inbox) + (select count(*) from tidings.inboxes)") == 0)
        }
    }

    /// An inbox that begins anew gives no position that it gave before.
    @Test func aRemovedInboxNeverGivesAPositionTwice() async throws {
        try await StoreScene.with { scene in
            let id = try await scene.deliver(to: Self.ann)
            _ = try await scene.store.inbox.mark(.delete, notification: id, of: Self.ann)
            let highest = try await scene.count("select position from tidings_ops.inboxes")
            try await scene.shiftClock(by: Store.inboxUndoLimit + Store.inboxDeletedKept + .seconds(1))
            #expect(try await scene.store.inbox.prune())
            #expect(try await scene.count("select count(*) from tidings.inboxes") == 0)
            try await scene.deliver(to: Self.ann)
            #expect(try await scene.positions(of: Self.ann).allSatisfy { $0.position > Int64(highest) })
        }
    }

    /// A transaction that changes an inbox holds its lock. Retention passes over this inbox, and cleans the others.
    @Test func retentionWaitsForNoInbox() async throws {
        try await StoreScene.with { scene in
            let bob = StoreScene.person("bob")
            try await scene.deliver(toEach: [Self.ann, bob])
            try await scene.shiftClock(by: Store.inboxRetention + .seconds(60))
            let connection = try await PostgresConnection.connect(PostgresConfiguration(url: scene.system.databaseURL))
            try await connection.execute(script: "begin; select from tidings.inboxes where recipient_id = 'ann' for update")
            #expect(try await scene.store.inbox.prune())
            #expect(try await scene.store.inbox.counts(of: bob).total == 0)
            #expect(try await scene.store.inbox.counts(of: Self.ann).total == 1)
            try await connection.execute(script: "rollback")
            await connection.close()
            #expect(try await scene.store.inbox.prune())
            #expect(try await scene.store.inbox.counts(of: Self.ann).total == 0)
        }
    }

    @Test func aDeletedEntryKeepsItsRowForADay() async throws {
        try await StoreScene.with { scene in
            let ids = try await scene.deliver(2, to: Self.ann)
            _ = try await scene.store.inbox.mark(.delete, notification: ids[0], of: Self.ann)
            #expect(try await scene.store.inbox.prune() == false)
            try await scene.shiftClock(by: Store.inboxUndoLimit + Store.inboxDeletedKept + .seconds(1))
            #expect(try await scene.store.inbox.prune())
            #expect(try await scene.store.inbox.mark(.delete, notification: ids[0], of: Self.ann) == nil)
            #expect(try await scene.listing(of: Self.ann, limit: 9) == [ids[1]])
        }
    }

    /// A pack carries the content too: an entry of an escalation, or one that waited for its time.
    @Test func anEntryFromAPackCarriesTheContent() async throws {
        try await StoreScene.with { scene in
            let pack = try await scene.packOfOne(
                Content(title: "T", body: "B", imageURL: "https://example.com/a.png", data: #"{"a":1}"#, groupKey: "g"))
            _ = try await scene.store.outbox.deliverToInbox([pack], pauses: .none)
            _ = try await scene.store.outbox.deliverToInbox([pack], pauses: .none)
            let page = try await scene.store.inbox.page(of: Self.ann, limit: 9, from: .cursor(nil))
            let item = try #require(page.items.first)
            #expect(page.items.count == 1 && item.id == pack.entries[0].notificationID && item.type == "orderUpdate")
            #expect(item.title == "T" && item.body == "B" && item.imageURL == "https://example.com/a.png" && item.data == #"{"a":1}"#)
            #expect(item.groupKey == "g" && item.category == "transactional" && item.scheduledFor == Timestamp(seconds: 1_900_000_000))
        }
    }

    /// The number on an app's icon counts the entries that the listing shows as unread.
    @Test func theBadgeIsTheUnreadCount() async throws {
        try await StoreScene.with { scene in
            let ids = try await scene.deliver(6, to: Self.ann)
            for (change, id) in zip([InboxChange.read, .dismiss, .delete, .snooze(until: .distantFuture), .seen], ids) {
                _ = try await scene.store.inbox.mark(change, notification: id, of: Self.ann)
            }
            let pack = try await scene.packOfOne(Content(title: "T"))
            let claims = try await scene.store.outbox.claim([pack], worker: "w", as: ClaimID(scene.store.clock.nextID()), badges: true)
            #expect(Array(claims.badges.values) == [2])
            #expect(try await scene.store.inbox.counts(of: Self.ann).unread == 2)
        }
    }
}

extension StoreScene {
    /// A pack with one delivery to Ann, as a router writes it: scheduled for a moment in 2030, and due already.
    fileprivate func packOfOne(_ content: Content) async throws -> Pack {
        var intent = Intent(source: "/tests", id: "packed", type: "orderUpdate", recipient: "ann", content: content)
        intent.scheduledFor = Timestamp(seconds: 1_900_000_000)
        let key = Digest128(high: 7, low: 7)
        let decoded = DecodedIntent(intent: intent, idempotencyKey: key, contentHash: key, bytesInMessage: 0..<1)
        let result = try await take(claims([decoded]))
        return try #require(result.packs.first)
    }
}
