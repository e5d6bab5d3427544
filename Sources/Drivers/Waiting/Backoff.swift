/// Growing pauses between tries. Each failure in a row makes the bound of the pause larger, up to a cap.
///
/// The pause is the bound, less a random part of it. Clients that failed together therefore do not all try again together.
package struct Backoff: Sendable, Hashable {
    /// The bound after the first failure.
    package let base: Duration
    /// The largest bound. No pause is longer.
    package let cap: Duration
    /// The random part of each bound. With 0 a pause is exactly its bound. With 1 a pause may be zero.
    package let jitter: Double
    /// The factor from one bound to the next.
    package let growth: Int

    /// - Parameters:
    ///   - jitter: from 0 to 1.
    ///   - growth: 2 or more.
    package init(base: Duration, cap: Duration, jitter: Double = 0, growth: Int = 2) {
        precondition((0...1).contains(jitter), "a pause would be negative, or longer than its cap")
        precondition(growth >= 2, "the pauses would not grow")
        self.base = base
        self.cap = cap
        self.jitter = jitter
        self.growth = growth
    }

    /// The pause after `failures` failures in a row, counted from 1. A smaller number counts as 1.
    ///
    /// - Parameter random: from 0 for the shortest pause to 1 for the whole bound. Another number is moved to the nearest of the two.
    package func pause(afterFailure failures: Int, random: Double = .random(in: 0..<1)) -> Duration {
        let bound = bound(afterFailure: failures)
        return bound - bound * (jitter * (1 - min(max(random, 0), 1)))
    }

    private func bound(afterFailure failures: Int) -> Duration {
        var bound = min(base, cap)
        var steps = max(failures, 1) - 1
        while steps > 0, bound > .zero, bound < cap {
            // Compare before multiplying: the product may be too large for a `Duration`.
            bound = bound > cap / growth ? cap : bound * growth
            steps -= 1
        }
        return bound
    }
}
