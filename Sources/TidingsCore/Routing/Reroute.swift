/// Judges one planned delivery again when it is due, its decision has grown old, its provider is gone, or escalation has come to it.
///
/// The stages of ``route(_:facts:catalogue:pauses:now:acceptedAt:)`` run on all channels, so that one device does not get the same thing twice,
/// and the answer for this delivery is picked. It may change provider when its own no longer carries the endpoint. A planned delivery
/// without provider and endpoint stands for its whole channel: use ``rerouteChannel(_:of:facts:catalogue:pauses:now:acceptedAt:)`` where that may
/// be several; here it is the first that goes out, else the first of any.
///
/// - Parameter plannedOn: devices whose plan has this notification; a push does not go there as well.
/// - Returns: the same delivery with a new verdict, never `awaitEscalation`.
public func reroute(
    _ planned: PlannedDelivery,
    of intent: Intent,
    facts: RecipientFacts,
    catalogue: Catalogue,
    pauses: Pauses = .none,
    plannedOn: Set<String> = [],
    now: Timestamp,
    acceptedAt: Timestamp
) -> PlannedDelivery {
    guard var question = Question(intent, facts: facts, catalogue: catalogue, pauses: pauses, now: now, acceptedAt: acceptedAt) else {
        return planned.suppressed(.typeRetired)
    }
    question.plannedOn = plannedOn
    let candidates = judgedCandidates(question, on: planned.channel)
    guard !candidates.isEmpty else { return planned.suppressed(.channelNotEligible) }
    if let endpoint = planned.endpoint {
        return carrier(of: planned, endpoint: endpoint, among: candidates)
    }
    if !planned.provider.isEmpty, let same = candidates.first(where: { $0.provider == planned.provider && $0.endpoint == nil }) {
        return same.planned
    }
    return best(of: candidates).planned
}

/// Judges a whole channel again, for a planned delivery that stands for it (no provider, no endpoint), as every scheduled one does.
///
/// - Returns: at least one delivery. The first takes the place of the planned one; each further one is new, for example a second device.
public func rerouteChannel(
    _ planned: PlannedDelivery,
    of intent: Intent,
    facts: RecipientFacts,
    catalogue: Catalogue,
    pauses: Pauses = .none,
    now: Timestamp,
    acceptedAt: Timestamp
) -> [PlannedDelivery] {
    guard planned.provider.isEmpty, planned.endpoint == nil,
        let question = Question(intent, facts: facts, catalogue: catalogue, pauses: pauses, now: now, acceptedAt: acceptedAt)
    else {
        return [reroute(planned, of: intent, facts: facts, catalogue: catalogue, pauses: pauses, now: now, acceptedAt: acceptedAt)]
    }
    let candidates = judgedCandidates(question, on: planned.channel)
    return candidates.isEmpty ? [planned.suppressed(.channelNotEligible)] : candidates.map(\.planned)
}

private func judgedCandidates(_ question: Question, on channel: Channel) -> [Candidate] {
    var draft = Draft(question)
    draft.judge()
    return draft.candidates.filter { $0.channel == channel }
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

extension PlannedDelivery {
    fileprivate func with(_ verdict: Verdict) -> PlannedDelivery {
        PlannedDelivery(channel: channel, provider: provider, endpoint: endpoint, isCopy: isCopy, verdict: verdict)
    }

    fileprivate func suppressed(_ reason: ReasonCode) -> PlannedDelivery {
        with(.notSent(state: .suppressed, reason: reason))
    }
}
