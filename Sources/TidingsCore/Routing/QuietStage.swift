extension Draft {
    /// In the person's quiet hours only what is exempt goes out; the category's policy says whether the rest waits. Waiting beyond expiry
    /// is not judged here: it expires when it is due.
    mutating func keepQuiet() {
        guard let quietHours = question.quietHours, let end = quietHours.end(after: question.now, in: question.facts.zone) else { return }
        let window = "\(quietHours.startText)–\(quietHours.endText) \(question.facts.zone.name)"
        let policy = question.policy.quietHours
        rules.append("quiet hours \(window) until \(end) → \(policy.rawValue)")
        let plans = question.plansAhead
        settle { candidate in
            // The plan moves what is shown later past the quiet hours of that time, as they are then.
            if plans, candidate.channel == .local { return nil }
            return switch policy {
            case .hold: .hold(until: end, reason: .quietHours)
            case .drop: .notSent(state: .suppressed, reason: .quietHoursDrop)
            case .inAppOnly: candidate.channel == .inApp ? nil : .notSent(state: .suppressed, reason: .quietHoursDrop)
            case .ignore: nil
            }
        }
    }
}
