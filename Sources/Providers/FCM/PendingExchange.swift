import Synchronization

/// The end of an exchange that one caller makes and others wait for.
final class PendingExchange: Sendable {
    enum End: Sendable {
        case answered(Result<AccessToken, ExchangeFailure>)
        /// Whoever made it was cancelled: somebody else must.
        case abandoned
        /// The time of the one who waits was over first, or they were cancelled.
        case late
    }

    private struct State {
        var end: End?
        var waiting: [Int: CheckedContinuation<End, Never>] = [:]
        var lastID = 0
    }

    private let state = Mutex(State())

    /// Wakes everyone; once only.
    func settle(_ end: End) {
        let waiting = state.withLock { state in
            state.end = end
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume(returning: end) }
    }

    /// Waits for it, no longer than the caller's own time.
    func end(before deadline: ContinuousClock.Instant) async -> End {
        await withTaskGroup(of: End.self) { group in
            group.addTask { await self.wait() }
            group.addTask {
                // The caller's time may be over before the exchange is: it began with another's.
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
                    // Looked at under the lock: a cancellation that comes later finds the continuation.
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
