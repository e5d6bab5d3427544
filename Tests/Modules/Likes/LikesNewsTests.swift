import Testing
import TidingsPostgres

@testable import TidingsLikes

/// Counts for the realtime signal, and erasure.
@Suite struct LikesNewsTests {
    @Test func newLikesAreCountedForManyPeople() async throws {
        try await LikesScene.with { scene in
            try await scene.like("ada", by: ["bo", "cy"])
            let people = ["ada", "dee", "nobody"].map { LikesMark(tenant: LikesScene.tenant, recipient: $0) }
            var news = try await scene.likes.news(since: people)
            #expect(news.map(\.count) == [0, 0, 0] && news.map(\.mark.recipient) == ["ada", "dee", "nobody"])

            try await scene.like("ada", by: ["ed", "bo"])
            try await scene.like("dee", by: (0..<130).map(String.init))
            news = try await scene.likes.news(since: news.map(\.mark))
            // Bo is no new like.
            #expect(news.map(\.count) == [1, Likes.mostCounted, 0])
            #expect(try await scene.likes.news(since: news.map(\.mark)).map(\.count) == [0, 0, 0])
            #expect(try await scene.likes.news(since: []).isEmpty)
        }
    }

    @Test func anErasedPersonIsNowhere() async throws {
        try await LikesScene.with { scene in
            try await scene.like("ada", by: ["bo", "cy"])
            try await scene.like("bo", by: "ada")
            try await scene.like("cy", by: "bo")
            #expect(try await scene.answer(.like, of: "ada", to: "bo") == .matched)
            _ = try await scene.likes.startUnblur(of: "ada", tenant: LikesScene.tenant, seconds: 60)

            #expect(try await scene.likes.erase("ada", tenant: "acme") == ErasedLikes())
            #expect(try await scene.likes.erase("ada", tenant: LikesScene.tenant) == ErasedLikes(likes: 3, matches: 1))
            #expect(try await scene.list("ada").likes.isEmpty)
            #expect(try await scene.list("bo").likes.isEmpty)
            #expect(try await scene.list("cy").likes.map(\.id) == ["bo"])
            for table in ["liked_people", "unblurs"] {
                #expect(try await scene.count("select count(*) from tidings.\(unsafe: table) where recipient_id = 'ada'") == 0)
            }
        }
    }
}
