import Testing
import TidingsCore

@Suite struct BreakerTests {
    private let policy = Breaker.Policy(failureThreshold: 3, coolDown: .seconds(5), longestCoolDown: .seconds(15))

    private func opened(at now: Timestamp = noon) -> Breaker {
        var breaker = Breaker(policy: policy)
        for _ in 0..<3 { breaker.record(.failing, at: now) }
        return breaker
    }

    @Test func opensAfterFailuresInARow() {
        var breaker = Breaker(policy: policy)
        for evidence in [.failing, .failing, .healthy, .failing, .none, .failing] as [Outcome.Evidence] {
            breaker.record(evidence, at: noon)
            #expect(breaker.admit(at: noon) == .allowed)
        }
        breaker.record(.failing, at: noon)
        #expect(breaker.isOpen)
        #expect(breaker.admit(at: noon) == .refused(until: noon.adding(.seconds(5))))
    }

    @Test func oneTrialAfterThePause() {
        var breaker = opened()
        let due = noon.adding(.seconds(5))
        #expect(breaker.admit(at: noon.adding(.microseconds(4_999_999))) == .refused(until: due))
        #expect(breaker.admit(at: due) == .allowed)
        #expect(breaker.admit(at: due) == .refused(until: due.adding(.seconds(5))))
        breaker.record(.healthy, at: due)
        #expect(!breaker.isOpen)
        #expect(breaker.admit(at: due) == .allowed)
    }

    @Test func pausesGrowToTheirLimit() {
        var breaker = opened()
        var now = noon
        var pauses: [Duration] = []
        for _ in 0..<4 {
            guard case .refused(let until) = breaker.admit(at: now) else { break }
            pauses.append(until - now)
            now = until
            #expect(breaker.admit(at: now) == .allowed)
            breaker.record(.failing, at: now)
        }
        #expect(pauses == [.seconds(5), .seconds(10), .seconds(15), .seconds(15)])
    }

    @Test func whoAsksBesideATrialComesBackAfterTheFirstPause() {
        var breaker = opened()
        for seconds in [5, 15] as [Double] {
            #expect(breaker.admit(at: noon.adding(.seconds(seconds))) == .allowed)
            breaker.record(.failing, at: noon.adding(.seconds(seconds)))
        }
        let trial = noon.adding(.seconds(30))
        #expect(breaker.admit(at: trial) == .allowed)
        #expect(breaker.admit(at: trial) == .refused(until: trial.adding(.seconds(5))))
        #expect(breaker.admit(at: trial.adding(.seconds(5))) == .refused(until: trial.adding(.seconds(15))), "the trial takes its time")
    }

    @Test func aTrialThatIsLostIsMadeAgain() {
        var breaker = opened()
        #expect(breaker.admit(at: noon.adding(.seconds(5))) == .allowed)
        #expect(breaker.admit(at: noon.adding(.seconds(10))) == .allowed)
    }

    @Test func lateFailuresAndClocksDoNotProlongThePause() {
        var breaker = opened()
        breaker.record(.failing, at: noon.adding(.seconds(4)))
        #expect(breaker.admit(at: noon.adding(.seconds(4))) == .refused(until: noon.adding(.seconds(5))))
        #expect(breaker.admit(at: noon.adding(.seconds(-3_600))) == .allowed)
    }
}
