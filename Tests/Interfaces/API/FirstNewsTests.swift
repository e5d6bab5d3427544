import HTTPTypes
import Testing
import TidingsStore
import TidingsTestSupport
import TidingsWeb

@testable import TidingsAPI

/// The streams that open at once share their queries.
@Suite(.timeLimit(.minutes(Patience.scaled(1)))) struct FirstNewsTests {
    private let firsts = HeldCalls<[FirstNews.Asked]>()

    private static func opening(_ id: String, of tenant: String = "acme") -> FirstNews.Asked {
        FirstNews.Asked(watcher: InboxWatcher(RecipientKey(tenant: tenant, id: id)), marks: [])
    }

    /// Waits until so many openings wait for a query. Ends with the time limit of the test.
    private static func wait(for openings: Int, at desk: FirstNews.Desk) async throws {
        while await desk.waiting < openings {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// A person of another tenant comes last, and is in the next query all the same.
    @Test func aCrowdOfOneTenantDoesNotDelayAnother() async throws {
        let crowd = FirstNews.largestBatch + 1
        let desk = FirstNews.Desk(ScriptedNews(firsts: firsts), connections: crowd + 2)
        var openings = [Task { try await desk.news(of: Self.opening("first")) }]
        let first = try #require(await firsts.next())
        for number in 0..<crowd { openings.append(Task { try await desk.news(of: Self.opening("\(number)")) }) }
        try await Self.wait(for: crowd, at: desk)
        openings.append(Task { try await desk.news(of: Self.opening("ada", of: "globex")) })
        try await Self.wait(for: crowd + 1, at: desk)
        first.succeed()
        let second = try #require(await firsts.next())
        #expect(second.argument.count == FirstNews.largestBatch)
        #expect(second.argument.contains { $0.watcher.person.tenant == "globex" })
        second.succeed()
        try #require(await firsts.next()).succeed()
        for opening in openings { _ = try await opening.valueUnlessCancelled() }
    }

    /// The openings of clients that are gone wait on while the database is slow.
    @Test func noMoreOpeningsWaitThanThereAreConnections() async throws {
        let desk = FirstNews.Desk(ScriptedNews(firsts: firsts), connections: 2)
        var openings = [Task { try await desk.news(of: Self.opening("first")) }]
        let first = try #require(await firsts.next())
        for number in 0..<2 { openings.append(Task { try await desk.news(of: Self.opening("\(number)")) }) }
        try await Self.wait(for: 2, at: desk)
        let refused = await #expect(throws: Problem.self) { try await desk.news(of: Self.opening("late")) }
        #expect(refused?.kind == .unavailable && refused?.headers[.retryAfter] == "1")
        first.succeed()
        try #require(await firsts.next()).succeed()
        for opening in openings { _ = try await opening.valueUnlessCancelled() }
    }
}
