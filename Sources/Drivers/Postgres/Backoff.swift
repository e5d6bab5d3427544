/// Growing pauses with full jitter: any length up to a bound that doubles, so that those who failed together do not return together.
struct Backoff {
    let first: Duration
    let limit: Duration

    /// For connecting: quick after a restart, and a lasting outage costs one attempt every few seconds.
    static let connecting = Backoff(first: .milliseconds(100), limit: .seconds(5))
    /// For transactions that met a conflict: about the time the other one takes.
    static let conflict = Backoff(first: .milliseconds(10), limit: .seconds(1))

    /// The pause after the given number of failures, from 1; at least a tenth of its bound.
    func pause(attempt: Int, random: Double = .random(in: 0..<1)) -> Duration {
        let bound = min(first * (1 << min(max(attempt, 1) - 1, 16)), limit)
        return bound * (0.1 + 0.9 * random)
    }
}
