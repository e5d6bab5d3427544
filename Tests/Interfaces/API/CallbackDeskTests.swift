import Logging
import Testing
import TidingsCore
import TidingsMetrics
import TidingsWeb

@testable import TidingsAPI

/// The rates of providers that send callbacks. The time stands still, unless a test names another.
@Suite struct CallbackDeskTests {
    private static let start = Timestamp(seconds: 1_780_315_200)

    private let metrics = Metrics(version: "test")

    @Test func aProviderOverItsRateLearnsItsShare() throws {
        let desk = CallbackDesk(metrics: metrics, logger: Logger(label: "tests"))
        let limit = CallbackDesk.requestsPerProvider
        for _ in 0..<limit.burst { try desk.countRequest(of: "dmp", at: Self.start) }
        let refused = #expect(throws: Problem.self) { try desk.countRequest(of: "dmp", at: Self.start) }
        let share = UsedShare(of: .provider, .requests, used: limit.burst, limit: limit.burst, perSecond: limit.perSecond)
        #expect(refused?.kind == .rateLimited && refused?.share == share)
        #expect(metrics.callbacks("dmp", "rateLimited").value == 1)
        // Another provider has a rate of its own, and a refused request takes nothing.
        try desk.countRequest(of: "gate", at: Self.start)
        try desk.countRequest(of: "dmp", at: Self.start.adding(.milliseconds(2)))
    }

    /// Messages of other senders must not fill the table.
    @Test func aProviderHasAShareOfReportsThatWait() {
        let desk = CallbackDesk(metrics: metrics, logger: Logger(label: "tests"))
        let limit = CallbackDesk.earlyReports
        for _ in 0..<(limit.burst / 1_000) { #expect(desk.mayKeep(1_000, of: "gate", at: Self.start)) }
        #expect(!desk.mayKeep(1, of: "gate", at: Self.start))
        #expect(desk.mayKeep(1, of: "dmp", at: Self.start))
        let later = Self.start.adding(.seconds(1))
        #expect(!desk.mayKeep(limit.perSecond + 1, of: "gate", at: later))
        #expect(desk.mayKeep(limit.perSecond, of: "gate", at: later))
    }
}
