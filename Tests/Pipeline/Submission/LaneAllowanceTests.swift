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

    /// Whether an event goes to the intake queue. Its content is small, unless a test says so.
    private func take(_ notifications: Int, contentBytes: Int = 200, of tenant: String, in lane: Lane) -> Bool {
        allowance.take(LaneLoad(notifications, contentBytes: contentBytes, of: tenant, in: lane))
    }

    /// Uses up what a tenant has at once.
    private func exhaust(_ tenant: String, in lane: Lane = .urgent) {
        for _ in 0..<Self.limit.burst { #expect(take(1, of: tenant, in: lane)) }
    }

    @Test func aTenantBeyondItsAllowanceOverflows() {
        exhaust("acme")
        for _ in 0..<3 { #expect(!take(1, of: "acme", in: .urgent)) }
        #expect(metrics.apiOverflow[.urgent].value == 3 && metrics.apiOverflow[.bulk].value == 0)
    }

    @Test func everyTenantHasAnAllowanceInEachLane() {
        exhaust("acme")
        #expect(take(1, of: "globex", in: .urgent))
        exhaust("acme", in: .bulk)
        #expect(!take(1, of: "acme", in: .bulk) && metrics.apiOverflow[.bulk].value == 1)
    }

    /// The overflow takes nothing, so a tenant with a steady flood still has its rate in the intake queue.
    @Test func theAllowanceComesBackWithTime() {
        exhaust("acme")
        for _ in 0..<10 {
            #expect(!take(1, of: "acme", in: .urgent))
            hands.move(by: Duration.seconds(1) / Self.limit.perSecond)
            #expect(take(1, of: "acme", in: .urgent))
        }
        hands.move(by: .seconds(3_600))
        exhaust("acme")
        #expect(!take(1, of: "acme", in: .urgent), "an idle tenant has no more than its burst")
    }

    /// A router could take nothing else while it decides about a thousand people.
    @Test func aLargeEventOverflowsAndTakesNothing() {
        #expect(!take(LaneAllowance.largestEvent + 1, of: "acme", in: .urgent))
        #expect(metrics.apiOverflow[.urgent].value == LaneAllowance.largestEvent + 1)
        for _ in 0..<(Self.limit.burst / LaneAllowance.largestEvent) {
            #expect(take(LaneAllowance.largestEvent, of: "acme", in: .urgent))
        }
        #expect(!take(LaneAllowance.largestEvent, of: "acme", in: .urgent))
    }

    @Test(arguments: [(0, 1), (1, 1), (2_048, 1), (2_049, 2), (256 << 10, 128)])
    func aNotificationCountsForItsContent(bytes: Int, parts: Int) {
        for notifications in [1, 2, 100] {
            let load = LaneLoad(notifications, contentBytes: bytes, of: "acme", in: .urgent)
            #expect(load.weight == notifications * parts)
            #expect(load.isLarge == (notifications > 1 && notifications * parts > LaneAllowance.largestEvent))
        }
    }

    /// Ten events of 256 KiB for 100 people each would be 250 MiB of rows before the events of others.
    @Test func aLargeContentForSeveralPeopleOverflowsAndTakesNothing() {
        for _ in 0..<10 { #expect(!take(100, contentBytes: 256 << 10, of: "acme", in: .urgent)) }
        #expect(metrics.apiOverflow[.urgent].value == 1_000, "the metric counts notifications")
        exhaust("acme")
    }

    /// One person does not wait for the backlog of another tenant, but a flood of such events does overflow.
    @Test func anEventForOnePersonPaysForItsContent() {
        for _ in 0..<(Self.limit.burst / 128) { #expect(take(1, contentBytes: 256 << 10, of: "acme", in: .urgent)) }
        #expect(!take(1, contentBytes: 256 << 10, of: "acme", in: .urgent))
        #expect(take(1, of: "acme", in: .urgent), "the rest of the allowance is for smaller events")
    }
}
