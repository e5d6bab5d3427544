extension Draft {
    /// What is no longer worth sending ends as expired.
    mutating func dropExpired() {
        guard question.expiry <= question.now else { return }
        settle { _ in .notSent(state: .expired, reason: .expired) }
    }

    /// What no stage has stopped goes out now.
    mutating func sendTheRest() {
        let validUntil = question.validUntil
        settle { _ in .send(validUntil: validUntil) }
    }
}

extension Question {
    /// How long a decision to send now may be acted on: until expiry, the person's next quiet hours, or ``Verdict/longestValidity``, whichever is
    /// first.
    ///
    /// In an unknown zone the start of quiet hours is unknown as well. Only what quiet hours do not stop is still open then, so their start
    /// would change nothing.
    fileprivate var validUntil: Timestamp {
        let limit = min(expiry, now.adding(Verdict.longestValidity))
        guard let quietHours, case .known(let zone) = facts.zone, let start = quietHours.nextStart(after: now, in: zone) else {
            return limit
        }
        return min(limit, start)
    }
}

extension Verdict {
    /// Preferences and devices change. A pack that waited longer than this is decided again, so a backlog never sends by old wishes.
    public static let longestValidity = Duration.seconds(15 * 60)
}
