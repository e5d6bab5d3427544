import Testing
import TidingsCatalogue
import TidingsCore
import TidingsLikes
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// Likes and matches with every role: what a router projects, and what the module enqueues.
@Suite struct LikesRoutedTests {
    @Test func aLikeIsListedWhileItsDeliveryIsHeld() async throws {
        try await withPipeline { pipeline in
            try await pipeline.setQuietHours(of: "ada")
            #expect(try await pipeline.system.tidings("recipient", "set", "cy", "--prefer", "social=off").exitCode == 0)
            await pipeline.publish(Self.like("of-ada", to: "ada", by: "bo"), key: "social.like")
            await pipeline.publish(Self.like("of-cy", to: "cy", by: "bo"), key: "social.like")
            #expect(try await pipeline.held("of-ada").contains(Ended("inApp", "held", "quietHours")))
            #expect(try await pipeline.outcome(of: "of-cy").allSatisfy { $0.state == "suppressed" })
            try await Self.withLikes(of: pipeline.system) { likes in
                for person in ["ada", "cy"] {
                    let page = try await likes.list(.latest, of: person, tenant: Intent.defaultTenant)
                    #expect(page.likes.map(\.id) == ["bo"])
                }
            }
            #expect(try await pipeline.system.count("select count(*) from tidings.inbox") == 0)

            // The same event again is a duplicate, and projects nothing.
            await pipeline.publish(Self.like("of-ada", to: "ada", by: "bo"), key: "social.like")
            #expect(try await pipeline.system.eventually(Pipeline.takenQuery) { $0 == 3 })
            #expect(try await pipeline.system.count("select newest from tidings.liked_people where recipient_id = 'ada'") == 1)
            try await pipeline.expectSound()
        }
    }

    @Test func aMatchTellsBothPeople() async throws {
        try await withPipeline { pipeline in
            let system = pipeline.system
            await pipeline.publish(Self.like("of-ada", to: "ada", by: "bo"), key: "social.like")
            #expect(try await system.eventually("select count(*) from tidings.likes") { $0 == 1 })
            try await Self.withLikes(of: system) { likes in
                let result = try await likes.answer(.like, of: "ada", to: "bo", tenant: Intent.defaultTenant)
                #expect(result == .matched)
            }
            let told: SQL = """
                select count(*) from tidings.inbox i join tidings.notifications n on n.id = i.notification_id
                where n.type = 'match' and n.title is not null
                    and (i.recipient_id, n.data::jsonb ->> 'userId') in (('ada', 'bo'), ('bo', 'ada'))
                """
            #expect(try await system.eventually(told) { $0 == 2 }, "\(pipeline.roles.errorsSoFar)")
            #expect(try await system.count("select count(*) from tidings_ops.rejected") == 0)
            try await pipeline.expectSound()
        }
    }

    /// `catalogue check` refuses an unknown projection. Roles may still meet one, in a catalogue that a newer binary has applied.
    @Test func anUnknownProjectionStopsNobodyElse() async throws {
        let yaml = "types:\n  like: {category: social, projection: lieks}\n  orderUpdate: {category: transactional}"
        try await withFile(yaml) { path in
            let check = try await CommandLineTests.run(["catalogue", "check", path], [:])
            #expect(check.exitCode == 65 && check.errors.contains("types.like.projection"), "\(check.errors)")
            #expect(check.errors.contains("did you mean \"likes\"?"), "\(check.errors)")
        }
        let catalogue = try CatalogueFile.parse(yaml: yaml)
        try await withPipeline(preparing: { system in
            try await Self.withStore(of: system) { store in
                _ = try await store.catalogues.activate(
                    catalogue, by: CatalogueChange(.apply, author: "a newer binary", mayRemove: true), builtIn: .builtIn)
            }
            return nil
        }) { pipeline in
            let events = [Self.like("of-ada", to: "ada", by: "bo"), event(id: "order", to: "ada")]
            await pipeline.publish("[" + events.joined(separator: ",") + "]", contentType: Pipeline.batch)
            #expect(try await pipeline.outcome(of: "order").contains(Ended("inApp", "delivered", "delivered")))
            let refused: SQL = """
                select count(*) from tidings_ops.rejected where event_id = 'of-ada' and reason_code = 'internalError'
                    and message like '%projection "lieks"%'
                """
            #expect(try await pipeline.system.eventually(refused) { $0 == 1 })
            #expect(try await pipeline.system.count("select count(*) from tidings.likes") == 0)
            try await pipeline.expectSound()
        }
    }

    private static func like(_ id: String, to recipient: String, by liker: String) -> String {
        event(id: id, type: "like", to: recipient, data: #""data":{"userId":"\#(liker)"}"#)
    }

    private static func withLikes(of system: TestSystem, _ body: (Likes) async throws -> Void) async throws {
        try await withStore(of: system) { try await body(Likes(store: $0)) }
    }

    private static func withStore(of system: TestSystem, _ body: (Store) async throws -> Void) async throws {
        let store = Store(try PostgresConfiguration(url: system.databaseURL), size: 1, name: "likes")
        do {
            try await body(store)
            await store.close()
        } catch {
            await store.close()
            throw error
        }
    }
}
