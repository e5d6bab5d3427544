extension Draft {
    /// Replaces the deliveries that quiet hours hold for devices by one for their whole channel, as for everything scheduled. When quiet
    /// hours end, this delivery is sent to the devices of that moment, for example to the successor of a replaced phone. Refusals of single
    /// devices are judged then too.
    mutating func holdWholeChannels() {
        for held in candidates where held.endpoint != nil && held.waitsForTheNight {
            guard let first = candidates.firstIndex(where: { $0.channel == held.channel }) else { continue }
            candidates.removeAll { $0.channel == held.channel }
            candidates.insert(Candidate(channel: held.channel, verdict: held.verdict), at: first)
        }
    }
}

extension Candidate {
    /// Whether the candidate waits for the end of quiet hours, or for the zone data that tells whether they hold.
    fileprivate var waitsForTheNight: Bool {
        switch verdict {
        case .hold(_, .quietHours), .hold(_, .timeZoneUnknown): true
        case .send, .hold, .paused, .awaitEscalation, .notSent, nil: false
        }
    }
}
