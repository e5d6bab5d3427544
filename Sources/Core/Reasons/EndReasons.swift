extension ReasonExplanation {
    /// The reasons of all other ends of a delivery.
    static let ends: [ReasonExplanation] = [
        ReasonExplanation(
            .expired,
            "The time to live ended before the delivery was sent.",
            "If this happens often, find the cause of the wait: quiet hours, retries or a backlog.",
            explains: [.expired]
        ),
        ReasonExplanation(.cancelledByProducer, "The producer cancelled the notification.", "Nothing.", explains: [.cancelled]),
        ReasonExplanation(.cancelledByOperator, "An operator cancelled the notification.", "Nothing.", explains: [.cancelled]),
        ReasonExplanation(.accepted, "The provider accepted the message.", "Nothing.", explains: [.sent]),
        ReasonExplanation(.delivered, "The notification arrived.", "Nothing.", explains: [.delivered]),
    ]
}
