import Testing
import TidingsCore
import TidingsPostgres
import TidingsStore

@testable import TidingsLikes

@Suite struct UnblurTests {
    @Test func anUnblurLastsAsLongAsTheCatalogueSays() async throws {
        try await LikesScene.with { scene in
            let tenant = LikesScene.tenant
            #expect(try await scene.likes.unblur(of: "ada", tenant: tenant) == Unblur(expiresAt: nil))
            let started = try await scene.likes.startUnblur(of: "ada", tenant: tenant, seconds: 600)
            let expiry = try #require(started.expiresAt)
            #expect(started.isActive && abs((expiry - scene.store.clock.now()) / .seconds(1) - 600) < 60)
            #expect(try await scene.likes.unblur(of: "ada", tenant: tenant) == started)
            #expect(try await scene.likes.unblur(of: "bo", tenant: tenant).isActive == false)

            // A start while the unblur is active changes nothing, with another duration too.
            #expect(try await scene.likes.startUnblur(of: "ada", tenant: tenant, seconds: 9_000) == started)

            try await scene.shiftClock(by: "601 seconds")
            #expect(try await scene.likes.unblur(of: "ada", tenant: tenant) == Unblur(expiresAt: nil))
            let again = try await scene.likes.startUnblur(of: "ada", tenant: tenant, seconds: 600)
            #expect(try #require(again.expiresAt) > expiry)
            #expect(try await scene.count("select count(*) from tidings.unblurs") == 1)
        }
    }

    @Test func startsAtTheSameTimeAgree() async throws {
        try await LikesScene.with { scene in
            let starts = try await withThrowingTaskGroup(of: Unblur.self) { group in
                // The group awaits every start.
                for _ in 0..<6 { group.addTask { try await scene.likes.startUnblur(of: "ada", tenant: LikesScene.tenant, seconds: 600) } }
                return try await group.reduce(into: Set<Unblur>()) { $0.insert($1) }
            }
            #expect(starts.count == 1)
        }
    }
}
