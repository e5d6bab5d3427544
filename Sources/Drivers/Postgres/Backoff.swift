/// Growing pauses with jitter. A pause is a random part of a bound that doubles, so that clients that failed together do not all retry
/// together.
struct Backoff {
    let first: Duration
    let limit: Duration

    /// For connecting. The first retries are quick after a restart, and a long outage costs one attempt every few seconds.
    static let connecting = Backoff(first: .milliseconds(100), limit: .seconds(5))
    /// For transactions in a conflict. The first pauses are about as long as the conflicting transaction takes.
    static let conflict = Backoff(first: .milliseconds(10), limit: .seconds(1))

    /// The pause after the given number of failures, counted from 1. The pause is at least a tenth of its bound.
    func pause(attempt: Int, random: Double = .random(in: 0..<1)) -> Duration {
        let bound = min(first * (1 << min(max(attempt, 1) - 1, 16)), limit)
        return bound * (0.1 + 0.9 * random)
    }
}
