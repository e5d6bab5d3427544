import Synchronization
public import TidingsCore
public import TidingsProvider

/// The gates of every provider that a process calls: all calls of one provider, for whatever purpose, go through the same gate. A gate outlives a
/// change of the catalogue with its breakers and its rate.
public final class SendGates: Sendable {
    private let gates = Mutex<[String: SendGate]>([:])

    private let report: @Sendable (BreakerChange, _ provider: String, Timestamp) -> Void

    /// - Parameter report: told of each change of a breaker, with the provider's name.
    public init(report: @escaping @Sendable (BreakerChange, _ provider: String, Timestamp) -> Void = { _, _, _ in }) {
        self.report = report
    }

    /// Makes the gates of providers that have none, and gives the others their limits of today.
    ///
    /// - Parameter workers: among how many the limits of a new gate are divided until more is known.
    public func admit(_ limits: [String: ProviderLimits], among workers: Int, now: Timestamp) {
        for (provider, limits) in limits {
            if let gate = self[provider] {
                gate.change(to: limits, now: now)
            } else {
                let gate = SendGate(limits, now: now) { [report] in report($0, provider, $1) }
                gate.divide(among: workers, now: now)
                gates.withLock { $0[provider] = gate }
            }
        }
    }

    /// Forgets the gates of other providers. A call that is out keeps its own.
    public func keep(only providers: Set<String>) {
        gates.withLock { $0 = $0.filter { providers.contains($0.key) } }
    }

    public subscript(provider: String) -> SendGate? { gates.withLock { $0[provider] } }

    /// - Parameter workers: how many live processes call each provider, this one among them. Nothing changes for one that is not named.
    public func divide(among workers: [String: Int], now: Timestamp) {
        for (provider, count) in workers { self[provider]?.divide(among: count, now: now) }
    }
}
