import Testing
import TidingsCore

@Suite struct SlowStartTests {
    @Test func aHealthyProviderHasNoLimitOfItsOwn() {
        var start = SlowStart(usual: 8)
        #expect(start.limit == nil)
        start.record(.healthy)
        start.record(.failing)
        #expect(start.limit == nil)
    }

    /// Each round of answers doubles the calls, until the usual bound holds again.
    @Test func eachRoundDoublesTheCalls() {
        var start = SlowStart(usual: 8)
        start.begin()
        var rounds: [Int?] = [start.limit]
        while let limit = start.limit {
            for _ in 0..<limit { start.record(.healthy) }
            rounds.append(start.limit)
        }
        #expect(rounds == [1, 2, 4, nil])
    }

    @Test func aFailureHalvesAndOneIsAlwaysAllowed() {
        var start = SlowStart(usual: 100)
        start.begin()
        for _ in 0..<9 { start.record(.healthy) }
        #expect(start.limit == 10)
        start.record(.none)
        start.record(.failing)
        #expect(start.limit == 5)
        for _ in 0..<5 { start.record(.failing) }
        #expect(start.limit == 1)
    }

    @Test(arguments: [-1, 0, 1]) func aBoundOfOneHasNoSlowStart(usual: Int) {
        var start = SlowStart(usual: usual)
        start.begin()
        #expect(start.limit == nil)
    }
}
