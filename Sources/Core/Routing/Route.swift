/// Decides what happens with an intent: for each channel and endpoint *send now*, *hold until*, or *not sent*, each with its reason.
///
/// This is the page to read first. A decision is a list of candidates that passes through the stages of ``Draft/judge()`` from top to
/// bottom. A stage settles candidates, and no stage reopens one. So the first reason found is the reason given. Three steps replace
/// candidates instead, and say so at their declaration: ``Draft/planAhead()``, ``Draft/holdWholeChannels()`` and ``Draft/putInSequence()``.
///
/// Nothing here reads a clock, a database or a random number, so the same arguments give the same decision. The router and
/// `tidings simulate` call this function. `tidings why` does not: it shows the decision that the router stored.
///
/// - Parameters:
///   - intent: decoded, and valid at the time it was accepted.
///   - facts: the present facts about the recipient.
///   - pauses: the pauses that operators have set.
///   - now: the instant of the decision.
///   - acceptedAt: the time at which the intent was accepted. Its time to live counts from here.
/// - Returns: deliveries in the order of channels and endpoints, never two for the same channel, provider and endpoint. For a type that the
///   catalogue does not have: no deliveries, and the note `typeRetired`.
public func route(
    _ intent: Intent,
    facts: RecipientFacts,
    catalogue: Catalogue,
    pauses: Pauses = .none,
    now: Timestamp,
    acceptedAt: Timestamp
) -> Decision {
    guard let question = Question(intent, facts: facts, catalogue: catalogue, pauses: pauses, now: now, acceptedAt: acceptedAt) else {
        return Decision(strategy: .all, deliveries: [], notes: [.typeRetired], rules: ["type \(intent.type) is not in the catalogue"])
    }
    var draft = Draft(question)
    draft.judge()
    draft.holdWholeChannels()
    draft.putInSequence()
    return draft.decision
}

extension Draft {
    /// Runs every stage in order. Each stage is a file of its name in the folder `Stages`. Afterwards every candidate is settled.
    mutating func judge() {
        chooseChannels()
        holdUntilScheduled()
        askConsent()
        findEndpoints()
        planAhead()
        dropExpired()
        keepQuiet()
        notePassedQuietHours()
        holdPaused()
        sendTheRest()
        noteEarlyExpiry()
    }
}
