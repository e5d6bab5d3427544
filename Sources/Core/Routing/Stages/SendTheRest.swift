extension Draft {
    /// Sends every candidate that no stage has settled.
    mutating func sendTheRest() {
        let validUntil = question.validUntil
        settle { _ in .send(validUntil: validUntil) }
    }
}

extension Question {
    /// The time until which a decision to send now is valid: the expiry, the person's next quiet hours, or ``Verdict/longestValidity``,
    /// whichever is first.
    ///
    /// In an unknown zone the start of quiet hours is unknown as well. At this stage only candidates that quiet hours do not stop are still
    /// open, so the start would change nothing.
    fileprivate var validUntil: Timestamp {
        let limit = min(expiry, now.adding(Verdict.longestValidity))
        guard let quietHours, case .known(let zone) = facts.zone, let start = quietHours.nextStart(after: now, in: zone) else {
            return limit
        }
        return min(limit, start)
    }
}

extension Verdict {
    /// The longest time for which a decision to send is valid. Preferences and devices change. The deliveries of a pack that waited longer
    /// are decided again, so a backlog is never sent with outdated preferences.
    public static let longestValidity = Duration.seconds(15 * 60)
}
