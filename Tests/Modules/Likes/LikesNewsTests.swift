import Testing
import TidingsModules
import TidingsPostgres
import TidingsStore

@testable import TidingsLikes

/// Counts for the realtime signal.
@Suite struct LikesNewsTests {
    @Test func newLikesAreCountedForManyPeople() async throws {
        try await LikesScene.with { scene in
            try await scene.like("ada", by: ["bo", "cy"])
            let people = ["ada", "dee", "nobody"].map { TopicMark(tenant: LikesScene.tenant, recipient: $0) }
            var news = try await scene.likes.news(since: people)
            #expect(news.map(\.count) == [0, 0, 0] && news.map(\.mark.recipient) == ["ada", "dee", "nobody"])

            try await scene.like("ada", by: ["ed", "bo"])
            try await scene.like("dee", by: (0..<130).map(String.init))
            let marks = news.map(\.mark)
            news = try await scene.likes.news(since: marks)
            // Each person alone is told the same, with the rights of that person.
            for (mark, expected) in zip(marks, news) { #expect(try await scene.likes.news(since: mark) == expected) }
            // Bo is no new like.
            #expect(news.map(\.count) == [1, Likes.mostCounted, 0])
            #expect(try await scene.likes.news(since: news.map(\.mark)).map(\.count) == [0, 0, 0])
            #expect(try await scene.likes.news(since: []).isEmpty)
        }
    }

    /// A mark without a position knows all likes. A like that came again is no news.
    @Test func thePeopleWithNewsAreFoundInOneQuery() async throws {
        try await LikesScene.with { scene in
            try await scene.like("ada", by: ["bo", "cy"])
            try await scene.like("dee", by: "bo")
            let known: [(person: String, position: Int64?)] = [("ada", 1), ("dee", 1), ("nobody", 0), ("ada", nil)]
            let marks = known.map { TopicMark(tenant: LikesScene.tenant, recipient: $0.person, position: $0.position) }
            #expect(try await scene.likes.people(withNewsSince: marks).map(\.id) == ["ada"])
            try await scene.like("dee", by: "cy")
            #expect(try await scene.likes.people(withNewsSince: marks).map(\.id) == ["ada", "dee"])
            #expect(try await scene.likes.people(withNewsSince: []).isEmpty)
        }
    }
}
