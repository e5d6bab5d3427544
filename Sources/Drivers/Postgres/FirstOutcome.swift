import Synchronization

/// A value that several tasks may offer and several tasks may wait for. The first offer wins.
final class FirstOutcome<Value: Sendable>: Sendable {
    private enum State {
        case awaited([CheckedContinuation<Value, Never>])
        case settled(Value)
    }

    private let state = Mutex(State.awaited([]))

    /// Offers a value. Returns true if this offer was the first.
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

    /// Waits for the first offer and returns it.
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
