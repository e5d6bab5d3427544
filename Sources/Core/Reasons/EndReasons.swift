extension ReasonExplanation {
    /// The reasons of all other ends of a delivery.
    static let ends: [ReasonExplanation] = [
        ReasonExplanation(
            .expired,
            "Its time to live ended before it could be sent.",
            "If it is frequent, find what waited: quiet hours, retries or a backlog.",
            explains: [.expired]
        ),
        ReasonExplanation(.cancelledByProducer, "The producer called it back.", "Nothing.", explains: [.cancelled]),
        ReasonExplanation(.cancelledByOperator, "An operator called it back.", "Nothing.", explains: [.cancelled]),
        ReasonExplanation(.accepted, "The provider took it.", "Nothing.", explains: [.sent]),
        ReasonExplanation(.delivered, "It arrived.", "Nothing.", explains: [.delivered]),
    ]
}
