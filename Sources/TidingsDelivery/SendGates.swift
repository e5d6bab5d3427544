public import TidingsCore
public import TidingsProvider

/// The gates of every provider that a process calls: whoever calls one, for whatever purpose, goes through the same gate.
public struct SendGates: Sendable {
    private let gates: [String: SendGate]

    /// - Parameter workers: among how many the limits are divided until more is known.
    public init(_ limits: [String: ProviderLimits], among workers: Int, now: Timestamp) {
        gates = limits.mapValues {
            let gate = SendGate($0, now: now)
            gate.divide(among: workers, now: now)
            return gate
        }
    }

    public subscript(provider: String) -> SendGate? { gates[provider] }

    /// - Parameter workers: how many live processes call each provider, this one among them. Nothing changes for one that is not named.
    public func divide(among workers: [String: Int], now: Timestamp) {
        for (provider, count) in workers { gates[provider]?.divide(among: count, now: now) }
    }
}
