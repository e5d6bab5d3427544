/// How the providers of a market share a channel. One that only gets copies stands outside of it: it gets its copy whatever the strategy.
public enum ProviderStrategy: Sendable, Hashable {
    /// Every provider that holds an endpoint of the person; of several for one device the first.
    case all
    /// One provider, the first in the market's order that can reach the person. The others stand by: the next takes over when the one before
    /// is misconfigured, refuses, or is not called because it has been failing.
    case first
    /// As `first`, but each person has a provider of their own that goes first: the same for as long as the weights stay, and over many
    /// people as often as the weights say. Positive whole numbers, one for each provider that is no copy, by name.
    case weighted([String: Int])

    /// What a catalogue calls it.
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
