extension Draft {
    /// With `escalate`, the first channel that can reach the person goes ahead and the later ones wait for how it ends. A provider that
    /// only gets a copy reaches nobody, so it holds no later channel back. A channel that is paused cannot reach the person now: it gives its
    /// turn to the next, and is needed only if that fails.
    mutating func putInSequence() {
        guard strategy == .escalate else { return }
        let open = candidates.filter { !$0.isCopy && $0.verdict?.isOpen == true }
        guard let first = (open.first { !$0.isPaused } ?? open.first)?.channel else { return }
        var isLater = false
        for index in candidates.indices {
            let candidate = candidates[index]
            if candidate.channel == first {
                isLater = true
            } else if candidate.verdict?.isOpen == true, isLater || candidate.isPaused && !candidate.isCopy {
                candidates[index].verdict = .awaitEscalation
            }
        }
        rules.append("escalate, beginning with \(first.rawValue)")
    }
}

extension Candidate {
    fileprivate var isPaused: Bool {
        if case .paused = verdict { true } else { false }
    }
}
