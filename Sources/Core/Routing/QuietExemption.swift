extension Draft {
    /// Says of what goes out in the person's quiet hours why they did not stop it. Settles nothing.
    ///
    /// The explanation of a delivery that woke somebody must show that their quiet hours were known.
    mutating func sayWhatPassesQuietHours() {
        guard let reason = question.quietExemption, let quietHours = question.facts.preferences.quietHours else { return }
        guard candidates.contains(where: \.isOpen) else { return }
        guard case .known(let zone) = question.facts.zone, quietHours.end(after: question.now, in: zone) != nil else { return }
        rules.append("quiet hours \(quietHours.startText)–\(quietHours.endText) \(zone.name) do not apply: \(reason)")
    }
}

extension Question {
    /// Why quiet hours do not count for this type; nil when they do.
    fileprivate var quietExemption: String? {
        if type.mandatory { return "type \(type.name) is mandatory" }
        if type.silent { return "type \(type.name) is silent" }
        return policy.quietHours == .ignore ? "category \(type.category.rawValue) ignores them" : nil
    }
}
