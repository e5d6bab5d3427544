import Testing
import TidingsCore

@Suite struct NextStepTests {
    private let policy = CategoryPolicy.standard(for: .transactional)
    private let later = noon.adding(.seconds(86_400))

    private func step(_ outcome: Outcome, attempt: Int = 1, policy: CategoryPolicy? = nil, expiresAt: Timestamp? = nil) -> NextStep {
        nextStep(after: outcome, attempt: attempt, policy: policy ?? self.policy, now: noon, expiresAt: expiresAt ?? later, random: 0.5)
    }

    @Test func everyOutcomeOnce() {
        #expect(step(.accepted(providerMessageID: nil, delivered: true)) == .settle(.delivered, .delivered))
        #expect(step(.accepted(providerMessageID: "x", delivered: false)) == .settle(.sent, .accepted))
        #expect(step(.rejected(.providerRejected)) == .settle(.failed, .providerRejected))
        #expect(step(.endpointGone) == .settle(.failed, .endpointGone))
        #expect(step(.misconfigured(.misconfigured)) == .settle(.failed, .misconfigured))
        let inOneSecond = noon.adding(.seconds(1))
        #expect(step(.retry(after: nil, .timeout)) == .retry(at: inOneSecond, .timeout, possibleDuplicate: false))
        #expect(step(.unknown(.timeout)) == .retry(at: inOneSecond, .timeout, possibleDuplicate: true))
    }

    @Test func retryAfterIsHonouredWithinBounds() {
        #expect(
            step(.retry(after: .seconds(30), .providerThrottled))
                == .retry(at: noon.adding(.seconds(30)), .providerThrottled, possibleDuplicate: false)
        )
        #expect(step(.retry(after: .seconds(-30), .timeout)) == .retry(at: noon.adding(.seconds(1)), .timeout, possibleDuplicate: false))
        #expect(
            step(.retry(after: .seconds(1), .timeout), attempt: 4)
                == .retry(at: noon.adding(.seconds(8)), .timeout, possibleDuplicate: false)
        )
        let aYear = Duration.seconds(365 * 86_400)
        let aDay = noon.adding(.seconds(86_400))
        #expect(step(.retry(after: aYear, .timeout), expiresAt: .distantFuture) == .retry(at: aDay, .timeout, possibleDuplicate: false))
    }

    /// A provider may name a wait although nobody knows whether the message arrived.
    @Test func theWaitAfterAnUnknownOutcomeIsHonouredWithinTheSameBounds() {
        func again(_ after: Duration, attempt: Int = 1) -> NextStep {
            step(.unknown(after: after, .timeout), attempt: attempt, expiresAt: .distantFuture)
        }
        for (after, attempt, wait) in [(10, 1, 10), (1, 4, 8), (-30, 1, 1), (365 * 86_400, 1, 86_400)] {
            let expected = NextStep.retry(at: noon.adding(.seconds(wait)), .timeout, possibleDuplicate: true)
            #expect(again(.seconds(after), attempt: attempt) == expected)
        }
        #expect(again(.seconds(10), attempt: 10) == .settle(.failed, .outcomeUnknown))
        let soon = noon.adding(.seconds(10))
        #expect(step(.unknown(after: .seconds(10), .timeout), expiresAt: soon) == .settle(.failed, .outcomeUnknown))
        let marketing = CategoryPolicy.standard(for: .marketing)
        #expect(step(.unknown(after: .seconds(10), .timeout), policy: marketing) == .settle(.failed, .outcomeUnknown))
    }

    @Test func attemptsAndTimeRunOut() {
        #expect(step(.retry(after: nil, .timeout), attempt: 10) == .settle(.failed, .retriesExhausted))
        #expect(step(.retry(after: nil, .timeout), expiresAt: noon.adding(.seconds(1))) == .settle(.expired, .expired))
        #expect(step(.retry(after: .seconds(60), .timeout), expiresAt: noon.adding(.seconds(60))) == .settle(.expired, .expired))
        #expect(step(.unknown(.workerDied), attempt: 10) == .settle(.failed, .outcomeUnknown))
        #expect(step(.unknown(.workerDied), expiresAt: noon) == .settle(.failed, .outcomeUnknown))
    }

    @Test func unknownStopsWhereAnotherCopyIsWorse() {
        #expect(step(.unknown(.timeout), policy: .standard(for: .marketing)) == .settle(.failed, .outcomeUnknown))
    }

    @Test func everyEndCarriesAReasonThatFitsItsState() {
        let outcomes: [Outcome] =
            ReasonCode.allCases.filter { $0.kind == .attempt }.flatMap { reason -> [Outcome] in
                [.retry(after: nil, reason), .unknown(reason)]
                    + (reason.states.contains(.failed) ? [.rejected(reason), .misconfigured(reason)] : [])
            } + [.endpointGone, .accepted(providerMessageID: nil, delivered: true), .accepted(providerMessageID: nil, delivered: false)]
        for outcome in outcomes {
            for category in Category.allCases {
                for attempt in [1, 9, 10, 11] {
                    for expiresAt in [noon, later] {
                        let next = step(outcome, attempt: attempt, policy: .standard(for: category), expiresAt: expiresAt)
                        switch next {
                        case .settle(let state, let reason): #expect(state.isTerminal && reason.states.contains(state), "\(outcome)")
                        case .retry(let at, _, _): #expect(at >= noon && at < expiresAt && attempt < 10)
                        case .failOver: Issue.record("\(outcome) fails over to nobody")
                        }
                    }
                }
            }
        }
    }

    /// A standby takes over if this provider is misconfigured, or refuses the delivery or its token. For every other outcome a standby
    /// changes nothing, because another provider would do no better.
    @Test func aStandbyTakesOverWhatThisProviderCannotDo() {
        func step(_ outcome: Outcome, attempt: Int = 1, expiresAt: Timestamp? = nil) -> NextStep {
            nextStep(
                after: outcome, attempt: attempt, policy: policy, now: noon, expiresAt: expiresAt ?? later, random: 0.5, hasStandby: true)
        }
        #expect(step(.misconfigured(.misconfigured)) == .failOver(.misconfigured))
        #expect(step(.rejected(.providerRejected)) == .failOver(.providerRejected))
        #expect(step(.rejected(.tokenMalformed)) == .failOver(.tokenMalformed))
        #expect(step(.rejected(.providerRejected), attempt: 10) == .failOver(.providerRejected), "another provider, another chance")
        #expect(step(.misconfigured(.misconfigured), expiresAt: noon) == .settle(.failed, .misconfigured))
        for outcome: Outcome in [
            .rejected(.payloadTooLarge), .rejected(.contentMissing), .endpointGone, .unknown(.timeout), .retry(after: nil, .timeout),
            .accepted(providerMessageID: nil, delivered: false),
        ] {
            #expect(step(outcome) == self.step(outcome), "\(outcome)")
        }
        #expect(step(.unknown(.workerDied), attempt: 10) == .settle(.failed, .outcomeUnknown))
    }
}
