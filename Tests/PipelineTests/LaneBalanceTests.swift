import Testing
import TidingsMetrics
import TidingsRouter

/// Bulk yields while urgent batches take too long, and only then.
@Suite struct LaneBalanceTests {
    private let balance = LaneBalance(metrics: Metrics(version: "test"))
    private let start = ContinuousClock.now
    private let slow = LaneBalance.target + .milliseconds(1)

    @Test func theLongerUrgentTakesTheMoreBulkYields() {
        #expect(balance.pause(now: start) == .zero)
        var now = start
        var pauses: [Duration] = []
        for _ in 0..<10 {
            now += LaneBalance.reaction
            balance.urgent(took: slow, now: now)
            pauses.append(balance.pause(now: now))
        }
        #expect(pauses.first == LaneBalance.firstPause && pauses[1] == LaneBalance.firstPause * 2)
        #expect(pauses.last == LaneBalance.longestPause, "it has an end")
    }

    @Test func oneBurstOfSlowBatchesDoublesOnce() {
        let now = start + LaneBalance.reaction
        for _ in 0..<5 { balance.urgent(took: slow, now: now) }
        #expect(balance.pause(now: now) == LaneBalance.firstPause)
    }

    @Test func whatIsInTimeGivesBulkItsShareBack() {
        let now = start + LaneBalance.reaction
        balance.urgent(took: slow, now: now)
        for _ in 0..<3 { balance.urgent(took: .milliseconds(5), now: now) }
        #expect(balance.pause(now: now) == LaneBalance.firstPause - LaneBalance.relief * 3)
        for _ in 0..<100 { balance.urgent(took: .milliseconds(5), now: now) }
        #expect(balance.pause(now: now) == .zero)
    }

    @Test func withoutUrgentWorkThereIsNothingToYieldTo() {
        let now = start + LaneBalance.reaction
        balance.urgent(took: slow, now: now)
        #expect(balance.pause(now: now + LaneBalance.memory) > .zero)
        #expect(balance.pause(now: now + LaneBalance.memory + .milliseconds(1)) == .zero)
    }
}
