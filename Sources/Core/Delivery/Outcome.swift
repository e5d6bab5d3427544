/// The outcome of one attempt. A provider returns an outcome and never throws, so every call ends in one of these cases.
public enum Outcome: Sendable, Hashable {
    /// The provider accepted the message. `delivered` is true if this means that the message has arrived. The id is the provider's name for
    /// the message.
    case accepted(providerMessageID: String?, delivered: Bool)
    /// No message was sent or accepted, and a later attempt may succeed. If the provider names a wait, the next attempt comes not before
    /// `after`.
    case retry(after: Duration?, ReasonCode)
    /// The provider refused this message and would refuse it again.
    case rejected(ReasonCode)
    /// The device or address no longer exists and is never used again.
    case endpointGone
    /// Nothing can be sent until an operator corrects the provider's settings.
    case misconfigured(ReasonCode)
    /// The request left, and it is unknown whether the provider accepted it. If the category has the delivery sent again, and the provider
    /// names a wait, the next attempt comes not before `after`.
    case unknown(after: Duration? = nil, ReasonCode)
}
