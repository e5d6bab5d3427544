import Testing
import TidingsContracts
import TidingsCore
import TidingsJSON
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// The erasure of a person, turn by turn.
@Suite struct ErasureTests {
    private static let eve = RecipientKey(tenant: "default", id: "eve-of-the-tests")
    private static let bob = RecipientKey(tenant: "default", id: "bob-of-the-tests")

    @Test func aSecondRequestGetsTheErasureThatRuns() async throws {
        try await StoreScene.with { scene in
            let ids = try await withThrowingTaskGroup(of: NotificationID.self) { group in
                // Two requests at the same time, both awaited here.
                for author in ["one", "two"] {
                    group.addTask { try await scene.store.requestErasure(of: Self.eve, by: author) }
                }
                var ids: Set<NotificationID> = []
                for try await id in group { ids.insert(id) }
                return ids
            }
            #expect(ids.count == 1)
            let first = try #require(ids.first)
            #expect(try await scene.store.requestErasure(of: Self.bob, by: "tests") != first)
            try #require(try await scene.finish(first))
            let second = try await scene.store.requestErasure(of: Self.eve, by: "tests")
            #expect(second != first, "the first one is done")
            try #require(try await scene.finish(second))
            #expect(try await scene.count("select count(*) from tidings.erased_people") == 2)
        }
    }

    @Test func tombstonesEndWithTheReplayHorizon() async throws {
        try await StoreScene.with { scene in
            let id = try await scene.store.requestErasure(of: Self.eve, by: "tests")
            let retention = Duration.seconds(30 * 86_400)
            try await scene.store.shiftClock(by: retention * 3)
            #expect(try await !scene.store.pruneErasures(retention: retention), "the erasure runs")
            try #require(try await scene.finish(id))
            #expect(try await scene.store.pruneErasures(retention: retention))
            #expect(try await !scene.store.isErased(Self.eve))
            #expect(try await scene.store.erasure(id, tenant: nil) != nil, "the proof is kept longer")
            try await scene.store.shiftClock(by: Store.erasuresKept + .seconds(86_400))
            #expect(try await scene.store.pruneErasures(retention: retention))
            #expect(try await scene.store.erasure(id, tenant: nil) == nil)
        }
    }
}
