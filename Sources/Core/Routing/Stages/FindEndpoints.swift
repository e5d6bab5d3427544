// From channels to deliveries. For each open channel, an `EndpointSearch` settles three things:
//
// 1. Endpoints: `known` ones serve the channel, `live` ones are not gone, `allowing` ones may show the notification.
// 2. Providers: with the strategy `all`, every provider of the market sends, and `order` is nil. Otherwise `order` has the providers that
//    send one after another, and `lead` is the first of them that reaches the person.
// 3. Addresses: a provider that needs no endpoint gets one delivery for the person as a whole (`withoutEndpoint`). Each live endpoint gets
//    a delivery of its own (`carriers`), unless `lead` needs no endpoint and so reaches every device of the market.

extension Draft {
    /// Replaces each open channel by its deliveries. Each provider that addresses people gets one delivery. Each endpoint that a provider
    /// of the market can send to gets one delivery. A channel without any delivery stays, with the reason.
    ///
    /// If a market's providers send in order, only one provider gets a delivery, and the providers that could take over are its standbys.
    /// The first provider that can reach the person decides whether the delivery is for the person as a whole or for their devices.
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

    /// Makes sure that a device never gets a push and also shows a local notification of the same intent.
    ///
    /// A push that waits for its time finds its devices only then. Until then, the person's present devices count as those of the push. A
    /// push that is addressed to the person may arrive on any of their devices. If the push is still to come, the local delivery waits as
    /// well, because the push may be off at its time.
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
    /// Returns whether one of these providers could take the delivery over, and if so, whether all of them were skipped before.
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
    /// The endpoints of ``live`` where the notification may be shown.
    private let allowing: [Endpoint]
    /// The providers of the person's market that send in order. Nil with the strategy `all`.
    private let order: [ProviderBinding]?
    /// The provider of ``order`` that sends first: the first that reaches an allowing endpoint, else the first that reaches a live one.
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

    /// The order of the providers as a rule, for the explanation of the decision. Nil with the strategy `all`.
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
            // Skip this device: a delivery to the person reaches every device of the person's market.
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

    /// The deliveries to the person as a whole, and the copies.
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

    /// Whether a device has the notification in its plan. A push to the person would be shown on that device as well.
    private var isPlanned: Bool {
        channel == .push && live.contains { question.plannedOn.contains($0.id) && question.isAtHome($0) }
    }

    private func standby(than provider: ProviderBinding) -> Standby {
        question.standby(order?.filter { $0.name != provider.name && couldTakeOver($0) } ?? [])
    }

    /// Whether the provider not only reaches the person, but may: the person has a device that allows the notification.
    private func couldTakeOver(_ provider: ProviderBinding) -> Bool { Self.reaches(provider, allowing, of: question) }

    /// Returns the providers for an endpoint: with `first` or `weighted` only one, with `all` every provider that can send to the endpoint.
    /// With several, the first one sends.
    ///
    /// A provider that addresses people is a standby for a device only if the person has no other device. Otherwise the other devices would
    /// get the notification twice.
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

    /// Returns why an endpoint must not get the notification, else nil.
    ///
    /// A push is refused for a device that has the notification in its plan. A silent type needs only a token. A visible type needs the
    /// device's permission, even if it is mandatory.
    private static func refusal(of endpoint: Endpoint, on channel: Channel, _ question: Question) -> ReasonCode? {
        if channel == .push, question.plannedOn.contains(endpoint.id) { return .sameDevice }
        return channel.endsOnDevice && !question.type.silent && !endpoint.permission.allowsVisible ? .permissionDenied : nil
    }

    /// Returns a candidate that is suppressed for this reason.
    private func refused(_ reason: ReasonCode, _ endpoint: Endpoint? = nil) -> Candidate {
        Candidate(
            channel: channel, endpoint: endpoint?.id, market: endpoint.map { question.market(of: $0).name } ?? question.market.name,
            verdict: .notSent(state: .suppressed, reason: reason))
    }
}
