import Synchronization

/// A limited number of slots. A task that finds none waits in a queue, and the first of the queue gets the next free slot.
package final class Slots: Sendable {
    private struct State {
        var free: Int
        // An array is enough: the callers bound the queue, and it is rarely long.
        var line: [CheckedContinuation<Void, Never>] = []
        /// Set when every slot is free. Nil while nobody waits for that.
        var idle: OneShot<Void>?
    }

    private let count: Int
    private let state: Mutex<State>

    package init(_ count: Int) {
        precondition(count > 0, "without a slot no task would ever go on")
        self.count = count
        state = Mutex(State(free: count))
    }

    /// The tasks that wait for a slot.
    package var waiters: Int { state.withLock(\.line.count) }

    /// Reserves a slot, and waits for one if necessary. Cancelling the task does not end the wait and costs no place in the queue. So
    /// exactly one ``giveBack()`` follows each call.
    package func reserve() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.line.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    /// Gives a slot back. The first task of the queue gets it at once, so that no later task overtakes it.
    package func giveBack() {
        let (next, idle): (CheckedContinuation<Void, Never>?, OneShot<Void>?) = state.withLock { state in
            guard state.line.isEmpty else { return (state.line.removeFirst(), nil) }
            state.free += 1
            precondition(state.free <= count, "a slot was given back twice")
            guard state.free == count else { return (nil, nil) }
            defer { state.idle = nil }
            return (nil, state.idle)
        }
        next?.resume()
        idle?.set(())
    }

    /// Returns when every slot is free. Cancelling the task does not end the wait.
    package func allFree() async {
        let idle: OneShot<Void>? = state.withLock { state in
            guard state.free < count else { return nil }
            let idle = state.idle ?? OneShot()
            state.idle = idle
            return idle
        }
        await idle?.value()
    }
}
