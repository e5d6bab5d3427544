import Testing

@testable import TidingsAMQP

@Suite struct RefusalsTests {
    private let start = ContinuousClock.now

    @Test func aYoungConnectionIsKept() {
        var refusals = Refusals(patience: .seconds(5), at: start)
        refusals.refused(at: start + .seconds(4))
        #expect(!refusals.areEndless)
        refusals.refused(at: start + .seconds(5))
        #expect(refusals.areEndless)
        refusals.connected(at: start + .seconds(5))
        #expect(!refusals.areEndless)
    }

    /// A queue that stays full would cost a handshake every five seconds.
    @Test func connectionsThatDoNotHelpLiveLonger() {
        var refusals = Refusals(patience: .seconds(5), at: start)
        var ages: [Int] = []
        var age = 0
        for second in 1...300 {
            age += 1
            refusals.refused(at: start + .seconds(second))
            guard refusals.areEndless else { continue }
            ages.append(age)
            age = 0
            refusals.connected(at: start + .seconds(second))
        }
        #expect(ages == [5, 5, 10, 20, 40, 80, 80])
    }

    @Test func aMinuteWithoutARefusalEndsThePhase() {
        var refusals = Refusals(patience: .seconds(5), at: start)
        for second in 1...41 {
            refusals.refused(at: start + .seconds(second))
            if refusals.areEndless { refusals.connected(at: start + .seconds(second)) }
        }
        let later = start + .seconds(41) + Refusals.memory + .seconds(1)
        refusals.connected(at: later)
        refusals.refused(at: later + .seconds(5))
        #expect(refusals.areEndless, "as on the first connection")
    }
}
