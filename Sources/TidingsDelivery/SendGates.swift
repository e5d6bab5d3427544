public import TidingsCore
public import TidingsProvider

/// The gates of every provider that a process calls: whoever calls one, for whatever purpose, goes through the same gate.
public struct SendGates: Sendable {
    private let gates: [String: SendGate]

    public init(_ limits: [String: ProviderLimits], now: Timestamp) {
        gates = limits.mapValues { SendGate($0, now: now) }
    }

    public subscript(provider: String) -> SendGate? { gates[provider] }

    /// - Parameter workers: how many live processes call each provider, this one among them.
    public func divide(among workers: [String: Int], now: Timestamp) {
        for (provider, gate) in gates { gate.divide(among: workers[provider] ?? 1, now: now) }
    }
}
