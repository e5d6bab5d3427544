import Synchronization
import Testing
import TidingsCore
import TidingsMetrics

@testable import TidingsPipeline

/// The events that go to the intake queue of a lane, and those that overflow. The time stands still, unless a test moves it.
@Suite struct LaneAllowanceTests {
    private static let limit = LaneAllowance.perTenant

    /// A clock that a test moves.
    private final class Hands: Sendable {
        private let time = Mutex(Timestamp(seconds: 1_780_315_200))

        func now() -> Timestamp { time.withLock { $0 } }
        func move(by duration: Duration) { time.withLock { $0 = $0.adding(duration) } }
    }

    private let hands: Hands
    private let metrics = Metrics(version: "test")
    private let allowance: LaneAllowance

    init() {
        let hands = Hands()
        self.hands = hands
        allowance = LaneAllowance(metrics: metrics, now: { hands.now() })
    }

    /// Uses up what a tenant has at once.
    private func exhaust(_ tenant: String, in lane: Lane = .urgent) {
        for _ in 0..<Self.limit.burst { #expect(allowance.take(1, of: tenant, in: lane)) }
    }

    @Test func aTenantBeyondItsAllowanceOverflows() {
        exhaust("acme")
        for _ in 0..<3 { #expect(!allowance.take(1, of: "acme", in: .urgent)) }
        #expect(metrics.apiOverflow[.urgent].value == 3 && metrics.apiOverflow[.bulk].value == 0)
    }

    @Test func everyTenantHasAnAllowanceInEachLane() {
        exhaust("acme")
        #expect(allowance.take(1, of: "globex", in: .urgent))
        exhaust("acme", in: .bulk)
        #expect(!allowance.take(1, of: "acme", in: .bulk) && metrics.apiOverflow[.bulk].value == 1)
    }

    /// The overflow takes nothing, so a tenant with a steady flood still has its rate in the intake queue.
    @Test func theAllowanceComesBackWithTime() {
        exhaust("acme")
        for _ in 0..<10 {
            #expect(!allowance.take(1, of: "acme", in: .urgent))
            hands.move(by: Duration.seconds(1) / Self.limit.perSecond)
            #expect(allowance.take(1, of: "acme", in: .urgent))
        }
        hands.move(by: .seconds(3_600))
        exhaust("acme")
        #expect(!allowance.take(1, of: "acme", in: .urgent), "an idle tenant has no more than its burst")
    }

    /// A router could take nothing else while it decides about a thousand people.
    @Test func aLargeEventOverflowsAndTakesNothing() {
        #expect(!allowance.take(LaneAllowance.largestEvent + 1, of: "acme", in: .urgent))
        #expect(metrics.apiOverflow[.urgent].value == LaneAllowance.largestEvent + 1)
        for _ in 0..<(Self.limit.burst / LaneAllowance.largestEvent) {
            #expect(allowance.take(LaneAllowance.largestEvent, of: "acme", in: .urgent))
        }
        #expect(!allowance.take(LaneAllowance.largestEvent, of: "acme", in: .urgent))
    }
}
