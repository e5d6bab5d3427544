import Testing
import TidingsCore
import TidingsTestSupport

/// One path of a host is bad, and another is good: an hour in virtual time. A delivery to the good path is never late.
@Suite struct BadPathTests {
    /// The behaviour of the bad path.
    enum Fault: CaseIterable, Sendable {
        case missing, badRequest, unprocessable, throttled, serverError, unavailable, reset, hangs
        /// The provider refuses each delivery before the call.
        case refused
        /// It works and hangs by turns, for 90 s each.
        case comesAndGoes

        /// Whether nothing shows that the path fails.
        var isAnswer: Bool {
            switch self {
            case .missing, .badRequest, .unprocessable, .throttled, .refused: true
            case .serverError, .unavailable, .reset, .hangs, .comesAndGoes: false
            }
        }

        func answer(at now: Timestamp) -> GateSimulation.Answer {
            func status(_ status: Int, _ reason: ReasonCode) -> GateSimulation.Answer {
                GateSimulation.Answer(result: SendResult(.retry(after: nil, reason), status: status))
            }
            let hanging = GateSimulation.Answer(result: SendResult(.unknown(.timeout)), after: .seconds(15))
            switch self {
            case .missing: return status(404, .httpStatus)
            case .badRequest: return status(400, .httpStatus)
            case .unprocessable: return status(422, .httpStatus)
            case .throttled: return status(429, .providerThrottled)
            case .serverError: return status(500, .providerUnavailable)
            case .unavailable: return status(503, .providerUnavailable)
            case .reset: return GateSimulation.Answer(result: SendResult(.unknown(.outcomeUnknown)))
            case .hangs: return hanging
            case .refused: return GateSimulation.Answer(result: SendResult(.rejected(.payloadTooLarge)), after: .zero)
            case .comesAndGoes: return Int((now - GateSimulation.start) / .seconds(90)).isMultiple(of: 2) ? BadPathTests.good : hanging
            }
        }
    }

    fileprivate static let good = GateSimulation.Answer(
        result: SendResult(.accepted(providerMessageID: nil, delivered: true), status: 200))
    private static let hour = Duration.seconds(3_600)

    /// Bursts to the bad path fill every place that it can get.
    private static let bad = [
        GateSimulation.Path(name: "bad", interval: .seconds(300), together: 40), GateSimulation.Path(name: "bad", interval: .seconds(4)),
    ]

    /// With nine processes, the share of each is one call.
    @Test(arguments: Fault.allCases, [1, 3, 9])
    func theGoodPathIsNeverLate(_ fault: Fault, processes: Int) throws {
        let paths = Self.bad + [GateSimulation.Path(name: "good", interval: .seconds(15))]
        var simulation = GateSimulation(processes: processes, paths) { path, _, now in path == "good" ? Self.good : fault.answer(at: now) }
        simulation.run(for: Self.hour)
        let (good, bad) = (try #require(simulation.stories["good"]), try #require(simulation.stories["bad"]))
        #expect(good.created == 240 && good.delivered >= good.created - 1)
        #expect(good.latest <= .seconds(5), "\(good)")
        #expect(good.refusals == 0)
        // Answers of a host that works hold nothing back. A path that fails is held back by itself.
        #expect((bad.refusals == 0) == fault.isAnswer, "\(bad)")
        if fault == .serverError || fault == .hangs { #expect(bad.calls < 400 * processes, "\(bad)") }
        // A pause that the path asked for is no refusal by a breaker, and costs hardly any attempt.
        if fault == .throttled { #expect(bad.calls < 150 * processes && bad.exhausted == 0, "\(bad)") }
    }

    /// A receiver takes one call a second, and answers 429 to the others. Forty deliveries that come together are all delivered.
    @Test(arguments: [nil, Duration.seconds(2)])
    func aPathThatTakesFewCallsGetsThem(retryAfter: Duration?) throws {
        var takenAt = Timestamp.distantPast
        let paths = [GateSimulation.Path(name: "busy", interval: .seconds(3_600), together: 40)]
        var simulation = GateSimulation(paths) { _, _, now in
            guard now - takenAt >= .seconds(1) else {
                return GateSimulation.Answer(result: SendResult(.retry(after: retryAfter, .providerThrottled), status: 429))
            }
            takenAt = now
            return Self.good
        }
        simulation.run(for: .seconds(500))
        let story = try #require(simulation.stories["busy"])
        #expect(story.delivered == 40 && story.exhausted == 0 && story.refusals == 0, "\(story)")
        #expect(story.calls < 150, "\(story)")
    }

    /// The good path gets a delivery once in ten minutes, so there is rarely a good answer between the failures.
    @Test(arguments: [Fault.serverError, .hangs], [(1, 1), (2, 1), (3, 1), (4, 1), (1, 9), (4, 9)])
    func aRareDeliveryIsNotLateEither(_ fault: Fault, _ number: (badPaths: Int, processes: Int)) throws {
        let paths = (0..<number.badPaths).map { GateSimulation.Path(name: "bad \($0)", interval: .seconds(6)) }
        let good = GateSimulation.Path(name: "good", interval: .seconds(600))
        var simulation = GateSimulation(processes: number.processes, paths + [good]) { path, _, now in
            path == "good" ? Self.good : fault.answer(at: now)
        }
        simulation.run(for: Self.hour)
        let story = try #require(simulation.stories["good"])
        #expect(story.delivered == 6 && story.latest <= .seconds(5), "\(story)")
    }

    /// Bursts to several paths come before any of these paths has failed, and all calls hang for 15 s. An address with a query of its own for
    /// each shop is such a host. Half of the cases answer well in the end, as a receiver does that never completes its answer.
    @Test(arguments: [(2, 1), (5, 1), (3, 3), (2, 9)], [true, false])
    func severalPathsThatBeginToHangLeaveRoom(_ number: (badPaths: Int, processes: Int), endsWell: Bool) throws {
        let paths = (0..<number.badPaths).map { GateSimulation.Path(name: "bad \($0)", interval: .seconds(120), together: 20) }
        let slow = GateSimulation.Answer(result: endsWell ? Self.good.result : SendResult(.unknown(.timeout)), after: .seconds(15))
        let good = GateSimulation.Path(name: "good", interval: .seconds(5))
        var simulation = GateSimulation(processes: number.processes, paths + [good]) { path, _, _ in path == "good" ? Self.good : slow }
        simulation.run(for: .seconds(60))
        let story = try #require(simulation.stories["good"])
        #expect(story.created == 12 && story.delivered >= 11 && story.latest <= .seconds(5), "\(story)")
    }

    /// So many paths are bad that the host is held. The good path is found among them, and then keeps the host open.
    @Test(arguments: [Fault.serverError, .hangs])
    func theGoodPathAmongManyBadOnesIsFound(_ fault: Fault) throws {
        let paths = (0..<10).map { GateSimulation.Path(name: "bad \($0)", interval: .seconds(7)) }
        var simulation = GateSimulation(paths + [GateSimulation.Path(name: "good", interval: .seconds(10))]) { path, _, now in
            path == "good" ? Self.good : fault.answer(at: now)
        }
        simulation.run(for: .seconds(600))
        let good = try #require(simulation.stories["good"])
        #expect(good.created == 60 && good.delivered >= good.created - 1, "\(good)")
        #expect(good.latest <= .seconds(30), "\(good)")
    }

    /// Hosts that hang do not take all calls of the provider: neither a few hosts with a backlog, nor many with few deliveries each.
    @Test(arguments: [11, 40], [1, 3])
    func hostsThatHangLeaveRoomForOthers(badHosts: Int, processes: Int) throws {
        let together = badHosts == 11 ? 12 : 4 / processes
        let paths = (0..<badHosts).map {
            GateSimulation.Path(name: "bad \($0)", interval: .seconds(60), together: together, host: "bad\($0).example")
        }
        let good = GateSimulation.Path(name: "good", interval: .seconds(5))
        var simulation = GateSimulation(processes: processes, paths + [good]) { path, _, now in
            path == "good" ? Self.good : Fault.hangs.answer(at: now)
        }
        simulation.run(for: .seconds(240))
        let story = try #require(simulation.stories["good"])
        #expect(story.delivered >= story.created - 1 && story.latest <= .seconds(5), "\(story)")
    }

    /// The host refuses connections for two minutes, and then works again, except for some paths. The pause has grown meanwhile, and the
    /// trial calls may go to the bad paths. After one pause the good path is never late.
    @Test(arguments: [Fault.missing, .throttled, .refused, .serverError, .hangs], [(1, 1), (3, 1), (1, 9), (3, 9)])
    func theGoodPathIsFoundWithinOnePauseAfterAnOutage(_ fault: Fault, _ number: (badPaths: Int, processes: Int)) throws {
        let paths = (0..<number.badPaths).map { GateSimulation.Path(name: "bad \($0)", interval: .seconds(4)) }
        let outage = GateSimulation.start.adding(.seconds(60))..<GateSimulation.start.adding(.seconds(180))
        let lost = GateSimulation.Answer(result: SendResult(.retry(after: nil, .connectionFailed)))
        let path = GateSimulation.Path(name: "good", interval: .seconds(5))
        var simulation = GateSimulation(processes: number.processes, paths + [path]) { path, _, now in
            outage.contains(now) ? lost : path == "good" ? Self.good : fault.answer(at: now)
        }
        simulation.run(for: .seconds(600))
        let good = try #require(simulation.stories["good"])
        let onePause = Breaker.Policy.standard.longestCoolDown + .seconds(5)
        #expect(good.created == 120 && good.delivered >= good.created - 1, "\(good)")
        #expect(good.latest(from: outage.upperBound.adding(onePause)) <= .seconds(5), "\(good)")
    }

    /// A delivery that alone makes its endpoint fail holds up no other delivery to the endpoint.
    @Test func aPoisonedDeliveryHoldsUpNoOther() throws {
        let paths = [GateSimulation.Path(name: "path", interval: .seconds(120))]
        var simulation = GateSimulation(paths) { _, delivery, now in
            delivery % 10 < 4 ? Fault.serverError.answer(at: now) : Self.good
        }
        simulation.run(for: Self.hour)
        let story = try #require(simulation.stories["path"])
        #expect(story.delivered == 18 && story.latest <= .seconds(5), "\(story)")
    }

    /// Each delivery fails at first, as at a receiver that is overloaded. An endpoint that answers well now and then is not held.
    @Test(arguments: 1...2)
    func firstAttemptsThatFailHoldNothing(failures: Int) throws {
        let paths = (0..<3).map { GateSimulation.Path(name: "path \($0)", interval: .milliseconds(140)) }
        var attempts: [Int: Int] = [:]
        var simulation = GateSimulation(paths) { _, delivery, now in
            attempts[delivery, default: 0] += 1
            return attempts[delivery, default: 0] > failures ? Self.good : Fault.serverError.answer(at: now)
        }
        simulation.run(for: .seconds(60))
        for story in simulation.stories.values {
            #expect(story.delivered > story.created - 60, "\(story)")
            if failures == 1 { #expect(story.refusals == 0, "\(story)") }
        }
    }

    /// The host as a whole is down for five minutes. It gets few calls meanwhile, and everything soon after.
    @Test(arguments: [true, false])
    func aHostThatIsDownIsHeldAsAWhole(isUnreachable: Bool) throws {
        let paths = (0..<40).map { GateSimulation.Path(name: "path \($0)", interval: .seconds(20)) }
        let outage = GateSimulation.start.adding(.seconds(60))..<GateSimulation.start.adding(.seconds(360))
        let reason = isUnreachable ? ReasonCode.connectionFailed : .providerUnavailable
        let down = GateSimulation.Answer(result: SendResult(.retry(after: nil, reason), status: isUnreachable ? nil : 503))
        var calls = 0
        var simulation = GateSimulation(paths) { _, _, now in
            guard outage.contains(now) else { return Self.good }
            calls += 1
            return down
        }
        simulation.run(for: .seconds(600))
        #expect(calls < 100, "of \(40 * 15) deliveries of that time")
        let stories = simulation.stories.values
        #expect(stories.reduce(0) { $0 + $1.delivered } >= stories.reduce(0) { $0 + $1.created } - 5)
        #expect(stories.allSatisfy { $0.latest <= .seconds(390) })
    }
}
