extension ReasonExplanation {
    /// The reasons of deliveries that the rules decided not to send.
    static let suppressed: [ReasonExplanation] = [
        ReasonExplanation(
            .channelDisabled,
            "The person has switched this channel off.",
            "Nothing. The person can switch it on in their preferences.",
            explains: [.suppressed]
        ),
        ReasonExplanation(
            .categoryDisabled,
            "The person has switched this category off.",
            "Nothing. If the person must get this type, declare the type mandatory.",
            explains: [.suppressed]
        ),
        ReasonExplanation(
            .typeDisabled,
            "The person has switched this type off.",
            "Nothing. If the person must get this type, declare the type mandatory.",
            explains: [.suppressed]
        ),
        ReasonExplanation(
            .noDevice,
            "The person has no registered device.",
            "Register a device when the app starts.",
            explains: [.suppressed]
        ),
        ReasonExplanation(
            .noAddress,
            "The person has no address for this channel.",
            "Set the person's address with `tidings address set`.",
            explains: [.suppressed]
        ),
        ReasonExplanation(
            .permissionDenied,
            "The device does not let the app show notifications.",
            "Nothing. The app can ask the person to open the settings of the app.",
            explains: [.suppressed]
        ),
        ReasonExplanation(
            .noProvider,
            "The person's market has no provider that can carry this channel to them.",
            "Name a provider for the channel under the market in the catalogue.",
            explains: [.suppressed]
        ),
        ReasonExplanation(
            .sameDevice,
            "Another delivery of the same notification already goes to this device or address.",
            "Nothing. The notification would arrive twice.",
            explains: [.suppressed]
        ),
        ReasonExplanation(
            .quietHoursDrop,
            "The delivery fell into the person's quiet hours, and the category's policy does not let it wait.",
            "Nothing. To make such deliveries wait, set the category's quietHours to hold.",
            explains: [.suppressed]
        ),
        ReasonExplanation(
            .escalationNotNeeded,
            "An earlier channel reached the person, or the notification was cancelled.",
            "Nothing.",
            explains: [.suppressed]
        ),
        ReasonExplanation(
            .collapsed,
            "A newer notification with the same collapse key replaced this one.",
            "Nothing: the person gets the newer one.",
            explains: [.suppressed]
        ),
        ReasonExplanation(
            .recipientErased,
            "The recipient was erased, or a person of whom the notification tells.",
            "Nothing. Stop the producer from naming the person.",
            explains: [.suppressed]
        ),
        ReasonExplanation(
            .typeRetired,
            "The catalogue no longer has this type.",
            "Declare the type again if it was removed by mistake, and send a new intent.",
            explains: [.suppressed]
        ),
        ReasonExplanation(
            .endpointGone,
            "The device or address is not used: its provider says that it is gone, it was removed or suppressed, or consent is denied.",
            "Nothing for a device: the app registers it again when it is used again. For an address, `tidings address list` says why.",
            explains: [.suppressed, .failed]
        ),
        ReasonExplanation(
            .channelNotEligible,
            "The catalogue's rules no longer send this type on this channel.",
            "Nothing, or change the channels of the type or category in the catalogue.",
            explains: [.suppressed]
        ),
    ]
}
