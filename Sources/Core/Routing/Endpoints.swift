extension Draft {
    /// Replaces each open channel by the deliveries it takes: one for each provider that addresses people, one for each endpoint that a
    /// provider of the market can send to. A channel without any stays, with the reason.
    ///
    /// Where a market's providers go in order, only the one whose turn it is gets a delivery; those that could take over stand by. The first
    /// that can reach the person at all decides whether it goes to the person as such or to their devices.
    mutating func findEndpoints() {
        var found: [Candidate] = []
        for candidate in candidates {
            guard candidate.isOpen else {
                found.append(candidate)
                continue
            }
            let search = EndpointSearch(question, on: candidate.channel)
            found += search.deliveries
            if let rule = search.rule { rules.append(rule) }
        }
        candidates = found
        if strategy == .all {
            skipDevicesThatGetThePush()
        }
    }

    /// A device never both gets a push and shows a local notification of the same thing. A push that waits for its time finds its devices then,
    /// and one that is addressed to the person may end on any of them. If the push is still to come, the local one waits as well, for at its time
    /// the push may be off.
    private mutating func skipDevicesThatGetThePush() {
        guard candidates.contains(where: { $0.channel == .local }) else { return }
        var pushes = candidates.filter { $0.channel == .push && $0.isOpen }
        if question.plansAhead, candidates.contains(where: { $0.channel == .push && $0.verdict?.isOpen == true }) {
            pushes += EndpointSearch(question, on: .push).deliveries.filter(\.isOpen)
        }
        let pushed = Set(pushes.compactMap(\.endpoint))
        let reachesAny = pushes.contains { $0.endpoint == nil && !$0.isCopy }
        let question = question
        settle { candidate in
            guard candidate.channel == .local, let device = candidate.endpoint, reachesAny || pushed.contains(device) else { return nil }
            return question.refusalForNow(.sameDevice, on: .local)
        }
    }
}

extension Question {
    /// What those who could take over come to.
    fileprivate func standby(_ providers: [ProviderBinding]) -> Standby {
        if providers.isEmpty { return .nobody }
        return providers.allSatisfy { passedOver.contains($0.name) } ? .passedOver : .fresh
    }
}

/// Looks for the deliveries of one channel.
private struct EndpointSearch {
    private let question: Question
    private let channel: Channel
    private let known: [Endpoint]
    private let live: [Endpoint]
    /// Those of ``live`` where it may show.
    private let allowing: [Endpoint]
    /// Of the person's market; nil where all carry it that can.
    private let order: [ProviderBinding]?
    /// Who goes first of those in order.
    private let lead: ProviderBinding?

    init(_ question: Question, on channel: Channel) {
        self.question = question
        self.channel = channel
        known = question.facts.endpoints.filter { $0.serves(channel) }
        let live = known.filter { !$0.isGone }
        let allowing = live.filter { Self.refusal(of: $0, on: channel, question) == nil }
        let order = question.inOrder(channel, in: question.market)
        (self.live, self.allowing, self.order) = (live, allowing, order)
        lead = order?.first { Self.reaches($0, allowing, of: question) } ?? order?.first { Self.reaches($0, live, of: question) }
    }

    private static func reaches(_ provider: ProviderBinding, _ live: [Endpoint], of question: Question) -> Bool {
        provider.needsNoEndpoint || live.contains { question.isAtHome($0) && provider.carries($0) }
    }

    /// Who carries it in which order, for whoever asks why; nil where all do.
    var rule: String? {
        guard let order, !order.isEmpty else { return nil }
        let strategy = question.market.strategy(for: channel).name.rawValue
        return "\(channel.rawValue) in \(question.market.name), \(strategy) → \(order.map(\.name).joined(separator: ", then "))"
    }

    var deliveries: [Candidate] {
        let direct = withoutEndpoint
        let reachesPerson = direct.contains { !$0.isCopy }
        if live.isEmpty {
            return reachesPerson ? direct : direct + [refused(known.isEmpty ? channel.missingEndpointReason : .endpointGone)]
        }
        var result = direct
        var carried: Set<String> = []
        for endpoint in live {
            // Whoever is reached as a person is reached on every device of their market.
            if lead?.needsNoEndpoint == true, question.isAtHome(endpoint) { continue }
            let carriers = carriers(of: endpoint)
            if carriers.isEmpty, !reachesPerson { result.append(refused(refusal(of: endpoint) ?? .noProvider, endpoint)) }
            for carrier in carriers {
                let isFirst = carried.insert(endpoint.address).inserted
                let refusal = isFirst ? refusal(of: endpoint) : .sameDevice
                result.append(
                    Candidate(
                        channel: channel, provider: carrier.provider.name, endpoint: endpoint.id,
                        market: question.market(of: endpoint).name, standby: carrier.standby,
                        verdict: refusal.map {
                            isFirst ? question.refusalForNow($0, on: channel) : .notSent(state: .suppressed, reason: $0)
                        }))
            }
        }
        return result
    }

    /// Deliveries to the person as such, and copies.
    private var withoutEndpoint: [Candidate] {
        question.bindings(for: channel, in: question.market).filter { provider in
            provider.needsNoEndpoint && (provider.copy || order == nil || provider.name == lead?.name)
        }.map { provider in
            Candidate(
                channel: channel, provider: provider.name, market: question.market.name, isCopy: provider.copy,
                standby: provider.copy ? .nobody : standby(than: provider),
                verdict: !provider.copy && isPlanned ? .notSent(state: .suppressed, reason: .sameDevice) : nil)
        }
    }

    /// A device has it in its plan, and would show a push to the person as well.
    private var isPlanned: Bool {
        channel == .push && live.contains { question.plannedOn.contains($0.id) && question.isAtHome($0) }
    }

    private func standby(than provider: ProviderBinding) -> Standby {
        question.standby(order?.filter { $0.name != provider.name && couldTakeOver($0) } ?? [])
    }

    /// Not only reaches the person, but may: by a device that allows it.
    private func couldTakeOver(_ provider: ProviderBinding) -> Bool { Self.reaches(provider, allowing, of: question) }

    /// Who carries it to an endpoint: one where they go in order, else all, of whom the first does it.
    ///
    /// A provider that addresses people stands by for a device only while the person has no other, or the others would get it twice.
    private func carriers(of endpoint: Endpoint) -> [(provider: ProviderBinding, standby: Standby)] {
        let market = question.market(of: endpoint)
        guard let order = question.inOrder(channel, in: market) else {
            return question.bindings(for: channel, in: market).filter { $0.carries(endpoint) }.map { ($0, .nobody) }
        }
        let able = order.filter { $0.carries(endpoint) }
        let reachThePerson = live.count == 1 && question.isAtHome(endpoint) ? order.filter(\.needsNoEndpoint) : []
        return able.prefix(1).map { ($0, question.standby(able.dropFirst() + reachThePerson)) }
    }

    private func refusal(of endpoint: Endpoint) -> ReasonCode? { Self.refusal(of: endpoint, on: channel, question) }

    /// Silent types need a token only; what shows needs the device's permission, mandatory or not.
    private static func refusal(of endpoint: Endpoint, on channel: Channel, _ question: Question) -> ReasonCode? {
        if channel == .push, question.plannedOn.contains(endpoint.id) { return .sameDevice }
        return channel.endsOnDevice && !question.type.silent && !endpoint.permission.allowsVisible ? .permissionDenied : nil
    }

    /// A candidate that is suppressed for want of something.
    private func refused(_ reason: ReasonCode, _ endpoint: Endpoint? = nil) -> Candidate {
        Candidate(
            channel: channel, endpoint: endpoint?.id, market: endpoint.map { question.market(of: $0).name } ?? question.market.name,
            verdict: .notSent(state: .suppressed, reason: reason))
    }
}
