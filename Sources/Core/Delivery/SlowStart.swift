/// The limit of concurrent calls to a provider or host that has just recovered.
///
/// The limit begins at one and grows by one with each good answer, so it doubles in each round until it reaches the usual limit. Without
/// it, all waiting deliveries would be sent at once, and a provider that failed under load would fail again.
public struct SlowStart: Sendable, Hashable {
    /// The limit of concurrent calls. Nil for the usual limit.
    public private(set) var limit: Int?
    private let usual: Int

    /// - Parameter usual: the limit of concurrent calls to a healthy provider. A value below 1 counts as 1.
    public init(usual: Int) {
        self.usual = max(1, usual)
    }

    /// Starts with one call. Call it when the breaker has closed.
    public mutating func begin() {
        limit = usual > 1 ? 1 : nil
    }

    /// Reports how a call ended. A good answer raises the limit by one, a failure halves it. The breaker counts failures for itself, and by
    /// default opens after five in a row.
    public mutating func record(_ evidence: Outcome.Evidence) {
        guard let limit else { return }
        switch evidence {
        case .healthy: self.limit = limit + 1 < usual ? limit + 1 : nil
        case .failing, .unreachable: self.limit = max(1, limit / 2)
        case .reachable, .none: break
        }
    }
}
