import Testing
import TidingsCore

@Suite struct BreakerTests {
    private let policy = Breaker.Policy(failureThreshold: 3, coolDown: .seconds(5), longestCoolDown: .seconds(15))
    private static let parts = (0..<12).map { Breaker.Part("part \($0)") }

    private func opened(at now: Timestamp = noon) -> Breaker {
        var breaker = Breaker(policy: policy)
        for _ in 0..<3 { breaker.record(.failing, at: now) }
        return breaker
    }

    /// A breaker that these parts have opened.
    private func opened(by parts: some Sequence<Breaker.Part>) -> Breaker {
        var breaker = Breaker(policy: policy)
        for part in parts { breaker.record(.failing, of: part, at: noon) }
        return breaker
    }

    @Test func theBreakerOpensAfterFailuresInARow() {
        var breaker = Breaker(policy: policy)
        for evidence in [.failing, .failing, .healthy, .failing, .none, .failing] as [Outcome.Evidence] {
            breaker.record(evidence, at: noon)
            #expect(breaker.admit(at: noon) == .allowed)
        }
        breaker.record(.unreachable, at: noon)
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
            #expect(breaker.pauseEnd == until)
            pauses.append(until - now)
            now = until
            #expect(breaker.admit(at: now) == .allowed)
            breaker.record(.failing, at: now)
        }
        #expect(pauses == [.seconds(5), .seconds(10), .seconds(15), .seconds(15)])
    }

    @Test func aCallBesideATrialIsRefusedForTheFirstPause() {
        var breaker = opened()
        for seconds in [5, 15] as [Double] {
            #expect(breaker.admit(at: noon.adding(.seconds(seconds))) == .allowed)
            breaker.record(.failing, at: noon.adding(.seconds(seconds)))
        }
        let trial = noon.adding(.seconds(30))
        #expect(breaker.admit(at: trial) == .allowed)
        #expect(breaker.admit(at: trial) == .refused(until: trial.adding(.seconds(5))))
        #expect(breaker.admit(at: trial.adding(.seconds(5))) == .allowed, "the trial takes its time, and admits another")
        #expect(breaker.admit(at: trial.adding(.seconds(5))) == .refused(until: trial.adding(.seconds(10))))
    }

    /// The pause has grown to 15 s. A trial call that tells nothing costs no other pause, and the next one may be for any part.
    @Test(arguments: [Outcome.Evidence.none, .reachable])
    func aTrialThatTellsNothingIsRepeatedAtOnce(_ evidence: Outcome.Evidence) {
        var breaker = opened(by: Self.parts[0..<3])
        for seconds in [5, 15] as [Double] {
            breaker.begin(of: Self.parts[0], .bad, at: noon.adding(.seconds(seconds)))
            breaker.record(.failing, of: Self.parts[0], at: noon.adding(.seconds(seconds)))
        }
        let trial = noon.adding(.seconds(30))
        for _ in 0..<5 {
            #expect(breaker.admission(of: Self.parts[9], .unknown, at: trial) == .allowed)
            breaker.begin(of: Self.parts[9], .unknown, at: trial)
            #expect(breaker.admission(of: Self.parts[8], .unknown, at: trial) != .allowed)
            breaker.record(evidence, of: Self.parts[9], at: trial)
        }
        breaker.begin(of: Self.parts[8], .unknown, at: trial)
        breaker.record(.failing, of: Self.parts[8], at: trial)
        #expect(breaker.pauseEnd == trial.adding(.seconds(15)), "only a failure costs another pause")
        breaker.record(evidence, of: Self.parts[9], at: trial)
        #expect(breaker.pauseEnd == trial.adding(.seconds(15)), "the end of an earlier call does not shorten the pause")
    }

    /// The pause has grown to 15 s, and the trial calls hang. After 5 s another part has its turn.
    @Test func aTrialThatHangsAdmitsAnotherPart() {
        var breaker = opened(by: Self.parts[0..<3])
        for part in Self.parts[0..<3] {
            guard let end = breaker.pauseEnd else { break }
            breaker.begin(of: part, .bad, at: end)
            breaker.record(.failing, of: part, isNews: false, at: end)
        }
        guard let end = breaker.pauseEnd else { return }
        breaker.begin(of: Self.parts[0], .bad, at: end)
        let next = end.adding(policy.coolDown)
        #expect(breaker.pauseEnd == next)
        #expect(breaker.admission(of: Self.parts[4], .unknown, at: next) == .allowed)
        let second = next.adding(policy.turnLength * 2)
        #expect(breaker.admission(of: Self.parts[0], .bad, at: second) == .refused(until: next), "its trial call hangs")
        #expect(breaker.admission(of: Self.parts[1], .bad, at: second) == .allowed)
    }

    @Test func aTrialThatIsLostIsMadeAgain() {
        var breaker = opened()
        #expect(breaker.admit(at: noon.adding(.seconds(5))) == .allowed)
        #expect(breaker.admit(at: noon.adding(.seconds(10))) == .allowed)
    }

    /// A call that asks and then finds no room is no trial call: the next caller makes it.
    @Test func askingIsNoTrial() {
        let breaker = opened()
        let due = noon.adding(.seconds(5))
        #expect(breaker.admission(at: due) == .allowed)
        #expect(breaker.admission(at: due) == .allowed)
    }

    @Test func lateFailuresAndClocksDoNotProlongThePause() {
        var breaker = opened()
        breaker.record(.failing, at: noon.adding(.seconds(4)))
        #expect(breaker.admit(at: noon.adding(.seconds(4))) == .refused(until: noon.adding(.seconds(5))))
        #expect(breaker.admit(at: noon.adding(.seconds(-3_600))) == .allowed)
        #expect(opened(by: Self.parts[0..<3]).admission(of: Self.parts[9], .good, at: noon.adding(.seconds(-3_600))) == .allowed)
    }

    // MARK: Parts

    @Test func onePartThatFailsOpensNothing() {
        var breaker = Breaker(policy: policy)
        for _ in 0..<100 { breaker.record(.failing, of: Self.parts[0], at: noon) }
        #expect(!breaker.isOpen && !breaker.isSound)
        breaker.record(.failing, of: Self.parts[1], at: noon)
        #expect(!breaker.isOpen)
        breaker.record(.failing, of: Self.parts[0], at: noon)
        #expect(!breaker.isOpen)
        breaker.record(.failing, of: Self.parts[2], at: noon)
        #expect(breaker.isOpen)
    }

    /// A good answer of any part is evidence that the whole works. Parts that were known to fail are no news after that.
    @Test func knownFailuresAreNoNews() {
        var breaker = opened(by: Self.parts[0..<3])
        breaker.record(.healthy, of: Self.parts[3], at: noon)
        #expect(breaker.isSound)
        for part in Self.parts[0..<3] { breaker.record(.failing, of: part, isNews: false, at: noon) }
        #expect(!breaker.isOpen)
    }

    @Test func theTrialIsForAnotherPartEachTime() {
        var breaker = opened(by: Self.parts[0..<3])
        var tried: [Int] = []
        var now = noon
        for _ in 0..<7 {
            guard let end = breaker.pauseEnd else { break }
            // All parts ask again and again after the pause, in the worst order: the part that failed last asks first.
            now = end
            let order = (tried.last.map { [$0] } ?? []) + Array(0..<3)
            var trial: Int?
            while trial == nil {
                trial = order.first { breaker.admission(of: Self.parts[$0], .bad, at: now) == .allowed }
                if trial == nil { now = now.adding(.milliseconds(100)) }
            }
            breaker.begin(.bad, at: now)
            guard let trial else { break }
            breaker.record(.failing, of: Self.parts[trial], isNews: false, at: now)
            tried.append(trial)
            #expect(now - end <= policy.turnLength * 2, "the part that failed longest ago has the first turn")
        }
        #expect(tried == [0, 1, 2, 0, 1, 2, 0])
    }

    @Test func theTrialIsForAPartThatHasNotFailedIfThereIsOne() {
        let breaker = opened(by: Self.parts[0..<3])
        let end = noon.adding(.seconds(5))
        for part in Self.parts[0..<3] { #expect(breaker.admission(of: part, .bad, at: end) == .refused(until: end)) }
        #expect(breaker.admission(of: Self.parts[5], .bad, at: end) == .refused(until: end), "it failed before the memory begins")
        #expect(breaker.admission(of: Self.parts[6], .unknown, at: end) == .allowed)
        #expect(breaker.turn(of: Self.parts[0], .bad) > breaker.turn(of: Self.parts[5], .bad))
    }

    /// New deliveries come all the time, and each fails at its first attempt. The second attempts would succeed.
    @Test func partsThatFailedAreNotPassedOverForEver() {
        var breaker = opened(by: Self.parts[0..<3])
        var trials: [Breaker.Prospect] = []
        for number in 3..<7 {
            let oldest = Self.parts[0..<3].min { breaker.turn(of: $0, .bad) < breaker.turn(of: $1, .bad) }
            guard let end = breaker.pauseEnd, let oldest else { break }
            let isForNew = breaker.turn(of: Self.parts[number], .unknown) < breaker.turn(of: oldest, .bad)
            let trial = isForNew ? Breaker.Prospect.unknown : .bad
            breaker.begin(trial, at: end.adding(.seconds(2)))
            breaker.record(.failing, of: isForNew ? Self.parts[number] : oldest, at: end.adding(.seconds(2)))
            trials.append(trial)
        }
        #expect(trials == [.unknown, .bad, .unknown, .bad])
    }

    /// An endpoint that answers well now and then is not held, however many answers are failures.
    @Test func aShortRowOpensNothing() {
        var breaker = Breaker(policy: .ofEndpoint)
        var now = noon
        for round in 0..<10 {
            for number in 0..<20 {
                breaker.record(.failing, of: Breaker.Part(round * 100 + number), at: now)
                now = now.adding(.milliseconds(200))
            }
            #expect(!breaker.isOpen)
            breaker.record(.healthy, at: now)
        }
        for number in 0..<20 { breaker.record(.failing, of: Breaker.Part(number), at: now) }
        breaker.record(.failing, of: Breaker.Part(0), at: now.adding(.milliseconds(4_999)))
        #expect(!breaker.isOpen)
        breaker.record(.failing, of: Breaker.Part(0), at: now.adding(.seconds(5)))
        #expect(breaker.isOpen)
    }

    /// A part that has not failed need not wait until the pause is over.
    @Test func aGoodProspectIsTriedSoon() {
        var breaker = opened(by: Self.parts[0..<3])
        var now = noon
        for number in 3..<6 {
            let part = Self.parts[number]
            #expect(breaker.admission(of: part, .good, at: now) == .refused(until: now.adding(policy.probeInterval)))
            now = now.adding(policy.probeInterval)
            #expect(breaker.admission(of: part, .good, at: now) == .allowed)
            breaker.begin(at: now)
            breaker.record(.failing, of: part, at: now)
            #expect(breaker.pauseEnd == noon.adding(.seconds(5)), "a failed probe prolongs nothing")
        }
        now = now.adding(policy.probeInterval)
        breaker.begin(at: now)
        breaker.record(.healthy, of: Self.parts[6], at: now)
        #expect(breaker.isSound)
    }

    /// A single connection that fails may be an accident. Any answer, and a call without an answer, show that there are connections.
    @Test(arguments: [Outcome.Evidence.healthy, .failing, .reachable])
    func aRowOfLostConnectionsMakesAHostUnreachable(_ answer: Outcome.Evidence) {
        var breaker = Breaker(policy: policy)
        breaker.record(.failing, of: Self.parts[0], at: noon)
        for _ in 0..<2 { breaker.record(.unreachable, at: noon) }
        #expect(breaker.isOpen && !breaker.isUnreachable, "two in a row")
        breaker.record(.none, at: noon)
        breaker.record(.unreachable, at: noon)
        #expect(breaker.isUnreachable)
        breaker.record(.none, at: noon)
        #expect(breaker.isUnreachable)
        breaker.record(answer, of: Self.parts[1], at: noon)
        #expect(!breaker.isUnreachable)
        breaker.record(.unreachable, at: noon)
        #expect(!breaker.isUnreachable, "the row begins again")
    }

    /// However many parts fail, the memory of a breaker is small, and each turn comes within the shortest pause.
    @Test func turnsAreShort() {
        var breaker = Breaker()
        for number in 0..<1_000 { breaker.record(.failing, of: Breaker.Part(number), at: noon) }
        let turns = (0..<1_000).map { breaker.turn(of: Breaker.Part($0), .bad) }
        #expect(Set(turns).count == Breaker.rememberedParts + 1)
        #expect(turns.allSatisfy { $0 <= Breaker.Policy.standard.coolDown })
    }
}

extension Breaker {
    /// Asks for a call, which then begins.
    fileprivate mutating func admit(at now: Timestamp) -> Admission {
        let admission = admission(at: now)
        if admission == .allowed { begin(at: now) }
        return admission
    }
}
