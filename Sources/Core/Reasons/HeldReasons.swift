extension ReasonExplanation {
    /// The reasons of deliveries that wait.
    static let held: [ReasonExplanation] = [
        ReasonExplanation(
            .quietHours,
            "It is quiet hours where the person is; it goes out when they end.",
            "Nothing. If it cannot wait, its category's quietHours policy should be ignore.",
            explains: [.held]
        ),
        ReasonExplanation(.scheduledFor, "The producer asked for a later time.", "Nothing.", explains: [.held]),
        ReasonExplanation(
            .awaitingEscalation,
            "An earlier channel is tried first; this one starts if that cannot reach the person.",
            "Nothing.",
            explains: [.held]
        ),
        ReasonExplanation(
            .afterValidity,
            "The decision grew too old before it was sent and is made again.",
            "Nothing. If it is frequent, add delivery workers: packs wait too long.",
            retryable: true,
            explains: [.held, .queued]
        ),
        ReasonExplanation(
            .providerGone,
            "It waited for a provider that the active catalogue no longer has, or whose queue no worker reads. It is routed again.",
            "Nothing after a change of the catalogue. Otherwise start a deliver process for the channel: tidings status shows consumers.",
            retryable: true,
            explains: [.held, .queued]
        ),
        ReasonExplanation(
            .paused,
            "An operator has paused its channel, provider, type or tenant.",
            "See tidings pause list for what, why and by whom. It goes out when that is resumed, unless it expires first.",
            retryable: true,
            explains: [.held]
        ),
        ReasonExplanation(
            .timeZoneUnknown,
            "The person has quiet hours in a time zone that is missing from the zone data of the router or releaser.",
            "Install or update the packages tzdata and tzdata-legacy where the roles run, or set another zone: tidings recipient set "
                + "<id> --time-zone. The delivery is judged again every 15 minutes.",
            retryable: true,
            explains: [.held]
        ),
    ]

    /// The notes that stand beside another reason.
    static let notes: [ReasonExplanation] = [
        ReasonExplanation(
            .scheduledInPast,
            "The scheduled time had passed already, by no more than a day, so it goes out at once.",
            "Check the producer's clock and queue.",
            explains: [.held, .queued, .sent, .delivered]
        ),
        ReasonExplanation(
            .possibleDuplicate,
            "It was sent again although an earlier attempt may have arrived.",
            "Nothing. Receivers that honour the idempotency key show it once.",
            explains: [.retrying, .queued, .sent, .delivered, .failed]
        ),
        ReasonExplanation(
            .leaseExpired,
            "Its worker's claim had too little time left for a call, so nothing was sent. It is routed again.",
            "Nothing. If it is frequent, look for a slow database or for workers that were stopped.",
            retryable: true,
            explains: [.retrying, .queued, .failed]
        ),
        ReasonExplanation(
            .unregistered,
            "The app, or an operator, has taken the device out.",
            "Nothing. The app registers it again when its person wants notifications there.",
            explains: [.suppressed]
        ),
        ReasonExplanation(
            .deviceLimit,
            "The person has as many devices as one may have, and this one registered longest ago.",
            "Nothing. Its app registers it again when it is used.",
            explains: [.suppressed]
        ),
    ]
}
