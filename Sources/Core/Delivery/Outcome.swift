/// What one attempt came to. A provider returns it and never throws, so that every end of a call is one of these.
public enum Outcome: Sendable, Hashable {
    /// The provider took it; `delivered` when that means it has arrived. The id is the provider's own name for it.
    case accepted(providerMessageID: String?, delivered: Bool)
    /// Nothing was sent or taken, and it may work later; not before `after` when the provider says so.
    case retry(after: Duration?, ReasonCode)
    /// The provider refused this message and would refuse it again.
    case rejected(ReasonCode)
    /// The device or address no longer exists; it is never used again.
    case endpointGone
    /// Nothing can be sent until an operator corrects the provider's settings.
    case misconfigured(ReasonCode)
    /// The request left and nobody knows whether it was taken.
    case unknown(ReasonCode)
}

extension Outcome {
    /// What an outcome says of the provider's health, for its ``Breaker``.
    public enum Evidence: Sendable, Hashable {
        /// It answers, even if with a refusal.
        case healthy
        /// It does not work.
        case failing
        /// It says nothing: the call never reached it, or it only asked to slow down.
        case none
    }

    public var evidence: Evidence {
        switch self {
        case .accepted, .rejected, .endpointGone: .healthy
        case .retry(_, .providerThrottled), .retry(_, .rateLimited), .retry(_, .breakerOpen): .none
        // Wrong credentials end each delivery with that reason; holding back others until they are right would hide it.
        case .misconfigured: .none
        case .retry, .unknown: .failing
        }
    }
}
