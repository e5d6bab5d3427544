extension Draft {
    /// Replaces each open channel by the deliveries it takes: one for each provider that addresses people, one for each endpoint that a
    /// provider of the market can send to. A channel without any stays, with the reason.
    mutating func findEndpoints() {
        candidates = candidates.flatMap { $0.isOpen ? deliveries(on: $0.channel) : [$0] }
        if strategy == .all {
            skipDevicesThatGetThePush()
        }
    }

    private func deliveries(on channel: Channel) -> [Candidate] {
        let bindings = question.catalogue.bindings(for: channel, in: question.market)
        let direct = bindings.filter(\.needsNoEndpoint).map { Candidate(channel: channel, provider: $0.name, isCopy: $0.copy) }
        let reachesPerson = direct.contains { !$0.isCopy }
        let known = question.facts.endpoints.filter { $0.serves(channel) }
        let live = known.filter { !$0.isGone }
        if live.isEmpty {
            if reachesPerson { return direct }
            return direct + [.refused(channel, known.isEmpty ? channel.missingEndpointReason : .endpointGone)]
        }
        var result = direct
        var carried: Set<String> = []
        for endpoint in live {
            let carriers = question.bindings(for: channel, to: endpoint).filter { $0.carries(endpoint) }
            if carriers.isEmpty, !reachesPerson {
                result.append(.refused(channel, refusal(of: endpoint, on: channel) ?? .noProvider, endpoint: endpoint.id))
            }
            for carrier in carriers {
                let isFirst = carried.insert(endpoint.address).inserted
                let refusal = isFirst ? refusal(of: endpoint, on: channel) : .sameDevice
                let verdict = refusal.map { Verdict.notSent(state: .suppressed, reason: $0) }
                result.append(Candidate(channel: channel, provider: carrier.name, endpoint: endpoint.id, verdict: verdict))
            }
        }
        return result
    }

    /// Silent types need a token only; what shows needs the device's permission, mandatory or not.
    private func refusal(of endpoint: Endpoint, on channel: Channel) -> ReasonCode? {
        if channel == .push, question.plannedOn.contains(endpoint.id) { return .sameDevice }
        return channel.endsOnDevice && !question.type.silent && !endpoint.permission.allowsVisible ? .permissionDenied : nil
    }

    /// A device never both gets a push and shows a local notification of the same thing. A push that waits for its time finds its devices then,
    /// and one that is addressed to the person may end on any of them.
    private mutating func skipDevicesThatGetThePush() {
        var pushes = candidates.filter { $0.channel == .push && $0.isOpen }
        if question.plansAhead, candidates.contains(where: { $0.channel == .push && $0.verdict?.isOpen == true }) {
            pushes += deliveries(on: .push).filter(\.isOpen)
        }
        let pushed = Set(pushes.compactMap(\.endpoint))
        let reachesAny = pushes.contains { $0.endpoint == nil && !$0.isCopy }
        settle { candidate in
            guard candidate.channel == .local, let device = candidate.endpoint, reachesAny || pushed.contains(device) else { return nil }
            return .notSent(state: .suppressed, reason: .sameDevice)
        }
    }
}

extension Candidate {
    /// A candidate that is suppressed for want of something.
    fileprivate static func refused(_ channel: Channel, _ reason: ReasonCode, endpoint: String? = nil) -> Candidate {
        Candidate(channel: channel, endpoint: endpoint, verdict: .notSent(state: .suppressed, reason: reason))
    }
}
