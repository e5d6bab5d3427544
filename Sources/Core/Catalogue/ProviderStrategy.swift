/// The way in which the providers of a market share a channel. A provider that only gets copies gets them with every strategy.
public enum ProviderStrategy: Sendable, Hashable {
    /// Every provider that can send to an endpoint of the person sends. If several can send to one device, only the first of them does.
    case all
    /// One provider sends: the first in the market's order that can reach the person. Every further provider is a standby. A standby takes
    /// over if the provider before it is misconfigured, refuses, or is skipped because its circuit breaker is open.
    case first
    /// Like `first`, but each person has their own first provider, which stays the same as long as the weights do. Over many people each
    /// provider is first in proportion to its weight.
    ///
    /// The weights are positive whole numbers by provider name, one for each provider that is not a copy.
    case weighted([String: Int])

    /// The name of a strategy in a catalogue.
    public enum Name: String, CaseIterable, Sendable, Hashable {
        case all, first, weighted
    }

    public var name: Name {
        switch self {
        case .all: .all
        case .first: .first
        case .weighted: .weighted
        }
    }
}
