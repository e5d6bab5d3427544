extension Draft {
    /// Applies the person's quiet hours. Only exempt deliveries are sent. The category's policy decides whether the others wait. A delivery
    /// that expires before the end of the quiet hours waits until it expires, and ends then.
    mutating func keepQuiet() {
        guard let quietHours = question.quietHours else { return }
        guard case .known(let zone) = question.facts.zone else { return waitForTheZone(of: quietHours) }
        guard let end = quietHours.end(after: question.now, in: zone) else { return }
        let window = "\(quietHours.startText)–\(quietHours.endText) \(zone.name)"
        let policy = question.policy.quietHours
        let expiry = question.expiry
        rules.append("quiet hours \(window) until \(end) → \(policy.rawValue)")
        let plans = question.plansAhead
        settle { candidate in
            // Leave it to the plan, which moves the notification past the quiet hours that hold at its time.
            if plans, candidate.channel == .local { return nil }
            return switch policy {
            case .hold: .hold(until: min(end, expiry), reason: .quietHours)
            case .drop: .notSent(state: .suppressed, reason: .quietHoursDrop)
            case .inAppOnly: candidate.channel == .inApp ? nil : .notSent(state: .suppressed, reason: .quietHoursDrop)
            case .ignore: nil
            }
        }
    }

    /// Holds every candidate that quiet hours could stop, because without the zone it is unknown whether they hold now. Nothing is dropped,
    /// because it may be day.
    private mutating func waitForTheZone(of quietHours: QuietHours) {
        let question = question
        let isInAppExempt = question.policy.quietHours == .inAppOnly
        rules.append(
            "quiet hours \(quietHours.startText)–\(quietHours.endText) in the unknown time zone \(question.facts.zone.name) → hold")
        // Wait no longer than the expiry, because later stages do not check it again. The delivery must end at its expiry, not at the next
        // judgement.
        let until = min(question.now.adding(Verdict.unknownZonePause), question.expiry)
        let plans = question.plansAhead
        settle { candidate in
            // The plan judges the quiet hours of the later time, and hides the notification while the zone is unknown.
            if plans, candidate.channel == .local { return nil }
            return isInAppExempt && candidate.channel == .inApp ? nil : .hold(until: until, reason: .timeZoneUnknown)
        }
    }
}

extension Verdict {
    /// The time between two judgements of a delivery in an unknown time zone. An operator or a package must repair the zone data. A shorter
    /// time would only raise the cost of a large number of waiting deliveries.
    public static let unknownZonePause = Duration.seconds(15 * 60)
}
