extension Draft {
    /// Puts local notifications into the plans of devices ahead of their time, so that devices show them without a network too. If no
    /// device can plan the notification now, it waits like every other channel. Until its time the person may get a device, or give a
    /// permission.
    ///
    /// Replaces the settled local candidates in that case, because their refusals are judged again when the notification is due.
    mutating func planAhead() {
        guard question.plansAhead, let due = question.intent.scheduledFor else { return }
        guard let first = candidates.firstIndex(where: { $0.channel == .local }) else { return }
        let question = question
        if candidates.contains(where: { $0.isOpen && question.keepsPlan($0) }) {
            settle { $0.channel != .local || question.keepsPlan($0) ? nil : .hold(until: due, reason: .scheduledFor) }
        } else {
            candidates.removeAll { $0.channel == .local }
            candidates.insert(Candidate(channel: .local, verdict: .hold(until: due, reason: .scheduledFor)), at: first)
        }
    }
}

extension Question {
    /// Whether the notification is shown later by devices of the market that keep a plan.
    var plansAhead: Bool {
        guard let due = intent.scheduledFor, due > now, expiry > now else { return false }
        return catalogue.bindings(for: .local, in: market).contains { $0.kind == ProviderBinding.localPlanKind }
    }

    /// Refuses a device for a reason that may be over when the notification is due. If the notification is planned ahead, it is judged
    /// again then, as a push is.
    func refusalForNow(_ reason: ReasonCode, on channel: Channel) -> Verdict {
        guard channel == .local, plansAhead, let due = intent.scheduledFor else { return .notSent(state: .suppressed, reason: reason) }
        return .hold(until: due, reason: .scheduledFor)
    }

    fileprivate func keepsPlan(_ candidate: Candidate) -> Bool {
        candidate.channel == .local && catalogue.providers[candidate.provider]?.kind == ProviderBinding.localPlanKind
    }
}
