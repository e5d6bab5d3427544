import Testing
import TidingsCore

@Suite struct TokenBucketTests {
    @Test func burstThenRate() {
        var bucket = TokenBucket(.init(perSecond: 10, burst: 3), at: noon)
        #expect((0..<3).allSatisfy { _ in bucket.take(at: noon) == .zero })
        #expect(bucket.take(at: noon) == .milliseconds(100))
        #expect(bucket.take(2, at: noon) == .milliseconds(200))
        #expect(bucket.take(at: noon.adding(.microseconds(99_999))) == .microseconds(1))
        #expect(bucket.take(at: noon.adding(.milliseconds(100))) == .zero)
    }

    @Test func usedTokensAreToldInWholeOnes() {
        var bucket = TokenBucket(.init(perSecond: 10, burst: 3), at: noon)
        #expect(bucket.used(at: noon) == 0)
        #expect(bucket.take(2, at: noon) == .zero && bucket.used(at: noon) == 2)
        #expect(bucket.used(at: noon.adding(.milliseconds(50))) == 2)
        #expect(bucket.used(at: noon.adding(.milliseconds(100))) == 1)
        #expect(bucket.used(at: noon.adding(.seconds(1))) == 0)
        _ = bucket.reserve(5, by: 1, at: noon.adding(.seconds(1)))
        #expect(bucket.used(at: noon.adding(.seconds(1))) == 5)
    }

    @Test func waitingAsLongAsToldIsAlwaysEnoughAndNeverTooMuch() {
        for (rate, burst) in [(1, 1), (3, 2), (7, 50), (999_999, 10), (1_000_000, 1_000_000)] {
            var bucket = TokenBucket(.init(perSecond: rate, burst: burst), at: noon)
            var now = noon
            var taken = 0
            while taken < burst + 200 {
                let wait = bucket.take(at: now)
                if wait == .zero {
                    taken += 1
                } else {
                    var early = bucket
                    #expect(early.take(at: now.adding(wait - .microseconds(1))) != .zero)
                    now = now.adding(wait)
                    #expect(bucket.take(at: now) == .zero)
                    taken += 1
                }
                if burst > 1_000, taken == 1_000 { break }
            }
            let seconds = Double((now - noon).components.seconds) + Double((now - noon).components.attoseconds) / 1e18
            #expect(Double(taken - burst) <= seconds * Double(rate) + 1)
        }
    }

    @Test func aPauseOfAnyLengthAllowsOnlyTheBurst() {
        var bucket = TokenBucket(.init(perSecond: 1_000_000, burst: 5), at: .distantPast)
        #expect(bucket.take(100, at: .distantFuture) == .zero)
        #expect(bucket.take(at: .distantFuture) != .zero)
        #expect(bucket.take(0, at: .distantFuture) == .zero)
    }

    @Test func aClockSetBackBringsNothing() {
        var bucket = TokenBucket(.init(perSecond: 1, burst: 1), at: noon)
        #expect(bucket.take(at: noon) == .zero)
        let earlier = noon.adding(.seconds(-3_600))
        #expect(bucket.take(at: earlier) == .seconds(1))
        #expect(bucket.take(at: earlier.adding(.seconds(1))) == .zero)
    }

    /// Later callers wait behind a reservation. Tokens that the reservation did not use return to the bucket.
    @Test func reservedTokensAreAPlaceInTheLine() {
        var bucket = TokenBucket(.init(perSecond: 10, burst: 10), at: noon)
        #expect(bucket.reserve(30, by: 1, at: noon) <= .zero, "ten are there")
        #expect(bucket.wait(for: 1, at: noon) == .milliseconds(2_100), "twenty are still to come, and one more")
        #expect(bucket.reserve(1, by: 1, at: noon) == .milliseconds(2_100))
        bucket.giveBack(21)
        #expect(bucket.wait(for: 1, at: noon) == .milliseconds(100))
        bucket.giveBack(1_000)
        #expect(bucket.take(10, at: noon) == .zero && bucket.take(at: noon) != .zero, "never more than the burst")
        #expect(bucket.interval(of: 5) == .milliseconds(500))
    }
}
