import Dispatch
import Synchronization

/// A value that arrives once; any number of threads may block until it does. Never wait for one on Swift's cooperative pool.
final class Latch<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let arrived = DispatchSemaphore(value: 0)

    /// Sets the value and wakes everybody; later calls are ignored.
    func set(_ new: Value) {
        let isFirst = value.withLock { value in
            guard value == nil else { return false }
            value = new
            return true
        }
        if isFirst { arrived.signal() }
    }

    /// The value, once it has arrived.
    func wait() -> Value {
        while true {
            arrived.wait()
            arrived.signal()  // passes the wake-up on to the next waiter
            if let value = value.withLock({ $0 }) { return value }
        }
    }

    /// The value, or `nil` when it has not arrived in time.
    func wait(for limit: Duration) -> Value? {
        let milliseconds = Int(limit / .milliseconds(1))
        guard arrived.wait(timeout: .now() + .milliseconds(milliseconds)) == .success else { return nil }
        arrived.signal()
        return value.withLock { $0 }
    }
}
