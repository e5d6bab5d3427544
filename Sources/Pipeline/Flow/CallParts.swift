public import TidingsCore

/// The parts of a provider that a call is for, as far as the gate tells them apart. See ``TidingsCore/Breaker/Part``.
public struct CallParts: Sendable {
    /// The endpoint: an address, or the person if the provider addresses people, or the content if a call may be for several people.
    public var endpoint: Breaker.Part?
    /// The delivery, or the first of a call with several.
    public var delivery: Breaker.Part?
    /// Whether no delivery of the call has been tried before, by any process.
    public var isFirstAttempt: Bool

    public init(endpoint: Breaker.Part? = nil, delivery: Breaker.Part? = nil, isFirstAttempt: Bool = true) {
        self.endpoint = endpoint
        self.delivery = delivery
        self.isFirstAttempt = isFirstAttempt
    }

    /// The prospect of the call at its endpoint.
    var prospect: Breaker.Prospect { isFirstAttempt ? .unknown : .bad }
}

/// A call with its host, by which breakers and the bounds of a host are counted.
struct GateCall {
    let host: String
    let parts: CallParts
    /// The time at which the call asked for room.
    let askedAt: Timestamp
}
