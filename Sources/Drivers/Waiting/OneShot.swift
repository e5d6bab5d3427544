import Synchronization

/// A value that any number of tasks may offer and await. The first offer wins, and later offers change nothing.
package final class OneShot<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        /// Waits that only the value ends, in the order of arrival.
        var patient: [CheckedContinuation<Value, Never>] = []
        /// Waits that a cancellation ends too, by their numbers.
        var cancellable: [Int: CheckedContinuation<Value?, Never>] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// The tasks that wait now.
    package var waiters: Int { state.withLock { $0.patient.count + $0.cancellable.count } }

    /// Offers a value. Returns true if this offer was the first. Every waiting task then gets the value.
    @discardableResult
    package func set(_ value: Value) -> Bool {
        let woken: State? = state.withLock { state in
            guard state.value == nil else { return nil }
            defer { state = State(value: value) }
            return state
        }
        guard let woken else { return false }
        for continuation in woken.patient { continuation.resume(returning: value) }
        for continuation in woken.cancellable.values { continuation.resume(returning: value) }
        return true
    }

    /// Waits for the value and returns it. Cancelling the task does not end the wait. To end it, a cancellation handler may offer a value.
    package func value() async -> Value {
        await withCheckedContinuation { (continuation: CheckedContinuation<Value, Never>) in
            let known: Value? = state.withLock { state in
                if state.value == nil { state.patient.append(continuation) }
                return state.value
            }
            if let known { continuation.resume(returning: known) }
        }
    }

    /// Waits for the value and returns it. Returns nil if the task is cancelled before there is a value.
    package func valueUnlessCancelled() async -> Value? {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Value?, Never>) in
                let (isOver, value): (Bool, Value?) = state.withLock { state in
                    // Check under the lock: a later cancellation then finds the continuation.
                    if state.value != nil || Task.isCancelled { return (true, state.value) }
                    state.cancellable[number] = continuation
                    return (false, nil)
                }
                if isOver { continuation.resume(returning: value) }
            }
        } onCancel: {
            let continuation = state.withLock { $0.cancellable.removeValue(forKey: number) }
            continuation?.resume(returning: nil)
        }
    }
}
