import Testing
import TidingsCore

/// A result is evidence only about what answered.
@Suite struct EvidenceTests {
    private static let retry = Outcome.retry(after: nil, .httpStatus)

    /// A client error speaks of the request. Three statuses ask to come later.
    @Test func aClientErrorIsTheAnswerOfAHealthyHost() {
        for status in 200...499 {
            let expected: Outcome.Evidence = [408, 425, 429].contains(status) ? .reachable : .healthy
            for reason in [ReasonCode.httpStatus, .providerUnavailable, .connectionFailed, .timeout] {
                #expect(SendResult(.retry(after: nil, reason), status: status).evidence == expected, "\(status) \(reason)")
            }
        }
        for status in 500...599 { #expect(SendResult(Self.retry, status: status).evidence == .failing) }
        #expect(SendResult(Self.retry, status: 999).evidence == .failing)
    }

    @Test func everyRuleHasASourceAndTheyCoverEveryStatus() {
        #expect(Outcome.evidenceRules.allSatisfy { $0.source.hasPrefix("RFC ") })
        for status in 200...599 { #expect(Outcome.evidenceRules.contains { $0.statuses.contains(status) }) }
    }

    @Test(
        arguments: [
            (.accepted(providerMessageID: nil, delivered: true), nil, .healthy), (.unknown(.timeout), nil, .failing),
            (.unknown(.outcomeUnknown), 200, .failing), (.retry(after: nil, .providerThrottled), 503, .reachable),
            (.retry(after: nil, .providerThrottled), nil, .none),
            (.retry(after: nil, .rateLimited), nil, .none), (.retry(after: nil, .breakerOpen), nil, .none),
            (.retry(after: nil, .dnsFailed), nil, .unreachable), (.retry(after: nil, .connectionFailed), nil, .unreachable),
            (.retry(after: nil, .tlsFailed), nil, .unreachable), (.retry(after: nil, .timeout), nil, .unreachable),
            (.retry(after: nil, .providerUnavailable), nil, .failing),
        ] as [(Outcome, Int?, Outcome.Evidence)])
    func theOutcomeDecidesTheRest(_ outcome: Outcome, _ status: Int?, _ expected: Outcome.Evidence) {
        #expect(SendResult(outcome, status: status).evidence == expected)
    }

    /// A provider refuses some deliveries before the call, so nobody has answered. An answer that refuses comes from a host that works,
    /// also if it refuses the credentials.
    @Test(arguments: [Outcome.rejected(.providerRejected), .rejected(.contentMissing), .endpointGone, .misconfigured(.misconfigured)])
    func aRefusalWithoutAnAnswerIsNoEvidence(_ outcome: Outcome) {
        #expect(SendResult(outcome).evidence == .none)
        for status in [302, 400, 401, 403, 404, 410, 500] { #expect(SendResult(outcome, status: status).evidence == .healthy) }
    }

    /// Standard Webhooks throttles the endpoint after 429, 502 and 504. Any answer may name a time.
    @Test func answersThatAskForFewerCalls() {
        for status in 200...599 {
            let expected: Duration? = [429, 502, 504].contains(status) ? .zero : nil
            #expect(SendResult(Self.retry, status: status).requestedPause == expected, "\(status)")
            #expect(SendResult(.retry(after: .seconds(7), .httpStatus), status: status).requestedPause == .seconds(7))
            #expect(SendResult(.rejected(.providerRejected), status: status).requestedPause == nil)
        }
        #expect(SendResult(.retry(after: nil, .providerThrottled), status: 503).requestedPause == .zero)
        #expect(SendResult(.retry(after: .seconds(7), .connectionFailed)).requestedPause == nil, "nobody answered")
        let results = [SendResult(Self.retry, status: 429), SendResult(.retry(after: .seconds(3), .providerThrottled), status: 429)]
        #expect(results.requestedPause == .seconds(3) && [SendResult]().requestedPause == nil)
    }

    @Test func aProviderMayStateTheEvidence() {
        #expect(SendResult(Self.retry, status: 404).stating(.unreachable).evidence == .unreachable)
        #expect(SendResult(Self.retry, status: 404, detail: "secret").stating(.none).hiding(["secret"]).evidence == .none)
    }

    /// The first delivery of a call may be refused before the call. The result of the next delivery tells about the provider.
    @Test func aCallOfSeveralDeliveriesIsJudgedByThoseThatWent() {
        let refused = SendResult(.rejected(.contentMissing))
        let failed = SendResult(.retry(after: nil, .providerUnavailable), status: 503)
        let lost = SendResult(.retry(after: nil, .connectionFailed))
        #expect([refused, failed].evidence == .failing)
        #expect([refused, lost].evidence == .unreachable)
        #expect([failed, lost, SendResult(.accepted(providerMessageID: nil, delivered: false))].evidence == .healthy)
        #expect([refused, refused].evidence == .none)
        let throttled = SendResult(.retry(after: nil, .providerThrottled), status: 429)
        #expect([refused, throttled, lost].evidence == .reachable && [failed, throttled].evidence == .failing)
        #expect([SendResult]().evidence == .none)
    }
}
