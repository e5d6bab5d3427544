import Testing
import TidingsCore
import TidingsJSON
import TidingsPostgres
import TidingsStore

@testable import TidingsLikes

/// The transaction of a router with a projection: all of it is committed, or nothing.
@Suite struct ProjectionTests {
    /// Fails for intents that name no liker, with an error about the data.
    private struct Strict: Projection {
        let name = "likes"

        func statements(for intents: [ProjectedIntent]) -> [SQL] {
            intents.map { intent in
                "select case when \(intent.intent.content.data)::jsonb ? 'userId' then 1 else 1 / \(intent.intent.content.data.utf8.count - 2) end"
            }
        }
    }

    @Test func aBatchThatFailsInTheProjectionWritesNothing() async throws {
        try await LikesScene.with { scene in
            let (good, bad) = (LikesScene.intent(to: "ada", data: ["userId": "bo"]), LikesScene.intent(to: "ada", data: [:]))
            let error = await #expect(throws: PostgresError.self) {
                try await scene.route([good, bad], projections: Projections([Strict()]))
            }
            #expect(error?.isAboutTheData == true)
            #expect(try await scene.count("select count(*) from tidings.notifications") == 0)
            try await scene.route([good], projections: Projections([Strict()]))
            #expect(try await scene.count("select count(*) from tidings.notifications") == 1)
        }
    }

    @Test func anIntentWithAnUnknownProjectionIsNotAccepted() async throws {
        try await LikesScene.with { scene in
            await #expect(throws: UnknownProjection(name: "likes")) {
                try await scene.route([LikesScene.intent(to: "ada", data: ["userId": "bo"])], projections: Projections())
            }
            let accepted = try await scene.count("select count(*) from tidings.notifications")
            #expect(accepted == 0)
        }
    }
}
