import Synchronization
public import TidingsCore
public import TidingsProvider

/// The gates of the providers that a process calls. All calls of one provider, for any purpose, go through the same gate. A gate keeps its
/// breakers and its rate over a change of the catalogue.
public final class SendGates: Sendable {
    private let gates = Mutex<[String: SendGate]>([:])

    private let report: @Sendable (BreakerChange, _ provider: String, Timestamp) -> Void

    /// - Parameter report: called for each change of a breaker, with the provider's name.
    public init(report: @escaping @Sendable (BreakerChange, _ provider: String, Timestamp) -> Void = { _, _, _ in }) {
        self.report = report
    }

    /// Makes gates for providers that have none, and gives the existing gates their present limits.
    ///
    /// - Parameter workers: the number of workers among which a new gate divides its limits until more is known.
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

    /// Forgets the gates of all other providers. A call under way keeps its gate.
    public func keep(only providers: Set<String>) {
        gates.withLock { $0 = $0.filter { providers.contains($0.key) } }
    }

    public subscript(provider: String) -> SendGate? { gates.withLock { $0[provider] } }

    /// - Parameter workers: the number of live processes that call each provider, this one included. A provider that is not named keeps its
    ///   number.
    public func divide(among workers: [String: Int], now: Timestamp) {
        for (provider, count) in workers { self[provider]?.divide(among: count, now: now) }
    }
}
