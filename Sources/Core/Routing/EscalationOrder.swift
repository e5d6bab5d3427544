extension Draft {
    /// With `escalate`, the first channel that can reach the person goes ahead and the later ones wait for how it ends. A provider that
    /// only gets a copy reaches nobody, so it holds no later channel back. A channel that is paused cannot reach the person now: it gives its
    /// turn to the next, and is needed only if that fails. So does a channel that waits for an unknown time zone.
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
    /// Held with no end in sight: by a pause, or for want of zone data.
    fileprivate var waitsForAnOperator: Bool {
        switch verdict {
        case .paused, .hold(_, .timeZoneUnknown): true
        case .send, .hold, .awaitEscalation, .notSent, nil: false
        }
    }
}
