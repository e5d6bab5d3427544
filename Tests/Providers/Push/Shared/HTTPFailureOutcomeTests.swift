import Testing
import TidingsCore
import TidingsHTTP
import TidingsProvider

/// The meaning of a call without an answer.
struct HTTPFailureOutcomeTests {
    /// The kind of failure, the outcome if the request cannot have arrived, and the outcome if it may have arrived.
    static let table: [(HTTPFailure.Kind, Outcome, Outcome)] = [
        (.dns, .retry(after: nil, .dnsFailed), .retry(after: nil, .dnsFailed)),
        (.connect, .retry(after: nil, .connectionFailed), .retry(after: nil, .connectionFailed)),
        (.tls, .retry(after: nil, .tlsFailed), .retry(after: nil, .tlsFailed)),
        (.timeoutBeforeSend, .retry(after: nil, .timeout), .retry(after: nil, .timeout)),
        (.noRoom, .retry(after: nil, .rateLimited), .retry(after: nil, .rateLimited)),
        (.timeoutAfterSend, .retry(after: nil, .timeout), .unknown(.timeout)),
        (.resetAfterSend, .retry(after: nil, .connectionFailed), .unknown(.outcomeUnknown)),
        (.protocolError, .retry(after: nil, .connectionFailed), .unknown(.outcomeUnknown)),
        (.cancelled, .retry(after: nil, .connectionFailed), .unknown(.outcomeUnknown)),
        (.addressRefused, .misconfigured(.misconfigured), .misconfigured(.misconfigured)),
        (.schemeRefused, .misconfigured(.misconfigured), .misconfigured(.misconfigured)),
        (.portRefused, .misconfigured(.misconfigured), .misconfigured(.misconfigured)),
        (.invalidURL, .misconfigured(.misconfigured), .misconfigured(.misconfigured)),
        (.invalidHeader, .misconfigured(.misconfigured), .misconfigured(.misconfigured)),
    ]

    @Test(arguments: table)
    func everyKindHasItsOutcome(_ kind: HTTPFailure.Kind, _ unsent: Outcome, _ maybeArrived: Outcome) {
        #expect(HTTPFailure(kind: kind, requestMayHaveArrived: false, message: "").outcome == unsent)
        #expect(HTTPFailure(kind: kind, requestMayHaveArrived: true, message: "").outcome == maybeArrived)
    }

    /// A request that found no free place of this process tells nothing about its host. A time-out of the connection does.
    @Test func aRequestWithoutRoomIsNoEvidence() {
        func evidence(_ kind: HTTPFailure.Kind) -> Outcome.Evidence {
            SendResult(HTTPFailure(kind: kind, requestMayHaveArrived: false, message: "").outcome).evidence
        }
        #expect(evidence(.noRoom) == .none && evidence(.timeoutBeforeSend) == .unreachable)
    }

    @Test func everyKindIsInTheTable() {
        #expect(Set(Self.table.map(\.0)) == Set(HTTPFailure.Kind.allCases))
    }
}
