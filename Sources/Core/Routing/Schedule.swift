extension Draft {
    /// What is scheduled for later waits as whole channels and is judged when it is due, with the preferences and devices of that moment.
    /// What has expired already is left to the later stages, and what devices show by themselves to ``planAhead()``.
    mutating func holdUntilScheduled() {
        guard let due = question.intent.scheduledFor else { return }
        if due < question.acceptedAt {
            notes.append(.scheduledInPast)
        }
        guard due > question.now, question.expiry > question.now else { return }
        rules.append("scheduled for \(due)")
        let plans = question.plansAhead
        settle { plans && $0.channel == .local ? nil : .hold(until: due, reason: .scheduledFor) }
    }
}
