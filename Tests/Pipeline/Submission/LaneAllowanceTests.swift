import Synchronization
import Testing
import TidingsAMQP
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
    private func fits(_ notifications: Int, contentBytes: Int = 200, of tenant: String, in lane: Lane) -> Bool {
        allowance.choose([LaneLoad(notifications, contentBytes: contentBytes, of: tenant, in: lane)]) == [true]
    }

    /// Uses up what a tenant has at once.
    private func exhaust(_ tenant: String, in lane: Lane = .urgent) {
        for _ in 0..<Self.limit.burst { #expect(fits(1, of: tenant, in: lane)) }
    }

    @Test func aTenantBeyondItsAllowanceOverflows() {
        exhaust("acme")
        for _ in 0..<3 { #expect(!fits(1, of: "acme", in: .urgent)) }
        #expect(metrics.apiOverflow[.urgent].value == 3 && metrics.apiOverflow[.bulk].value == 0)
    }

    @Test func everyTenantHasAnAllowanceInEachLane() {
        exhaust("acme")
        #expect(fits(1, of: "globex", in: .urgent))
        exhaust("acme", in: .bulk)
        #expect(!fits(1, of: "acme", in: .bulk) && metrics.apiOverflow[.bulk].value == 1)
    }

    /// The overflow takes nothing, so a tenant with a steady flood still has its rate in the intake queue.
    @Test func theAllowanceComesBackWithTime() {
        exhaust("acme")
        for _ in 0..<10 {
            #expect(!fits(1, of: "acme", in: .urgent))
            hands.move(by: Duration.seconds(1) / Self.limit.perSecond)
            #expect(fits(1, of: "acme", in: .urgent))
        }
        hands.move(by: .seconds(3_600))
        exhaust("acme")
        #expect(!fits(1, of: "acme", in: .urgent), "an idle tenant has no more than its burst")
    }

    /// A router could take nothing else while it decides about a thousand people.
    @Test func aLargeEventOverflowsAndTakesNothing() {
        #expect(!fits(LaneAllowance.largestEvent + 1, of: "acme", in: .urgent))
        #expect(metrics.apiOverflow[.urgent].value == LaneAllowance.largestEvent + 1)
        for _ in 0..<(Self.limit.burst / LaneAllowance.largestEvent) {
            #expect(fits(LaneAllowance.largestEvent, of: "acme", in: .urgent))
        }
        #expect(!fits(LaneAllowance.largestEvent, of: "acme", in: .urgent))
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
        for _ in 0..<10 { #expect(!fits(100, contentBytes: 256 << 10, of: "acme", in: .urgent)) }
        #expect(metrics.apiOverflow[.urgent].value == 1_000, "the metric counts notifications")
        exhaust("acme")
    }

    /// One person does not wait for the backlog of another tenant, but a flood of such events does overflow.
    @Test func anEventForOnePersonPaysForItsContent() {
        for _ in 0..<(Self.limit.burst / 128) { #expect(fits(1, contentBytes: 256 << 10, of: "acme", in: .urgent)) }
        #expect(!fits(1, contentBytes: 256 << 10, of: "acme", in: .urgent))
        #expect(fits(1, of: "acme", in: .urgent), "the rest of the allowance is for smaller events")
    }

    private static func small(_ notifications: Int, of tenant: String = "acme", in lane: Lane = .urgent) -> LaneLoad {
        LaneLoad(notifications, contentBytes: 200, of: tenant, in: lane)
    }

    /// A part of the batch would fit.
    @Test func aRequestBeyondTheAllowanceOverflowsAsAWholeAndTakesNothing() {
        let batch = Array(repeating: Self.small(1), count: 60)
        #expect(allowance.choose(Array(repeating: Self.small(50), count: 19)).allSatisfy { $0 })
        #expect(allowance.choose(batch) == batch.map { _ in false } && metrics.apiOverflow[.urgent].value == 60)
        #expect(allowance.choose(Array(batch.prefix(50))).allSatisfy { $0 }, "the batch before took nothing")
        #expect(!fits(1, of: "acme", in: .urgent))
    }

    /// A full bucket would otherwise let any sum pass.
    @Test func aRequestBeyondTheBurstOverflowsAlsoIfTheTenantWasIdle() {
        let batch = Array(repeating: Self.small(1), count: Self.limit.burst + 1)
        #expect(allowance.choose(batch).allSatisfy { !$0 })
        #expect(allowance.choose(Array(batch.dropLast())).allSatisfy { $0 })
    }

    @Test func aLargeEventDoesNotTakeItsNeighboursAlong() {
        let large = Self.small(LaneAllowance.largestEvent + 1)
        #expect(allowance.choose([Self.small(1), large, Self.small(1)]) == [true, false, true])
        #expect(metrics.apiOverflow[.urgent].value == large.notifications)
    }

    @Test func tenantsAndLanesOfARequestAreChosenApart() {
        exhaust("acme")
        let loads = [Self.small(1), Self.small(1, of: "globex"), Self.small(1, in: .bulk), Self.small(1), Self.small(1, of: "globex")]
        #expect(allowance.choose(loads) == [false, true, true, false, true])
        #expect(allowance.choose([]).isEmpty)
    }

    /// The tenants beyond the memory share one allowance, until those before them are idle again.
    @Test func tenantsBeyondTheMemoryShareOneAllowance() {
        let known = (0..<LaneAllowance.remembered).map { Self.small(1, of: "tenant-\($0)") }
        #expect(allowance.choose(known).allSatisfy { $0 })
        exhaust("acme")
        #expect(!fits(1, of: "globex", in: .urgent), "acme has used what both have")
        #expect(fits(1, of: "tenant-0", in: .urgent) && fits(1, of: "globex", in: .bulk))
        hands.move(by: .seconds(2))
        exhaust("acme")
        #expect(fits(1, of: "globex", in: .urgent))
    }

    /// A caller who repeats a request that failed does not pay twice.
    @Test func eventsWithoutAConfirmGiveTheirWeightBack() {
        let loads = Array(repeating: Self.small(100), count: 10)
        let answers: [[PublishResult]] = [[], loads.map { _ in .nacked }, [.failed(.stopped)]]
        for results in answers {
            let isWithin = allowance.choose(loads)
            #expect(isWithin.allSatisfy { $0 } && !fits(1, of: "acme", in: .urgent))
            allowance.giveBack(loads, chosen: isWithin, after: results)
        }
        let isWithin = allowance.choose(loads)
        allowance.giveBack(loads, chosen: isWithin, after: loads.map { _ in .confirmed })
        #expect(isWithin.allSatisfy { $0 } && !fits(1, of: "acme", in: .urgent), "a confirmed event keeps its weight")
    }

    /// The repetition of a confirmed event stands in the queue beside it.
    @Test func onlyTheUnconfirmedEventsOfARequestGiveTheirWeightBack() {
        let loads = [Self.small(100), Self.small(50), Self.small(LaneAllowance.largestEvent + 1)]
        #expect(fits(50, of: "acme", in: .urgent))
        for _ in 0..<8 { #expect(fits(100, of: "acme", in: .urgent)) }
        let isWithin = allowance.choose(loads)
        #expect(isWithin == [true, true, false])
        allowance.giveBack(loads, chosen: isWithin, after: [.confirmed, .nacked, .nacked])
        #expect(fits(50, of: "acme", in: .urgent) && !fits(1, of: "acme", in: .urgent), "the overflow took nothing")
    }

    @Test func tenantsBeyondTheMemoryGiveBackToTheAllowanceThatTheyShare() {
        #expect(allowance.choose((0..<LaneAllowance.remembered).map { Self.small(1, of: "tenant-\($0)") }).allSatisfy { $0 })
        let loads = Array(repeating: Self.small(100), count: 10)
        let isWithin = allowance.choose(loads)
        #expect(isWithin.allSatisfy { $0 } && !fits(1, of: "globex", in: .urgent))
        allowance.giveBack(loads, chosen: isWithin, after: [])
        #expect(fits(1, of: "globex", in: .urgent))
    }
}
