import TidingsWaiting

extension Backoff {
    /// For connecting. The first retries are quick after a restart, and a long outage costs one attempt every few seconds.
    static let connecting = Backoff(base: .milliseconds(100), cap: .seconds(5), jitter: 0.9)
    /// For transactions in a conflict. The first pauses are about as long as the conflicting transaction takes.
    static let conflict = Backoff(base: .milliseconds(10), cap: .seconds(1), jitter: 0.9)
}
