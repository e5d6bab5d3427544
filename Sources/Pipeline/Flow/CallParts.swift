public import TidingsCore

/// The parts of a provider that a call is for, as far as the gate tells them apart. See ``TidingsCore/Breaker/Part``.
public struct CallParts: Sendable {
    /// The endpoint: an address, or the person if the provider addresses people. Nil for a call to several at once.
    public var endpoint: Breaker.Part?
    /// The delivery. Nil for a call with several deliveries.
    public var delivery: Breaker.Part?
    /// Whether the delivery has not been tried before, by any process.
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
