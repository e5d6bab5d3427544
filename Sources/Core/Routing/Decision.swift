/// The answer of ``route(_:facts:catalogue:pauses:now:acceptedAt:)``.
public struct Decision: Sendable, Hashable {
    public var strategy: Strategy
    public var deliveries: [PlannedDelivery]
    /// What is worth knowing about the whole: `scheduledInPast`, `typeRetired`.
    public var notes: [ReasonCode]
    /// The rules that applied, in order, in words, for example `category transactional → push, inApp`.
    public var rules: [String]
    /// The market of the person, or of the intent when it names one; empty for a type that the catalogue does not have.
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

/// What is to happen on one channel with one provider and endpoint.
public struct PlannedDelivery: Sendable, Hashable {
    public var channel: Channel
    /// The provider's name; empty while none is chosen: a scheduled channel, or one refused before providers were looked at.
    public var provider: String
    /// The id of the endpoint; nil for a provider that addresses people, and while none is chosen.
    public var endpoint: String?
    public var verdict: Verdict
    /// Whose providers were looked at: the person's market, or a device's own. Nil while none were.
    public var market: String?
    /// For a provider that gets a copy, which does not reach the person.
    public var isCopy: Bool
    /// Who takes over when this one is misconfigured, refuses, or is not called because it has been failing.
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

/// Whether another provider takes a delivery over from its own.
public enum Standby: Sendable, Hashable {
    case nobody
    /// Those who were passed over before for failing, or could not take it when asked: for what its provider refuses, not while that one is failing.
    case passedOver
    /// Somebody who has not had it yet.
    case fresh
}

/// What is to happen with one delivery.
public enum Verdict: Sendable, Hashable {
    /// Goes out now. From `validUntil` on the decision is too old to act on and must be made again.
    case send(validUntil: Timestamp)
    /// Waits, and is judged again at `until`.
    case hold(until: Timestamp, reason: ReasonCode)
    /// Waits for the end of the pause with this id, and is judged again then, at the latest at `lookAgain`.
    case paused(by: Int, lookAgain: Timestamp)
    /// Waits for the end of an earlier channel, and is judged again then.
    case awaitEscalation
    /// Does not go out, for this reason.
    case notSent(state: DeliveryState, reason: ReasonCode)

    /// The state a delivery begins in.
    public var state: DeliveryState {
        switch self {
        case .send: .queued
        case .hold, .paused, .awaitEscalation: .held
        case .notSent(let state, _): state
        }
    }

    /// Why it is not simply sent; nil when it is.
    public var reason: ReasonCode? {
        switch self {
        case .send: nil
        case .hold(_, let reason): reason
        case .paused: .paused
        case .awaitEscalation: .awaitingEscalation
        case .notSent(_, let reason): reason
        }
    }

    /// True when it goes out, now or later.
    public var isOpen: Bool {
        switch self {
        case .send, .hold, .paused, .awaitEscalation: true
        case .notSent: false
        }
    }
}
