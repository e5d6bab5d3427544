import Synchronization

/// The end of an exchange that one caller makes and other callers wait for.
final class PendingExchange: Sendable {
    enum End: Sendable {
        case answered(Result<AccessToken, ExchangeFailure>)
        /// The caller that made the exchange was cancelled. A waiting caller must start another one.
        case abandoned
        /// The waiting caller's time ended first, or the caller was cancelled.
        case late
    }

    private struct State {
        var end: End?
        var waiting: [Int: CheckedContinuation<End, Never>] = [:]
        var lastID = 0
    }

    private let state = Mutex(State())

    /// Wakes every waiting caller. Call this only once.
    func settle(_ end: End) {
        let waiting = state.withLock { state in
            state.end = end
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume(returning: end) }
    }

    /// Waits for the end of the exchange, at most until the caller's deadline.
    func end(before deadline: ContinuousClock.Instant) async -> End {
        await withTaskGroup(of: End.self) { group in
            group.addTask { await self.wait() }
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

    private func wait() async -> End {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known: End? = state.withLock { state in
                    if let end = state.end { return end }
                    // Check under the lock: a later cancellation then finds the continuation.
                    if Task.isCancelled { return .late }
                    state.waiting[id] = continuation
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            let continuation = state.withLock { $0.waiting.removeValue(forKey: id) }
            continuation?.resume(returning: .late)
        }
    }
}
