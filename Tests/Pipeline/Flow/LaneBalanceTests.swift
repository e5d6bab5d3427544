import Testing
import TidingsPipeline

/// Bulk work yields only while urgent batches take too long.
@Suite struct LaneBalanceTests {
    private let balance = LaneBalance()
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

    @Test func urgentWorkThatIsInTimeGivesBulkItsShareBack() {
        let now = start + LaneBalance.reaction
        balance.urgent(took: slow, now: now)
        for part in 1...3 { balance.urgent(took: .milliseconds(5), now: now + .milliseconds(10) * part) }
        let after = now + .milliseconds(30)
        #expect(balance.pause(now: after) == LaneBalance.firstPause - LaneBalance.relief * 0.03, "by time, not by their number")
        balance.urgent(took: .milliseconds(5), now: after + .seconds(1))
        #expect(balance.pause(now: after + .seconds(1)) == .zero)
    }

    @Test func aPauseIsNotRememberedForLong() {
        var now = start
        for _ in 0..<10 {
            now += LaneBalance.reaction
            balance.urgent(took: slow, now: now)
        }
        now += .seconds(3_600)
        balance.urgent(took: slow, now: now)
        #expect(balance.pause(now: now) == LaneBalance.firstPause)
        balance.urgent(took: .zero, now: now - .seconds(1))
        #expect(balance.pause(now: now) == LaneBalance.firstPause, "a report that was overtaken takes nothing off, and adds nothing")
    }

    @Test func bulkDoesNotYieldIfNoUrgentWorkComes() {
        let now = start + LaneBalance.reaction
        balance.urgent(took: slow, now: now)
        #expect(balance.pause(now: now + LaneBalance.memory) > .zero)
        #expect(balance.pause(now: now + LaneBalance.memory + .milliseconds(1)) == .zero)
    }
}
