extension ReasonExplanation {
    /// The reasons of deliveries that wait.
    static let held: [ReasonExplanation] = [
        ReasonExplanation(
            .quietHours,
            "The person has quiet hours now. The delivery is sent when they end.",
            "Nothing. If such notifications cannot wait, set the category's quietHours to ignore.",
            explains: [.held]
        ),
        ReasonExplanation(.scheduledFor, "The producer asked for a later time.", "Nothing.", explains: [.held]),
        ReasonExplanation(
            .awaitingEscalation,
            "An earlier channel is tried first. This delivery starts if the earlier channel cannot reach the person.",
            "Nothing.",
            explains: [.held]
        ),
        ReasonExplanation(
            .afterValidity,
            "The decision became too old before the delivery was sent. Tidings decides again.",
            "Nothing. If this happens often, add delivery workers: packs wait too long.",
            retryable: true,
            explains: [.held, .queued]
        ),
        ReasonExplanation(
            .providerGone,
            "The delivery waited for a provider that the active catalogue no longer has, or whose queue no worker reads. Tidings routes the delivery again.",
            "Nothing after a change of the catalogue. Otherwise start a deliver process for the channel. tidings status shows the consumers.",
            retryable: true,
            explains: [.held, .queued]
        ),
        ReasonExplanation(
            .paused,
            "An operator has paused its channel, provider, type or tenant.",
            "See tidings pause list for the pause, its reason and its operator. The delivery is sent when the pause ends, unless the delivery expires first.",
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
            "The scheduled time had already passed, by at most a day, so the notification is sent at once.",
            "Check the producer's clock and queue.",
            explains: [.held, .queued, .sent, .delivered]
        ),
        ReasonExplanation(
            .expiresWhileHeld,
            "The delivery waits at least until its time to live ends. It will end as expired, and the person will not see it.",
            "Set a later expiresAt, or a later expiry of the type. If such notifications cannot wait, set the category's quietHours to ignore.",
            explains: [.held, .expired]
        ),
        ReasonExplanation(
            .placeholderEmpty,
            "A placeholder in the type's title or body shows nothing: the data has no such member, or the member is null, a list or an object.",
            "Send the member as a text, number or truth value, or change the template. tidings catalogue check names doubtful placeholders.",
            explains: [.held, .queued, .sent, .delivered]
        ),
        ReasonExplanation(
            .fieldLeftOut,
            "The data of a silent push has a member named aps, ab or type. Push services use these names, so the member may be left out.",
            "Give the member another name.",
            explains: [.held, .queued, .sent, .delivered]
        ),
        ReasonExplanation(
            .possibleDuplicate,
            "The delivery was sent again although an earlier attempt may have arrived.",
            "Nothing. Receivers that honour the idempotency key show the notification once.",
            explains: [.retrying, .queued, .sent, .delivered, .failed]
        ),
        ReasonExplanation(
            .leaseExpired,
            "The worker's lease had too little time left for a call, so nothing was sent. Tidings routes the delivery again.",
            "Nothing. If this happens often, look for a slow database or for workers that were stopped.",
            retryable: true,
            explains: [.retrying, .queued, .failed]
        ),
        ReasonExplanation(
            .unregistered,
            "The app or an operator removed the device.",
            "Nothing. The app registers the device again when the person wants notifications on it.",
            explains: [.suppressed]
        ),
        ReasonExplanation(
            .deviceLimit,
            "The person has reached the device limit, and this device registered longest ago.",
            "Nothing. The app registers the device again when the device is used.",
            explains: [.suppressed]
        ),
    ]
}
