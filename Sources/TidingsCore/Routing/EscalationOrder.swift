extension Draft {
    /// With `escalate`, the first channel that can reach the person goes ahead and the later ones wait for how it ends. A provider that
    /// only gets a copy reaches nobody, so it holds no later channel back.
    mutating func putInSequence() {
        guard strategy == .escalate else { return }
        guard let first = candidates.first(where: { !$0.isCopy && $0.verdict?.isOpen == true })?.channel else { return }
        var isLater = false
        for index in candidates.indices {
            if candidates[index].channel != first {
                if isLater, candidates[index].verdict?.isOpen == true { candidates[index].verdict = .awaitEscalation }
            } else {
                isLater = true
            }
        }
        rules.append("escalate, beginning with \(first.rawValue)")
    }
}
