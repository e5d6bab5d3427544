/// Judges one planned delivery again when it is due, its decision has grown old, its provider is gone or gave it up, or escalation has come to it.
///
/// The stages of ``route(_:facts:catalogue:pauses:now:acceptedAt:)`` run on all channels, so that one device does not get the same thing twice,
/// and the answer for this delivery is picked. It may change provider when its own no longer carries it.
///
/// - Parameter past: where it has been, and what was planned beside it.
/// - Returns: at least one delivery, none with the verdict `awaitEscalation`. The first takes the place of the planned one; each further one is
///   new: for example the second device of a person, where the first was planned for the person as such or stood for the whole channel.
public func reroute(
    _ planned: PlannedDelivery,
    after past: DeliveryPast = DeliveryPast(),
    of intent: Intent,
    facts: RecipientFacts,
    catalogue: Catalogue,
    pauses: Pauses = .none,
    now: Timestamp,
    acceptedAt: Timestamp
) -> [PlannedDelivery] {
    guard var question = Question(intent, facts: facts, catalogue: catalogue, pauses: pauses, now: now, acceptedAt: acceptedAt) else {
        return [planned.suppressed(.typeRetired)]
    }
    question.plannedOn = past.plannedOn
    question.kept = past.keepsProvider ? planned.provider : nil
    question.failed = past.failed
    question.passedOver = past.passedOver
    question.isForOneDevice =
        planned.endpoint != nil && question.hasMoved(past, on: planned.channel) && question.hasSeveralDevices(on: planned.channel)
    if let next = past.conclude(question.places(for: planned, past), of: planned) { return next }
    // Everybody has been failing, or whoever stood by cannot do it after all: it waits for its provider.
    question.kept = planned.provider
    return question.places(for: planned, past).map(\.waitingForItsProvider)
}

extension Question {
    /// Whether it has moved, and within the market's providers of today: where the market itself moved, nobody of it has sent anything.
    fileprivate func hasMoved(_ past: DeliveryPast, on channel: Channel) -> Bool {
        catalogue.bindings(for: channel, in: market).contains { past.failed.contains($0.name) || past.passedOver.contains($0.name) }
    }

    /// Those that the person's market serves.
    fileprivate func hasSeveralDevices(on channel: Channel) -> Bool {
        facts.endpoints.count { $0.serves(channel) && !$0.isGone && isAtHome($0) } > 1
    }

    fileprivate func places(for planned: PlannedDelivery, _ past: DeliveryPast) -> [PlannedDelivery] {
        var draft = Draft(self)
        draft.judge()
        // It stands for its whole channel, as everything does that is scheduled or held for quiet hours.
        if planned.standsForItsChannel { draft.holdWholeChannels() }
        let candidates = draft.candidates.filter { $0.channel == planned.channel }
        guard !candidates.isEmpty else { return [planned.suppressed(.channelNotEligible)] }
        if let endpoint = planned.endpoint {
            return [place(for: planned, past, endpoint: endpoint, among: candidates)]
        }
        if planned.standsForItsChannel { return candidates.map(\.planned) }
        if let same = candidates.first(where: { $0.provider == planned.provider && $0.endpoint == nil }) { return [same.planned] }
        return replacements(of: planned, past, among: candidates)
    }

    /// For a delivery to a device. Where now only the person can be reached, one delivery does it for all devices.
    private func place(
        for planned: PlannedDelivery, _ past: DeliveryPast, endpoint: String, among candidates: [Candidate]
    ) -> PlannedDelivery {
        let isLive = facts.endpoints.contains { $0.id == endpoint && !$0.isGone }
        guard isLive, !candidates.contains(where: { $0.endpoint == endpoint }), let person = candidates.first(where: \.reachesPerson) else {
            return carrier(of: planned, endpoint: endpoint, among: candidates)
        }
        if past.others.contains(where: { $0.endpoint == nil && !$0.isCopy }) { return planned.suppressed(.sameDevice) }
        // What another device got, or may get yet, the person would get there again. When the market moved, none did.
        let isFirst = (past.because == nil ? past.before : past.others).allSatisfy { $0.endpoint == nil }
        return isFirst ? person.planned : planned.suppressed(.sameDevice)
    }

    /// For a delivery to a person whose provider no longer carries it: another that addresses people, else each of their devices, but nothing
    /// that has a delivery of its own.
    private func replacements(of planned: PlannedDelivery, _ past: DeliveryPast, among candidates: [Candidate]) -> [PlannedDelivery] {
        let fresh = candidates.filter { candidate in
            !past.others.contains { $0.endpoint == candidate.endpoint && ($0.endpoint != nil || $0.provider == candidate.provider) }
        }
        if let person = fresh.first(where: \.reachesPerson) { return [person.planned] }
        let devices = fresh.filter { $0.endpoint != nil && $0.verdict?.isOpen == true }
        if !devices.isEmpty { return devices.map(\.planned) }
        return [fresh.isEmpty ? planned.suppressed(.sameDevice) : best(of: fresh).planned]
    }
}

/// The candidate that now carries an endpoint. When the channel was refused as a whole, that is the answer; when it was not and the
/// endpoint is missing, the endpoint is gone.
private func carrier(of planned: PlannedDelivery, endpoint: String, among candidates: [Candidate]) -> PlannedDelivery {
    let same = candidates.filter { $0.endpoint == endpoint }
    if let open = same.first(where: { $0.verdict?.isOpen == true }) { return open.planned }
    if let refused = same.first(where: { $0.provider == planned.provider }) ?? same.first {
        return planned.with(refused.planned.verdict)
    }
    if candidates.count == 1, candidates[0].provider.isEmpty, candidates[0].endpoint == nil {
        let verdict = candidates[0].planned.verdict
        let isMissing = verdict.reason == planned.channel.missingEndpointReason
        return isMissing ? planned.suppressed(.endpointGone) : planned.with(verdict)
    }
    return planned.suppressed(.endpointGone)
}

/// What reaches the person, now rather than later, else a copy, else the first refusal.
private func best(of candidates: [Candidate]) -> Candidate {
    func rank(_ candidate: Candidate) -> Int {
        switch candidate.verdict {
        case .send: candidate.isCopy ? 2 : 0
        case .hold, .paused, .awaitEscalation: candidate.isCopy ? 3 : 1
        case .notSent, nil: 4
        }
    }
    return candidates.dropFirst().reduce(candidates[0]) { rank($1) < rank($0) ? $1 : $0 }
}

extension Candidate {
    /// Goes to the person as such, now or later.
    fileprivate var reachesPerson: Bool {
        endpoint == nil && !isCopy && !provider.isEmpty && verdict?.isOpen == true
    }
}

extension PlannedDelivery {
    fileprivate var standsForItsChannel: Bool { provider.isEmpty && endpoint == nil }

    fileprivate var waitingForItsProvider: PlannedDelivery {
        var waiting = self
        if standby == .fresh { waiting.standby = .passedOver }
        return waiting
    }

    func with(_ verdict: Verdict) -> PlannedDelivery {
        var judged = self
        judged.verdict = verdict
        judged.standby = .nobody
        return judged
    }

    fileprivate func suppressed(_ reason: ReasonCode) -> PlannedDelivery {
        with(.notSent(state: .suppressed, reason: reason))
    }
}
