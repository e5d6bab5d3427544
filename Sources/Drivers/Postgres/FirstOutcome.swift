import Synchronization

/// A value that several may offer and others wait for; the first offer wins.
final class FirstOutcome<Value: Sendable>: Sendable {
    private enum State {
        case awaited([CheckedContinuation<Value, Never>])
        case settled(Value)
    }

    private let state = Mutex(State.awaited([]))

    /// True if this offer is the one that counts.
    @discardableResult
    func settle(_ value: Value) -> Bool {
        let waiting: [CheckedContinuation<Value, Never>]? = state.withLock { state in
            guard case .awaited(let waiting) = state else { return nil }
            state = .settled(value)
            return waiting
        }
        guard let waiting else { return false }
        for continuation in waiting { continuation.resume(returning: value) }
        return true
    }

    /// Waits for the first offer.
    func value() async -> Value {
        await withCheckedContinuation { continuation in
            let settled: Value? = state.withLock { state in
                switch state {
                case .settled(let value): return value
                case .awaited(let waiting):
                    state = .awaited(waiting + [continuation])
                    return nil
                }
            }
            if let settled { continuation.resume(returning: settled) }
        }
    }
}
