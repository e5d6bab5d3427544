extension Draft {
    /// Adds a rule that says why quiet hours did not stop a delivery. Settles no candidate.
    ///
    /// If a delivery woke a person, its explanation must show that the quiet hours were known.
    mutating func notePassedQuietHours() {
        guard let reason = question.quietExemption, let quietHours = question.facts.preferences.quietHours else { return }
        guard candidates.contains(where: \.isOpen) else { return }
        guard case .known(let zone) = question.facts.zone, quietHours.end(after: question.now, in: zone) != nil else { return }
        rules.append("quiet hours \(quietHours.startText)–\(quietHours.endText) \(zone.name) do not apply: \(reason)")
    }
}

extension Question {
    /// The reason why quiet hours do not apply to this type. Nil if they apply.
    fileprivate var quietExemption: String? {
        if type.mandatory { return "type \(type.name) is mandatory" }
        if type.silent { return "type \(type.name) is silent" }
        return policy.quietHours == .ignore ? "category \(type.category.rawValue) ignores them" : nil
    }
}
