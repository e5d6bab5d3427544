extension Draft {
    /// Holds whole channels of a notification that is scheduled for later. They are judged when it is due, with the preferences and devices
    /// of that moment. An expired notification is left to the later stages, and a local notification to ``planAhead()``.
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
