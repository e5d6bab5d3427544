/// How many calls at once go to a provider or host that has just come back: one, and one more with each good answer, which doubles them in
/// each round, until the usual bound is reached. What failed under load would fail again if everything that waited came at once.
public struct SlowStart: Sendable, Hashable {
    /// Calls at once; nil for the usual bound.
    public private(set) var limit: Int?
    private let usual: Int

    /// - Parameter usual: calls at once of one that is well; at least 1 takes effect.
    public init(usual: Int) {
        self.usual = max(1, usual)
    }

    /// The breaker has closed.
    public mutating func begin() {
        limit = usual > 1 ? 1 : nil
    }

    /// Reports how a call ended. A failure halves the limit; five in a row open the breaker, which is another matter.
    public mutating func record(_ evidence: Outcome.Evidence) {
        guard let limit else { return }
        switch evidence {
        case .healthy: self.limit = limit + 1 < usual ? limit + 1 : nil
        case .failing: self.limit = max(1, limit / 2)
        case .none: break
        }
    }
}
