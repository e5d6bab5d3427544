import Testing
import TidingsWaiting

@Suite struct GrowingPauseTests {
    @Test func boundsDoubleUpToTheCap() {
        let backoff = Backoff(base: .milliseconds(100), cap: .seconds(5))
        let pauses = (1...6).map { backoff.pause(afterFailure: $0) }
        #expect(pauses == [100, 200, 400, 800, 1_600, 3_200].map { Duration.milliseconds($0) })
        #expect(backoff.pause(afterFailure: 7) == .seconds(5))
        #expect(backoff.pause(afterFailure: Int.max) == .seconds(5))
    }

    @Test func growthIsTheFactorBetweenTwoBounds() {
        let backoff = Backoff(base: .milliseconds(1), cap: .milliseconds(500), growth: 10)
        let pauses = (1...4).map { backoff.pause(afterFailure: $0) }
        #expect(pauses == [1, 10, 100, 500].map { Duration.milliseconds($0) })
    }

    @Test func aNumberBelowOneCountsAsOne() {
        let backoff = Backoff(base: .milliseconds(100), cap: .seconds(5))
        #expect(backoff.pause(afterFailure: 0) == .milliseconds(100))
        #expect(backoff.pause(afterFailure: Int.min) == .milliseconds(100))
    }

    @Test(arguments: [0.0, 0.1, 0.5, 0.9, 1.0])
    func jitterIsTheRandomPart(jitter: Double) {
        let steady = Backoff(base: .milliseconds(100), cap: .seconds(5))
        let backoff = Backoff(base: .milliseconds(100), cap: .seconds(5), jitter: jitter)
        for failures in 1...9 {
            let whole = steady.pause(afterFailure: failures)
            let shortest = whole - whole * jitter
            #expect(backoff.pause(afterFailure: failures, random: 1) == whole)
            #expect(backoff.pause(afterFailure: failures, random: 2) == whole)
            #expect(backoff.pause(afterFailure: failures, random: 0) == shortest)
            #expect(backoff.pause(afterFailure: failures, random: -1) == shortest)
            #expect((shortest...whole).contains(backoff.pause(afterFailure: failures)))
        }
    }

    @Test func aBaseAboveTheCapIsCutToTheCap() {
        #expect(Backoff(base: .seconds(10), cap: .seconds(5)).pause(afterFailure: 1) == .seconds(5))
    }

    @Test func aBaseOfZeroStaysZero() {
        #expect(Backoff(base: .zero, cap: .seconds(5)).pause(afterFailure: Int.max) == .zero)
    }

    @Test func theLargestCapIsReachedWithoutOverflow() {
        let backoff = Backoff(base: .seconds(1), cap: .seconds(Int64.max))
        #expect(backoff.pause(afterFailure: Int.max) == .seconds(Int64.max))
    }
}
