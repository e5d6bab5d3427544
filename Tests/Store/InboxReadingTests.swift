import Testing
import TidingsCore
import TidingsPostgres
import TidingsStore

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
            let answer = try #require(try await scene.store.inboxItem(id, of: Self.ann))
            let item = answer.item
            #expect(item.id == id && item.type == "orderUpdate" && item.category == "transactional" && item.state == .delivered)
            #expect(item.title == "Shipped" && item.body == "It comes tomorrow." && item.data == #"{"orderId":17}"#)
            #expect(item.imageURL == "https://example.com/a.png" && item.groupKey == "order-17" && item.scheduledFor == time)
            #expect(answer.counts == InboxCounts(total: 1, unread: 1) && !answer.isChanged)
        }
    }

    @Test func anEmptyInboxIsAPage() async throws {
        try await StoreScene.with { scene in
            let page = try await scene.store.inboxPage(of: Self.ann, limit: 20, from: .cursor(nil))
            #expect(page.items.isEmpty && page.next == nil && page.counts == InboxCounts(total: 0, unread: 0))
            #expect(try await scene.store.inboxItem(scene.store.clock.nextID(), of: Self.ann) == nil)
        }
    }

    @Test func pagesByOffsetHaveTheNewestFirst() async throws {
        try await StoreScene.with { scene in
            let ids = Array(try await scene.deliver(7, to: Self.ann).reversed())
            for (offset, expected) in [(0, 0..<3), (3, 3..<6), (6, 6..<7), (7, 7..<7), (-1, 0..<3)] {
                let page = try await scene.store.inboxPage(of: Self.ann, limit: 3, from: .offset(offset))
                #expect(page.items.map(\.id) == Array(ids[expected]) && page.next == nil && page.counts.total == 7)
            }
        }
    }

    @Test func pagesByCursorEndWithTheLastEntry() async throws {
        try await StoreScene.with { scene in
            let ids = Array(try await scene.deliver(7, to: Self.ann).reversed())
            for limit in [1, 3, 7, 8] { #expect(try await scene.listing(of: Self.ann, limit: limit) == ids, "\(limit)") }
        }
    }

    /// Entries arrive and others are deleted between any two pages. Each entry that stays is listed exactly once.
    @Test func pagesByCursorNeitherRepeatNorSkip() async throws {
        try await StoreScene.with { scene in
            let kept = Set(try await scene.deliver(30, to: Self.ann))
            async let added = scene.deliver(30, to: Self.ann)
            var listings: [[NotificationID]] = []
            for _ in 0..<5 { listings.append(try await scene.listing(of: Self.ann, limit: 4)) }
            let all = kept.union(try await added)
            for listed in listings {
                #expect(listed == listed.sorted(by: >) && Set(listed).count == listed.count, "in order and once")
                #expect(kept.isSubset(of: listed) && all.isSuperset(of: listed))
            }
            #expect(Set(try await scene.listing(of: Self.ann, limit: 100)) == all)
        }
    }

    @Test func aCursorSurvivesItsEntry() async throws {
        try await StoreScene.with { scene in
            let ids = try await scene.deliver(3, to: Self.ann)
            let page = try await scene.store.inboxPage(of: Self.ann, limit: 1, from: .cursor(nil))
            let next = try #require(page.next)
            _ = try await scene.store.mark(.delete, notification: ids[2], of: Self.ann)
            let second = try await scene.store.inboxPage(of: Self.ann, limit: 1, from: .cursor(try InboxCursor(next.text)))
            #expect(second.items.map(\.id) == [ids[1]])
        }
    }

    @Test(arguments: [
        "", "x", "AQ", "!!!!!!!!!!!!!!!!!!!!!!!", "AgAAAAAAAAAAAAAAAAAAAAA", "AQAAAAAAAAAAAAAAAAAAAAAA", "AQAAAAAAAAAAAAAAAAAAAAA=",
    ])
    func anotherTextIsNoCursor(text: String) { #expect(throws: InboxCursor.Malformed.self) { try InboxCursor(text) } }

    @Test func newsOfManyPeopleAreOfEach() async throws {
        try await StoreScene.with { scene in
            let bob = StoreScene.person("bob")
            let ids = try await scene.deliver(4, to: Self.ann)
            _ = try await scene.store.mark(.read, notification: ids[3], of: Self.ann)
            let news = try await scene.store.inboxNews(
                of: [
                    InboxWatcher(Self.ann, lastKnown: ids[1]), InboxWatcher(bob, lastKnown: ids[0]), InboxWatcher(Self.ann),
                    InboxWatcher(RecipientKey(tenant: "other", id: "ann"), lastKnown: ids[0]), InboxWatcher(Self.ann, lastKnown: ids[0]),
                ], limit: 2)
            #expect(news.map(\.counts.total) == [4, 0, 4, 0, 4] && news.map(\.counts.unread) == [3, 0, 3, 0, 3])
            #expect(news.map(\.newest) == [ids[3], nil, ids[3], nil, ids[3]])
            #expect(news.map(\.newer) == [[ids[3], ids[2]], [], [], [], [ids[3], ids[2]]])
            #expect(news.map(\.isCutOff) == [false, false, false, false, true])
        }
    }
}
