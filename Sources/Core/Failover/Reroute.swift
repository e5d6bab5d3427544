// A second decision on one delivery, in three steps:
//
// 1. The history goes into the question. `failed`, `passedOver` and `kept` change the order of the providers (`inOrder`).
// 2. `places` runs the stages again and takes the result for this delivery. A delivery to a device keeps its device (`place`, `carrier`).
//    A delivery to a person keeps its provider. If that provider is out, `replacements` finds another one, or the person's devices.
// 3. `conclude` compares the result with the history. If the delivery must wait for its own provider, `places` runs once more, with that
//    provider kept.

/// Judges one planned delivery again. The delivery is due, its decision is too old, its provider is gone or failed, or escalation has
/// reached its channel.
///
/// The stages of ``route(_:facts:catalogue:pauses:now:acceptedAt:)`` run on all channels, so that one device does not get the same
/// notification twice. Then the result for this delivery is selected. The delivery may change its provider if the present one no longer
/// serves it.
///
/// - Parameter past: the history of the delivery, and the deliveries that were planned together with it.
/// - Returns: at least one delivery, none with the verdict `awaitEscalation`. The first takes the place of the planned one. Each further
///   one is new, for example for the second device of a person. The planned delivery was then for the person as a whole or for the whole
///   channel.
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
    // Every provider is failing, or the standby cannot take the delivery over. The delivery waits for its own provider.
    question.kept = planned.provider
    return question.places(for: planned, past).map(\.waitingForItsProvider)
}

extension Question {
    /// Whether the delivery has failed over among the present providers of the market. After a change of market, none of its providers has
    /// sent anything.
    fileprivate func hasMoved(_ past: DeliveryPast, on channel: Channel) -> Bool {
        catalogue.bindings(for: channel, in: market).contains { past.failed.contains($0.name) || past.passedOver.contains($0.name) }
    }

    /// Whether the person has several devices that the person's market serves.
    fileprivate func hasSeveralDevices(on channel: Channel) -> Bool {
        facts.endpoints.count { $0.serves(channel) && !$0.isGone && isAtHome($0) } > 1
    }

    fileprivate func places(for planned: PlannedDelivery, _ past: DeliveryPast) -> [PlannedDelivery] {
        var draft = Draft(self)
        draft.judge()
        // Such a delivery is the one of its whole channel, as everything scheduled or held for quiet hours does.
        if planned.isOfItsWholeChannel { draft.holdWholeChannels() }
        let candidates = draft.candidates.filter { $0.channel == planned.channel }
        guard !candidates.isEmpty else { return [planned.suppressed(.channelNotEligible)] }
        if let endpoint = planned.endpoint {
            return [place(for: planned, past, endpoint: endpoint, among: candidates)]
        }
        if planned.isOfItsWholeChannel { return candidates.map(\.planned) }
        if let same = candidates.first(where: { $0.provider == planned.provider && $0.endpoint == nil }) { return [same.planned] }
        return replacements(of: planned, past, among: candidates)
    }

    /// Returns the new plan for a delivery to a device. If providers now reach only the person as a whole, one delivery serves all devices.
    private func place(
        for planned: PlannedDelivery, _ past: DeliveryPast, endpoint: String, among candidates: [Candidate]
    ) -> PlannedDelivery {
        let isLive = facts.endpoints.contains { $0.id == endpoint && !$0.isGone }
        guard isLive, !candidates.contains(where: { $0.endpoint == endpoint }), let person = candidates.first(where: \.reachesPerson) else {
            return carrier(of: planned, endpoint: endpoint, among: candidates)
        }
        if past.others.contains(where: { $0.endpoint == nil && !$0.isCopy }) { return planned.suppressed(.sameDevice) }
        // Do not send to the person if another of their devices got the notification or may still get it: that device would get it twice.
        // After a change of market no device has got it.
        let isFirst = (past.because == nil ? past.before : past.others).allSatisfy { $0.endpoint == nil }
        return isFirst ? person.planned : planned.suppressed(.sameDevice)
    }

    /// Returns the new plan for a delivery to a person whose provider no longer serves it. Another provider that addresses people takes it,
    /// else each of the person's devices gets one. A candidate that has a delivery of its own is left out.
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

/// Returns the new plan for a delivery to an endpoint. If the channel was refused as a whole, that refusal is the result. If it was not and
/// the endpoint is missing, the endpoint is gone.
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

/// Returns the best candidate: one that reaches the person, now rather than later, else a copy, else the first refusal.
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
    /// Whether the candidate reaches the person as a whole, now or later.
    fileprivate var reachesPerson: Bool {
        endpoint == nil && !isCopy && !provider.isEmpty && verdict?.isOpen == true
    }
}

extension PlannedDelivery {
    fileprivate var isOfItsWholeChannel: Bool { provider.isEmpty && endpoint == nil }

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
