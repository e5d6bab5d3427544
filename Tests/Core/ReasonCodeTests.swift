import Testing
import TidingsCore

@Suite struct ReasonCodeTests {
    @Test func everyCodeIsExplainedOnceInOrder() {
        #expect(ReasonExplanation.all.map(\.code) == ReasonCode.allCases)
        #expect(Set(ReasonExplanation.all.map(\.meaning)).count == ReasonCode.allCases.count)
    }

    @Test(arguments: ReasonCode.allCases)
    func explanationIsWhole(code: ReasonCode) {
        for sentence in [code.meaning, code.whatToDo] {
            #expect(sentence.hasSuffix(".") && sentence.count >= 8 && sentence.first?.isUppercase == true)
        }
        #expect(code.since.split(separator: ".").compactMap { Int($0) }.count == 3)
        #expect(Set(code.states).count == code.states.count)
        switch code.kind {
        case .suppressed: #expect(code.states.first == .suppressed)
        case .held: #expect(code.states.first == .held)
        case .note: #expect(!code.states.isEmpty)
        case .attempt: #expect(code.states.contains(.failed) || code.states.contains(.held))
        case .end: #expect(code.states.count == 1 && code.states[0].isTerminal)
        case .rejected, .dead: #expect(code.states.isEmpty)
        }
    }

    /// A webhook has no device, and a browser no app. The next step must fit the endpoint of the channel.
    @Test func theNextStepFitsTheChannel() {
        for code in ReasonCode.allCases {
            for channel in Channel.allCases {
                let advice = code.whatToDo(on: channel)
                #expect(advice.hasSuffix(".") && advice.first?.isUppercase == true, "\(code) \(channel)")
            }
        }
        #expect(ReasonCode.endpointGone.whatToDo(on: .push) == ReasonCode.endpointGone.whatToDo)
        let ofEndpoints: [ReasonCode] = [.endpointGone, .noAddress, .permissionDenied, .tokenMalformed, .redirectRefused]
        for code in ofEndpoints where code != .permissionDenied && code != .tokenMalformed {
            #expect(code.whatToDo(on: .webhook).contains("--webhook"), "\(code)")
        }
        for code in ofEndpoints where code != .redirectRefused {
            let advice = code.whatToDo(on: .webPush)
            #expect(advice.contains("browser") && !advice.contains("device"), "\(code): \(advice)")
        }
    }

    @Test func everyStateButSuccessAndQueueHasAReason() {
        for state in DeliveryState.allCases {
            #expect(ReasonCode.allCases.contains { $0.states.contains(state) && $0.kind != .note }, "\(state)")
        }
    }
}
