import TidingsWaiting

/// The end of an exchange that one caller makes and other callers wait for.
final class PendingExchange: Sendable {
    enum End: Sendable {
        case answered(Result<AccessToken, ExchangeFailure>)
        /// The caller that made the exchange was cancelled. A waiting caller must start another one.
        case abandoned
        /// The waiting caller's time ended first, or the caller was cancelled.
        case late
    }

    private let outcome = OneShot<End>()

    /// Wakes every waiting caller. Call this only once.
    func settle(_ end: End) { outcome.set(end) }

    /// Waits for the end of the exchange, at most until the caller's deadline.
    func end(before deadline: ContinuousClock.Instant) async -> End {
        await withTaskGroup(of: End.self) { group in
            group.addTask { await self.outcome.valueUnlessCancelled() ?? .late }
            group.addTask {
                // The exchange began in another caller's time, so the deadline here may come first.
                try? await Task.sleep(until: deadline)
                return .late
            }
            let first = await group.next() ?? .late
            group.cancelAll()
            return first
        }
    }
}
