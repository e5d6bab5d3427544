/// What is to become of a notification in a device's plan.
public enum LocalVerdict: Sendable, Hashable {
    /// The device shows it as soon as it hears of it.
    case showNow
    case show(at: Timestamp)
    /// Not as things are now: the device is not to have it, until that changes.
    case hide(ReasonCode)
    /// It is never shown.
    case end(DeliveryState, ReasonCode)
}

/// Judges a notification in a device's plan with the facts of this moment, as they would hold when it is shown: `now`, or the time it is scheduled
/// for when that is later. Quiet hours at that time move it to their end.
///
/// A person with quiet hours in an unknown time zone gets nothing: the device would show it at an hour that may be quiet. It is hidden, also when
/// the device had it, and told again at the first question after the zone is known.
///
/// A person may take back a refusal until the time has come, so before that what is refused is only hidden.
public func judgeLocal(
    _ intent: Intent,
    on device: String,
    facts: RecipientFacts,
    catalogue: Catalogue,
    pauses: Pauses = .none,
    now: Timestamp,
    acceptedAt: Timestamp
) -> LocalVerdict {
    var alone = intent
    // By itself: what became of its other channels is settled elsewhere.
    alone.channels = [.local]
    alone.critical = false
    let moment = max(now, intent.scheduledFor ?? now)
    // One device, one delivery.
    let judged = reroute(
        PlannedDelivery(channel: .local, endpoint: device, verdict: .awaitEscalation), of: alone, facts: facts, catalogue: catalogue,
        pauses: pauses, now: moment, acceptedAt: acceptedAt)[0]
    switch judged.verdict {
    case .send:
        // The market may have given the channel to somebody else.
        guard catalogue.providers[judged.provider]?.kind == ProviderBinding.localPlanKind else { return .hide(.noProvider) }
        return moment > now ? .show(at: moment) : .showNow
    case .hold(_, .timeZoneUnknown):
        return .hide(.timeZoneUnknown)
    case .hold(let until, _):
        let isInTime = catalogue.types[intent.type].map { catalogue.expiry(of: intent, type: $0, acceptedAt: acceptedAt) > until }
        return isInTime == true ? .show(at: until) : .end(.expired, .expired)
    case .paused, .awaitEscalation:
        return .hide(.paused)
    case .notSent(.expired, let reason):
        return .end(.expired, reason)
    case .notSent(_, let reason):
        return moment > now ? .hide(reason) : .end(.suppressed, reason)
    }
}
