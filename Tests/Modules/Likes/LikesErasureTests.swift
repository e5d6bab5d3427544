import Testing
import TidingsCore
import TidingsJSON
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

@testable import TidingsLikes

/// The erasure of a person in the tables of the module, and of the notifications that tell others of the person.
@Suite struct LikesErasureTests {
    private static let ada = RecipientKey(tenant: LikesScene.tenant, id: "ada")

    @Test func anErasedPersonIsNowhere() async throws {
        try await LikesScene.with { scene in
            try await scene.like("ada", by: ["bo", "cy"])
            try await scene.like("bo", by: "ada")
            try await scene.like("cy", by: "bo")
            #expect(try await scene.answer(.like, of: "ada", to: "bo") == .matched)
            _ = try await scene.likes.startUnblur(of: "ada", tenant: LikesScene.tenant, seconds: 60)

            let foreign = try await scene.erase(RecipientKey(tenant: "acme", id: "ada"))
            #expect(foreign["counts"]?.objectValue?.entries.isEmpty == true, "the person of another tenant is another person")
            #expect(try await scene.list("ada").likes.count == 2)

            let counts = try #require(try await scene.erase(Self.ada)["counts"])
            #expect(counts["likes"]?.intValue == 3 && counts["matches"]?.intValue == 1 && counts["unblurs"]?.intValue == 1)
            #expect(try await scene.list("ada").likes.isEmpty)
            #expect(try await scene.list("bo").likes.isEmpty)
            #expect(try await scene.list("cy").likes.map(\.id) == ["bo"])
            for table in ["liked_people", "unblurs"] {
                #expect(try await scene.count("select count(*) from tidings.\(unsafe: table) where recipient_id = 'ada'") == 0)
            }
            await #expect(throws: RecipientErased()) {
                try await scene.likes.startUnblur(of: "ada", tenant: LikesScene.tenant, seconds: 60)
            }
        }
    }

    /// Likes that the person gave, also earlier ones, and a match.
    @Test func theNotificationsOfOthersAreErasedToo() async throws {
        try await LikesScene.with { scene in
            let like = { LikesScene.intent(to: "bo", data: ["userId": "ada"]) }
            try await scene.like("bo", by: ["ada", "cy"])
            try await scene.like("bo", by: "ada")
            try await scene.route([like(), like()])
            try await scene.like("ada", by: "bo")
            #expect(try await scene.answer(.like, of: "ada", to: "bo") == .matched)
            let event = try #require(try await scene.outgoing().last)
            try #require(event["data"]?["recipient"]?.stringValue == "bo")
            try await scene.route([try Self.match(event)], projection: nil)
            #expect(try await scene.count("select count(*) from tidings.notifications where recipient_id = 'bo'") == 6)

            let counts = try #require(try await scene.erase(Self.ada)["counts"])
            #expect(counts["notifications"]?.intValue == 6, "one of the person, and five that tell of the person")
            #expect(try await scene.count("select count(*) from tidings.notifications where recipient_id = 'bo'") == 1)
            #expect(try await scene.count("select count(*) from tidings.erased_notifications") == 6)
            #expect(try await scene.count("select count(*) from tidings.erasure_mentions") == 0)
            #expect(try await scene.list("bo").likes.map(\.id) == ["cy"])
        }
    }

    /// The inbox of another person loses entries that counted, and its stream can no longer name them.
    @Test func theInboxOfAnotherPersonCountsWhatIsLeft() async throws {
        try await LikesScene.with { scene in
            try await scene.like("bo", by: ["ada", "cy"])
            try await scene.like("bo", by: "ada")
            for statement in Self.entriesOfAll { _ = try await scene.system.query(statement) }
            let bo = RecipientKey(tenant: LikesScene.tenant, id: "bo")
            #expect(try await scene.store.inbox.counts(of: bo) == InboxCounts(total: 3, unread: 3))

            let counts = try #require(try await scene.erase(Self.ada)["counts"])
            #expect(counts["inbox"]?.intValue == 2)
            #expect(try await scene.store.inbox.counts(of: bo) == InboxCounts(total: 1, unread: 1))
            #expect(try await scene.store.operations.auditInboxes().isEmpty)
            let watcher = InboxWatcher(bo, known: .position(3))
            #expect(try await scene.store.inbox.changed(since: [watcher]) == [bo])
            #expect(try await scene.store.inbox.news(of: [watcher]).map(\.isComplete) == [false])
        }
    }

    /// An inbox entry for each notification.
    private static let entriesOfAll: [SQL] = [
        """
        insert into tidings.inbox (tenant, recipient_id, notification_id, position, type, category, data, created_at)
        select tenant, recipient_id, id, row_number() over (partition by tenant, recipient_id order by id), type, category, '{}', accepted_at
        from tidings.notifications
        """,
        """
        insert into tidings.inboxes (tenant, recipient_id, position, forgotten, total, unread, snoozed)
        select tenant, recipient_id, max(position), 0, count(*), count(*), 0 from tidings.inbox group by tenant, recipient_id
        """,
    ]

    @Test func theLastEarlierLikesAreKnown() async throws {
        try await LikesScene.with { scene in
            try await scene.route((0..<40).map { _ in LikesScene.intent(to: "bo", data: ["userId": "ada"]) })
            #expect(try await scene.count("select cardinality(earlier_ids)::bigint from tidings.likes") == 32)
            let last = try await scene.system.query("select notification_id::text from tidings.likes").rows[0].decode(String.self)
            try await scene.like("bo", by: "ada")
            #expect(try await scene.count("select cardinality(earlier_ids)::bigint from tidings.likes") == 32)
            let kept = try await scene.count(
                "select count(*) from tidings.likes where earlier_ids[32] = \(last)::text::uuid and not notification_id = any(earlier_ids)")
            #expect(kept == 1)
        }
    }

    @Test func anIntentNamesItsLiker() throws {
        let projections = Projections([LikesProjection()])
        let like = LikesScene.intent(to: "bo", data: ["userId": "ada"])
        #expect(projections.people(in: like, projection: "likes") == [Self.ada])
        #expect(projections.people(in: like, projection: nil).isEmpty)
        let match = try Self.match(["id": "match-1", "data": ["data": ["userId": "ada"]]])
        #expect(projections.people(in: match, projection: nil) == [Self.ada])
        #expect(projections.people(in: LikesScene.intent(to: "bo", data: [:]), projection: "likes").isEmpty)
    }

    /// The intent of a match for Bo, as a router decodes it from an event of the outbox.
    private static func match(_ event: JSON) throws -> Intent {
        var intent = LikesScene.intent(to: "bo", data: try #require(event["data"]?["data"]))
        intent.source = Likes.source
        intent.type = Likes.matchType
        intent.id = try #require(event["id"]?.stringValue)
        return intent
    }
}

extension LikesScene {
    /// Erases a person as a releaser does. Waits are passed by the business clock. Returns the report.
    fileprivate func erase(_ person: RecipientKey) async throws -> JSON {
        let projections = Projections([LikesProjection()])
        let id = try await store.erasures.request(of: person, by: "tests")
        let deadline = ContinuousClock.now + .seconds(30).patient
        while ContinuousClock.now < deadline {
            let progress = try await store.erasures.advance(projections)
            if progress == .done(id) { break }
            if [.waiting, .idle].contains(progress) { try await shiftClock(by: "1 second") }
        }
        let report = try #require(try await store.erasures.row(id, tenant: nil))
        try #require(report["state"]?.stringValue == "done")
        return report
    }
}
