import Testing
import TidingsCore

@Suite struct DeliveryStateTests {
    @Test func endsLeadNowhereExceptSentToDelivered() {
        for state in DeliveryState.allCases where state.isTerminal {
            #expect(state.successors == (state == .sent ? [.delivered] : []))
        }
    }

    @Test func everyWaitingStateCanReachEveryEndWithoutSuccess() {
        for state in DeliveryState.allCases where !state.isTerminal {
            #expect(state.successors.isSuperset(of: [.suppressed, .cancelled, .expired, .failed]))
            #expect(!state.mayBecome(state))
            #expect(!state.isSuccess)
        }
    }

    @Test func nothingIsSentWithoutHavingBeenQueued() {
        let before = DeliveryState.allCases.filter { $0.mayBecome(.sent) }
        #expect(before == [.queued])
        #expect(DeliveryState.allCases.filter { $0.mayBecome(.delivered) } == [.queued, .sent])
        #expect(DeliveryState.allCases.filter(\.mayBeRetriedByOperator) == [.failed])
        #expect(DeliveryState.allCases.filter(\.mayBeTakenBackFromPlan) == [.sent, .delivered])
    }

    @Test func channelsSortByDeclaration() {
        #expect(Channel.allCases.shuffled().sorted() == Channel.allCases)
        #expect(Channel.allCases.map(\.rawValue) == ["push", "local", "inApp", "email", "sms", "webPush", "webhook"])
    }
}
