import Testing
import TidingsCore
import TidingsStore
import TidingsTestSupport

@testable import TidingsContracts
@testable import TidingsPipeline

/// The commits of requests that wait for their ids.
@Suite(.timeLimit(.minutes(Patience.scaled(1)))) struct ReservationDeskTests {
    private let commits = HeldCalls<[Int]>()
    private let desk: ReservationDesk

    init() {
        let commits = commits
        desk = ReservationDesk { requests in
            try await commits.hold(requests.map(\.intents.count))
            return requests.map { _ in .reserved([]) }
        }
    }

    /// A request of one event for this number of people.
    private static func request(for people: Int) -> ReservationRequest {
        let names = (0..<people).map { #""person-\#($0)""# }.joined(separator: ",")
        return ReservationRequest(Sample.decode(Sample.event(data: #"{"recipients":[\#(names)],"title":"T"}"#)).intents)
    }

    @Test func aSmallRequestWaitsForNoLargeOne() async throws {
        let desk = desk
        let (largest, large) = (Self.request(for: 1_000), Self.request(for: ReservationDesk.largestSmallRequest + 1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { _ = try await desk.reserve(largest) }
            let first = try #require(await commits.next())
            #expect(first.argument == [1_000])
            group.addTask { _ = try await desk.reserve(large) }
            group.addTask { _ = try await desk.reserve(Self.request(for: ReservationDesk.largestSmallRequest)) }
            let second = try #require(await commits.next())
            #expect(second.argument == [ReservationDesk.largestSmallRequest])
            second.succeed()
            try await group.next()
            // One commit of large requests is in work at once.
            first.succeed()
            let third = try #require(await commits.next())
            #expect(third.argument == [ReservationDesk.largestSmallRequest + 1])
            third.succeed()
            try await group.waitForAll()
        }
    }
}
