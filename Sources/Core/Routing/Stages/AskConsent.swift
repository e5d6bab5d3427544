extension Draft {
    /// Suppresses every candidate that the person has switched off. Mandatory types ignore preferences.
    mutating func askConsent() {
        let preferences = question.facts.preferences
        let type = question.type
        guard preferences != .allOn else { return }
        guard !type.mandatory else {
            rules.append("type \(type.name) is mandatory: preferences and quiet hours do not count")
            return
        }
        settle { candidate in
            if preferences.disabledCategories.contains(type.category) { return .notSent(state: .suppressed, reason: .categoryDisabled) }
            if preferences.types[type.name] == false { return .notSent(state: .suppressed, reason: .typeDisabled) }
            if preferences.disabledChannels.contains(candidate.channel) { return .notSent(state: .suppressed, reason: .channelDisabled) }
            return nil
        }
    }
}
