extension Draft {
    /// Chooses the channels that the intent, the type or its category asks for. The most specific list wins.
    ///
    /// A critical intent escalates if its type allows it. It uses the intent's own channels in their order, else push, local and inApp.
    mutating func chooseChannels() {
        let intent = question.intent
        let type = question.type
        if intent.critical, type.allowsCritical {
            strategy = .escalate
        }
        let (source, channels) = chosenChannels
        rules.append("\(source) → \(channels.map(\.rawValue).joined(separator: ", "))")
        if let wanted = intent.market ?? question.facts.market, wanted != question.market.name {
            rules.append("market \(wanted) is not in the catalogue → \(question.market.name)")
        }
        for channel in channels where !candidates.contains(where: { $0.channel == channel }) {
            candidates.append(Candidate(channel: channel))
        }
    }

    private var chosenChannels: (source: String, channels: [Channel]) {
        let type = question.type
        if let channels = question.intent.channels, !channels.isEmpty { return ("intent", channels) }
        if strategy == .escalate { return ("critical", Draft.criticalChannels) }
        if let channels = type.channelsByMarket[question.market.name] { return ("type \(type.name) in \(question.market.name)", channels) }
        if let channels = type.channels { return ("type \(type.name)", channels) }
        return ("category \(type.category.rawValue)", question.policy.channels)
    }

    /// The order of urgency in which a critical notification tries to reach the person.
    private static let criticalChannels: [Channel] = [.push, .local, .inApp]
}
