/// The verdict on a notification in a device's plan.
public enum LocalVerdict: Sendable, Hashable {
    /// The device shows the notification as soon as it gets the plan.
    case showNow
    case show(at: Timestamp)
    /// The device must not have the notification at present. A later judgement may show it.
    case hide(ReasonCode)
    /// The notification is never shown.
    case end(DeliveryState, ReasonCode)
}

/// Judges a notification in a device's plan with the present facts, for the moment when it is shown. That moment is `now`, or the scheduled
/// time if that is later. Quiet hours at that moment move the notification to their end.
///
/// If the person has quiet hours in an unknown time zone, the notification is hidden, because the device might show it in quiet hours. A
/// device that had it already loses it. After the zone is known, the device gets it again with its next request.
///
/// A person may withdraw a refusal until the time of the notification. Before that time a refused notification is only hidden.
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
    // Judge this channel alone, because the other channels of the notification are settled elsewhere.
    alone.channels = [.local]
    alone.critical = false
    let moment = max(now, intent.scheduledFor ?? now)
    // Take the first: one device has exactly one delivery.
    let judged = reroute(
        PlannedDelivery(channel: .local, endpoint: device, verdict: .awaitEscalation), of: alone, facts: facts, catalogue: catalogue,
        pauses: pauses, now: moment, acceptedAt: acceptedAt)[0]
    switch judged.verdict {
    case .send:
        // The market may have moved the channel to a provider of another kind.
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
