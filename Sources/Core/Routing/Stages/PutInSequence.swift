extension Draft {
    /// With `escalate`, the first channel that can reach the person starts, and the later channels wait for its end.
    ///
    /// - A provider that only gets a copy reaches no person, so it holds no later channel back.
    /// - A paused channel cannot reach the person now. The next channel takes its turn, and the paused channel is needed only if that one
    ///   fails.
    /// - The same is true for a channel that waits for an unknown time zone.
    ///
    /// Replaces the verdicts of the later channels. A refusal stays.
    mutating func putInSequence() {
        guard strategy == .escalate else { return }
        let open = candidates.filter { !$0.isCopy && $0.verdict?.isOpen == true }
        guard let first = (open.first { !$0.waitsForAnOperator } ?? open.first)?.channel else { return }
        var isLater = false
        for index in candidates.indices {
            let candidate = candidates[index]
            if candidate.channel == first {
                isLater = true
            } else if candidate.verdict?.isOpen == true, isLater || candidate.waitsForAnOperator && !candidate.isCopy {
                candidates[index].verdict = .awaitEscalation
            }
        }
        rules.append("escalate, beginning with \(first.rawValue)")
    }
}

extension Candidate {
    /// Whether the candidate is held with no end in sight: by a pause, or because zone data is missing.
    fileprivate var waitsForAnOperator: Bool {
        switch verdict {
        case .paused, .hold(_, .timeZoneUnknown): true
        case .send, .hold, .awaitEscalation, .notSent, nil: false
        }
    }
}
