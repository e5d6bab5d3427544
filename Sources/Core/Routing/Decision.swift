/// The answer of ``route(_:facts:catalogue:pauses:now:acceptedAt:)``.
public struct Decision: Sendable, Hashable {
    public var strategy: Strategy
    public var deliveries: [PlannedDelivery]
    /// Notes about the whole decision: `scheduledInPast`, `typeRetired`.
    public var notes: [ReasonCode]
    /// The rules that applied, in order, in words, for example `category transactional → push, inApp`.
    public var rules: [String]
    /// The market of the person, or of the intent if it names one. Empty for a type that the catalogue does not have.
    public var market: String

    public init(
        strategy: Strategy, deliveries: [PlannedDelivery], notes: [ReasonCode] = [], rules: [String] = [], market: String = ""
    ) {
        self.strategy = strategy
        self.deliveries = deliveries
        self.notes = notes
        self.rules = rules
        self.market = market
    }
}

/// The plan for one channel with one provider and endpoint.
public struct PlannedDelivery: Sendable, Hashable {
    public var channel: Channel
    /// The provider's name. Empty while none is chosen: the channel is scheduled, or was refused before the search for providers.
    public var provider: String
    /// The id of the endpoint. Nil for a provider that addresses people, and while no endpoint is chosen.
    public var endpoint: String?
    public var verdict: Verdict
    /// The market whose providers were searched: the person's market, or a device's own. Nil if none were searched.
    public var market: String?
    /// Whether the delivery is a copy for a provider. A copy does not reach the person.
    public var isCopy: Bool
    /// Whether a standby takes over if this provider is misconfigured, refuses, or is skipped because its circuit breaker is open.
    public var standby: Standby

    public init(
        channel: Channel, provider: String = "", endpoint: String? = nil, verdict: Verdict, market: String? = nil, isCopy: Bool = false,
        standby: Standby = .nobody
    ) {
        self.channel = channel
        self.provider = provider
        self.endpoint = endpoint
        self.verdict = verdict
        self.market = market
        self.isCopy = isCopy
        self.standby = standby
    }
}

/// Whether another provider can take over a delivery from its own.
public enum Standby: Sendable, Hashable {
    case nobody
    /// Only providers that were skipped before because their breaker was open, or that could not take the delivery when asked. They take
    /// over if the provider refuses, but not if only its breaker is open.
    case passedOver
    /// At least one provider that has not had the delivery yet.
    case fresh
}

/// The decision on one delivery.
public enum Verdict: Sendable, Hashable {
    /// The delivery is sent now. From `validUntil` on, the decision is too old to act on and must be made again.
    case send(validUntil: Timestamp)
    /// The delivery waits, and is judged again at `until`.
    case hold(until: Timestamp, reason: ReasonCode)
    /// The delivery waits for the end of the pause with this id. It is judged again then, at the latest at `lookAgain`.
    case paused(by: Int, lookAgain: Timestamp)
    /// The delivery waits for the end of an earlier channel, and is judged again then.
    case awaitEscalation
    /// The delivery is not sent, for this reason.
    case notSent(state: DeliveryState, reason: ReasonCode)

    /// The first state of a delivery with this verdict.
    public var state: DeliveryState {
        switch self {
        case .send: .queued
        case .hold, .paused, .awaitEscalation: .held
        case .notSent(let state, _): state
        }
    }

    /// The reason why the delivery is not sent now. Nil if it is sent now.
    public var reason: ReasonCode? {
        switch self {
        case .send: nil
        case .hold(_, let reason): reason
        case .paused: .paused
        case .awaitEscalation: .awaitingEscalation
        case .notSent(_, let reason): reason
        }
    }

    /// Whether the delivery is to be sent, now or later.
    public var isOpen: Bool {
        switch self {
        case .send, .hold, .paused, .awaitEscalation: true
        case .notSent: false
        }
    }
}
