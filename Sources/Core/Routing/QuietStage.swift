extension Draft {
    /// In the person's quiet hours only what is exempt goes out; the category's policy says whether the rest waits. A delivery that expires before
    /// their end waits until it expires, and ends then.
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
            // The plan moves what is shown later past the quiet hours of that time, as they are then.
            if plans, candidate.channel == .local { return nil }
            return switch policy {
            case .hold: .hold(until: min(end, expiry), reason: .quietHours)
            case .drop: .notSent(state: .suppressed, reason: .quietHoursDrop)
            case .inAppOnly: candidate.channel == .inApp ? nil : .notSent(state: .suppressed, reason: .quietHoursDrop)
            case .ignore: nil
            }
        }
    }

    /// Without the zone nobody can tell whether it is quiet, so everything waits that quiet hours could stop. Nothing is dropped: it may be day.
    private mutating func waitForTheZone(of quietHours: QuietHours) {
        let question = question
        let isInAppExempt = question.policy.quietHours == .inAppOnly
        rules.append(
            "quiet hours \(quietHours.startText)–\(quietHours.endText) in the unknown time zone \(question.facts.zone.name) → hold")
        // Later stages do not see expiry again: a delivery ends at its expiry, not at the next look.
        let until = min(question.now.adding(Verdict.unknownZonePause), question.expiry)
        let plans = question.plansAhead
        settle { candidate in
            // The plan judges the quiet hours of the later time, and hides the notification while the zone is unknown.
            if plans, candidate.channel == .local { return nil }
            return isInAppExempt && candidate.channel == .inApp ? nil : .hold(until: until, reason: .timeZoneUnknown)
        }
    }
}

extension Draft {
    /// Turns the deliveries that quiet hours hold for devices into one for their whole channel, as everything scheduled is: at their end it goes to
    /// the devices of that moment, a replaced phone's successor among them. Refusals of single devices are judged then too.
    mutating func holdWholeChannels() {
        for held in candidates where held.endpoint != nil && held.waitsForTheNight {
            guard let first = candidates.firstIndex(where: { $0.channel == held.channel }) else { continue }
            candidates.removeAll { $0.channel == held.channel }
            candidates.insert(Candidate(channel: held.channel, verdict: held.verdict), at: first)
        }
    }
}

extension Candidate {
    /// For quiet hours to end, or for somebody to tell whether it is quiet.
    fileprivate var waitsForTheNight: Bool {
        switch verdict {
        case .hold(_, .quietHours), .hold(_, .timeZoneUnknown): true
        case .send, .hold, .paused, .awaitEscalation, .notSent, nil: false
        }
    }
}

extension Verdict {
    /// Between two judgements of a delivery whose person's zone is unknown. People mend zone data, or a package does; a shorter pause only
    /// makes a large number of waiting deliveries cost more.
    public static let unknownZonePause = Duration.seconds(15 * 60)
}
