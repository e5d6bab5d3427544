import Testing
import TidingsCore

/// The side that must change something before a later delivery can succeed.
@Suite struct ReasonMenderTests {
    @Test func everyReasonOfAFailedDeliveryHasAMender() {
        for code in ReasonCode.allCases {
            #expect((code.mender != nil) == (code.states.contains(.failed) || code == .noProvider), "\(code)")
        }
    }

    @Test func reasonsOfNormalOperationNeedNobody() {
        #expect(Set(ReasonCode.allCases.filter { $0.mender == .nobody }) == [.endpointGone, .outcomeUnknown, .workerDied])
    }

    @Test(arguments: [
        ReasonCode.misconfigured, .tokenMalformed, .providerRejected, .addressRefused, .payloadTooLarge, .contentMissing,
        .noProvider,
    ])
    func anOperatorMends(reason: ReasonCode) { #expect(reason.mender == .operator) }
}
