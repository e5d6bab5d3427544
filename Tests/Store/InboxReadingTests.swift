import Testing
import TidingsCore
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// Pages, single entries and news of inboxes.
@Suite struct InboxReadingTests {
    private static let ann = StoreScene.person("ann")

    @Test func anEntryCarriesTheContent() async throws {
        try await StoreScene.with { scene in
            let content = Content(
                title: "Shipped", body: "It comes tomorrow.", imageURL: "https://example.com/a.png", data: #"{"orderId":17}"#,
                groupKey: "order-17")
            let time = Timestamp(seconds: 1_900_000_000)
            let id = try await scene.deliver(to: Self.ann, content, scheduledFor: time)
            let answer = try #require(try await scene.store.inbox.item(id, of: Self.ann))
            let item = answer.item
            #expect(item.id == id && item.type == "orderUpdate" && item.category == "transactional" && item.state == .delivered)
            #expect(item.title == "Shipped" && item.body == "It comes tomorrow." && item.data == #"{"orderId":17}"#)
            #expect(item.imageURL == "https://example.com/a.png" && item.groupKey == "order-17" && item.scheduledFor == time)
            #expect(answer.counts == InboxCounts(total: 1, unread: 1) && !answer.isChanged)
        }
    }

    @Test func anEmptyInboxIsAPage() async throws {
        try await StoreScene.with { scene in
            let page = try await scene.store.inbox.page(of: Self.ann, limit: 20, from: .cursor(nil))
            #expect(page.items.isEmpty && page.next == nil && page.counts == InboxCounts(total: 0, unread: 0))
            #expect(try await scene.store.inbox.item(scene.store.clock.nextID(), of: Self.ann) == nil)
        }
    }

    @Test func pagesByOffsetHaveTheNewestFirst() async throws {
        try await StoreScene.with { scene in
            let ids = Array(try await scene.deliver(7, to: Self.ann).reversed())
            for (offset, expected) in [(0, 0..<3), (3, 3..<6), (6, 6..<7), (7, 7..<7), (-1, 0..<3)] {
                let page = try await scene.store.inbox.page(of: Self.ann, limit: 3, from: .offset(offset))
                #expect(page.items.map(\.id) == Array(ids[expected]) && page.next == nil && page.counts.total == 7)
            }
        }
    }

    /// The script of a measurement has expressions in place of the values, and the same page.
    @Test func theScriptOfAListingHasThePage() async throws {
        try await StoreScene.with { scene in
            let ids = try await scene.deliver(3, to: Self.ann)
            let script = Store.Inbox.listingScript(tenant: "'default'", recipient: "('a' || 'nn')", limit: 2)
            #expect(!script.contains("$"))
            let parts = script.split(separator: ";\n").map(String.init)
            try #require(parts.count == 4 && parts[0].hasPrefix("\\startpipeline\n") && parts[3] == "\\endpipeline\n")
            _ = try await scene.system.query(SQL(unsafeSQL: String(parts[0].dropFirst("\\startpipeline\n".count))))
            let rows = try await scene.system.query(SQL(unsafeSQL: parts[1])).rows
            #expect(try rows.map { try $0.decode("notification_id", as: NotificationID.self) } == [ids[2], ids[1]])
            #expect(try rows.map { try $0.decode("total", as: Int.self) } == [3, 3])
            let denial = try await scene.system.query(SQL(unsafeSQL: parts[2]))
            #expect(try denial.rows.map { try $0.decode(Bool.self) } == [false])
        }
    }

    @Test func pagesByCursorEndWithTheLastEntry() async throws {
        try await StoreScene.with { scene in
            let ids = Array(try await scene.deliver(7, to: Self.ann).reversed())
            for limit in [1, 3, 7, 8] { #expect(try await scene.listing(of: Self.ann, limit: limit) == ids, "\(limit)") }
        }
    }

    /// Entries arrive while pages are read, and every second of them has waited for its time. Each page walk lists the entries of its
    /// beginning exactly once, in the order of arrival.
    @Test func pagesByCursorNeitherRepeatNorSkip() async throws {
        try await StoreScene.with { scene in
            let waiting = (0..<20).map { _ in scene.store.clock.nextID() }
            let kept = Array(try await scene.deliver(30, to: Self.ann).reversed())
            async let added = Self.deliver(waiting, in: scene)
            for _ in 0..<8 {
                let before = try await scene.listing(of: Self.ann, limit: 100)
                let walked = try await scene.listing(of: Self.ann, limit: 4)
                #expect(Set(walked).count == walked.count && walked.suffix(before.count) == before[...], "once, and none is left out")
                #expect(walked.suffix(kept.count) == kept[...], "nothing moves")
            }
            let arrived = try await added
            #expect(try await scene.listing(of: Self.ann, limit: 7) == arrived.reversed() + kept)
        }
    }

    /// Delivers the waiting entries, each after an entry that was accepted just now. Returns all in the order of their arrival.
    private static func deliver(_ waiting: [NotificationID], in scene: StoreScene) async throws -> [NotificationID] {
        var ids: [NotificationID] = []
        for late in waiting {
            ids.append(try await scene.deliver(to: ann))
            ids.append(try await scene.deliver(to: ann, as: late))
        }
        return ids
    }

    @Test func aPageTellsTheNewestPosition() async throws {
        try await StoreScene.with { scene in
            let ids = try await scene.deliver(2, to: Self.ann)
            let page = try await scene.store.inbox.page(of: Self.ann, limit: 5, from: .cursor(nil))
            #expect(page.position == page.items.first?.position)
            _ = try await scene.store.inbox.mark(.read, notification: ids[0], of: Self.ann)
            let later = try await scene.store.inbox.page(of: Self.ann, limit: 5, from: .offset(0))
            #expect(later.position == page.position + 1, "a change takes a position too")
            #expect(later.items.map(\.position) == page.items.map(\.position), "and moves nothing")
        }
    }

    @Test func snoozedEntriesHaveAListingOfTheirOwn() async throws {
        try await StoreScene.with { scene in
            let ids = try await scene.deliver(6, to: Self.ann)
            let now = scene.store.clock.now()
            // The last one snoozes for the shortest time, and two end at the same moment.
            for (id, hours) in zip(ids, [5, 4, 4, 1]) {
                let until = now.adding(.seconds(hours * 3_600))
                _ = try await scene.store.inbox.mark(.snooze(until: until), notification: id, of: Self.ann)
            }
            var (listed, start) = ([NotificationID](), InboxCursor?.none)
            repeat {
                let page = try await scene.store.inbox.page(of: Self.ann, limit: 1, from: .cursor(start), in: .snoozed)
                #expect(page.snoozed == 4 && page.counts == InboxCounts(total: 2, unread: 2))
                listed += page.items.map(\.id)
                start = try page.next.map { try InboxCursor($0.text, in: .snoozed) }
            } while start != nil
            #expect(listed == [ids[3], ids[1], ids[2], ids[0]])
            let second = try await scene.store.inbox.page(of: Self.ann, limit: 9, from: .offset(3), in: .snoozed)
            #expect(second.items.map(\.snoozedUntil) == [now.adding(.seconds(5 * 3_600))])
            #expect(try await scene.listing(of: Self.ann, limit: 9) == [ids[5], ids[4]])
        }
    }

    @Test func aCursorSurvivesItsEntry() async throws {
        try await StoreScene.with { scene in
            let ids = try await scene.deliver(3, to: Self.ann)
            let page = try await scene.store.inbox.page(of: Self.ann, limit: 1, from: .cursor(nil))
            let next = try #require(page.next)
            _ = try await scene.store.inbox.mark(.delete, notification: ids[2], of: Self.ann)
            let second = try await scene.store.inbox.page(of: Self.ann, limit: 1, from: .cursor(try InboxCursor(next.text, in: .arrived)))
            #expect(second.items.map(\.id) == [ids[1]])
        }
    }

    /// The fourth and fifth are of version 1, which named an id. The last but one has a negative position.
    @Test(arguments: [
        "", "x", "AQ", "AQGiEaQxjHYQpuBEgFrxRaA", "AQAAAAAAAAAAAAAAAAAAAAA", "!!!!!!!!!!!!", "AgAAAAAAAAA", "AgAAAAAAAAAAAA",
        "AoAAAAAAAAAA", "AgAAAAAAAAA=",
    ])
    func anotherTextIsNoCursor(text: String) {
        for listing in [InboxPage.Listing.arrived, .snoozed] {
            #expect(throws: InboxCursor.Malformed.self) { try InboxCursor(text, in: listing) }
        }
    }

    @Test func aCursorBelongsToItsListing() throws {
        #expect(try InboxCursor("AgAAAAAAAAAB", in: .arrived).text == "AgAAAAAAAAAB")
        #expect(throws: InboxCursor.Malformed.self) { try InboxCursor("AgAAAAAAAAAB", in: .snoozed) }
        let snoozed = "AwAAAAAAAAABAAAAAAAAAAI"
        #expect(try InboxCursor(snoozed, in: .snoozed).text == snoozed)
        #expect(throws: InboxCursor.Malformed.self) { try InboxCursor(snoozed, in: .arrived) }
    }

    @Test func newsOfManyPeopleAreOfEach() async throws {
        try await StoreScene.with { scene in
            let bob = StoreScene.person("bob")
            let ids = try await scene.deliver(4, to: Self.ann)
            _ = try await scene.store.inbox.mark(.read, notification: ids[3], of: Self.ann)
            let namesake = RecipientKey(tenant: "other", id: "ann")
            let news = try await scene.store.inbox.news(
                of: [
                    InboxWatcher(Self.ann, known: .entry(ids[1])), InboxWatcher(bob, known: .position(0)), InboxWatcher(Self.ann),
                    InboxWatcher(namesake, known: .entry(ids[0])), InboxWatcher(Self.ann, known: .entry(ids[0])),
                    InboxWatcher(Self.ann, known: .unclear),
                ], limit: 2)
            #expect(news.map(\.counts.total) == [4, 0, 4, 0, 4, 4] && news.map(\.counts.unread) == [3, 0, 3, 0, 3, 3])
            #expect(news.map(\.newest) == [ids[3], nil, ids[3], nil, ids[3], ids[3]])
            #expect(news.map(\.arrived) == [[ids[3], ids[2]], [], [], [], [ids[3], ids[2]], []])
            #expect(news.map(\.changed) == [[ids[3]], [], [], [], [ids[3]], []])
            #expect(news.map(\.isComplete) == [true, true, true, false, false, false])
            #expect(news[2].position == news[0].position && news[1].position == 0)
        }
    }
}
