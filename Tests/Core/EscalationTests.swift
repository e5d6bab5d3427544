import Testing
import TidingsCore

@Suite struct EscalationTests {
    private func member(_ channel: Channel, _ state: DeliveryState, awaiting: Bool = false, copy: Bool = false) -> EscalationMember {
        EscalationMember(channel: channel, state: state, isAwaiting: awaiting, isCopy: copy)
    }

    private func awaiting(_ channel: Channel) -> EscalationMember {
        member(channel, .held, awaiting: true)
    }

    @Test func everyStateOfTheFirstChannel() {
        for state in DeliveryState.allCases {
            let next = nextEscalation(among: [member(.push, state), awaiting(.local), awaiting(.inApp)])
            switch state {
            case .held, .queued, .retrying: #expect(next == .wait)
            case .sent, .delivered, .cancelled: #expect(next == .close([1, 2]))
            case .suppressed, .expired, .failed: #expect(next == .start([1]))
            }
        }
    }

    @Test func oneDeviceReachedIsEnoughAndAllMustFail() {
        let rest = [awaiting(.local), awaiting(.local), awaiting(.inApp)]
        #expect(nextEscalation(among: [member(.push, .failed), member(.push, .queued)] + rest) == .wait)
        #expect(nextEscalation(among: [member(.push, .failed), member(.push, .sent)] + rest) == .close([2, 3, 4]))
        #expect(nextEscalation(among: [member(.push, .failed), member(.push, .failed)] + rest) == .start([2, 3]))
    }

    @Test func aCopyDecidesNothing() {
        let copy = member(.push, .delivered, copy: true)
        #expect(nextEscalation(among: [copy, member(.push, .failed), awaiting(.inApp)]) == .start([2]))
        #expect(nextEscalation(among: [member(.push, .queued, copy: true), member(.push, .failed), awaiting(.inApp)]) == .start([2]))
    }

    /// An app may never fetch its plan. Only a confirmation proves that the device has the notification.
    @Test func aPlanThatNobodyConfirmedHasReachedNobody() {
        let push = member(.push, .failed)
        #expect(nextEscalation(among: [push, member(.local, .sent), awaiting(.inApp)]) == .start([2]))
        #expect(nextEscalation(among: [push, member(.local, .delivered), awaiting(.inApp)]) == .close([2]))
        #expect(nextEscalation(among: [push, member(.local, .cancelled), awaiting(.inApp)]) == .close([2]))
    }

    @Test func nothingLeftToDo() {
        #expect(nextEscalation(among: []) == .wait)
        #expect(nextEscalation(among: [member(.push, .failed), member(.inApp, .failed)]) == .wait)
        #expect(nextEscalation(among: [member(.push, .sent), member(.inApp, .suppressed, awaiting: true)]) == .wait)
    }
}
