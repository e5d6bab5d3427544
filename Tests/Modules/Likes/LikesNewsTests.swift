import Testing

@testable import TidingsLikes

/// Counts for the realtime signal.
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
}
