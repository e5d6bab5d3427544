extension Draft {
    /// Holds every candidate that is paused and would be sent now, until the pause ends. At its expiry a delivery is judged again in spite
    /// of the pause, and ends there.
    mutating func holdPaused() {
        let question = question
        guard !question.pauses.isEmpty else { return }
        var met: [Pause] = []
        settle { candidate in
            guard let pause = question.pauses.holding(candidate, of: question) else { return nil }
            if !met.contains(pause) { met.append(pause) }
            return .paused(by: pause.id, lookAgain: min(pause.until ?? .distantFuture, question.expiry))
        }
        rules += met.map { "\($0.scope.rawValue) \($0.name) is paused\($0.until.map { " until \($0)" } ?? "") → hold" }
    }
}

extension Pauses {
    fileprivate func holding(_ candidate: Candidate, of question: Question) -> Pause? {
        holding(
            channel: candidate.channel, provider: candidate.provider, type: question.type.name, tenant: question.intent.tenant,
            at: question.now)
    }
}
