import Dispatch
import Synchronization

/// A value that arrives once. Any number of threads may block until the value is there. Never wait for a latch on Swift's cooperative pool.
final class Latch<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let arrived = DispatchSemaphore(value: 0)

    /// Sets the value and wakes every waiting thread. Later calls are ignored.
    func set(_ new: Value) {
        let isFirst = value.withLock { value in
            guard value == nil else { return false }
            value = new
            return true
        }
        if isFirst { arrived.signal() }
    }

    /// Waits for the value and returns it.
    func wait() -> Value {
        while true {
            arrived.wait()
            arrived.signal()  // wakes the next waiting thread
            if let value = value.withLock({ $0 }) { return value }
        }
    }

    /// Waits for the value at most `limit`; returns `nil` if the value has not arrived by then.
    func wait(for limit: Duration) -> Value? {
        let milliseconds = Int(limit / .milliseconds(1))
        guard arrived.wait(timeout: .now() + .milliseconds(milliseconds)) == .success else { return nil }
        arrived.signal()
        return value.withLock { $0 }
    }
}
