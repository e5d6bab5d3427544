import Synchronization
import TidingsAMQP

/// Collects events and lets a test wait for one.
final class EventLog: Sendable {
    private struct State {
        var events: [AMQPEvent] = []
        var waiters: [(wanted: @Sendable (AMQPEvent) -> Bool, continuation: CheckedContinuation<AMQPEvent, Never>)] = []
    }

    private let state = Mutex(State())

    var events: [AMQPEvent] { state.withLock { $0.events } }

    @Sendable func record(_ event: AMQPEvent) {
        let ready = state.withLock { state in
            state.events.append(event)
            let ready = state.waiters.filter { $0.wanted(event) }
            state.waiters.removeAll { $0.wanted(event) }
            return ready
        }
        for waiter in ready { waiter.continuation.resume(returning: event) }
    }

    /// The first event for which `wanted` holds, at or after position `start`. Waits for the event if it has not happened yet.
    @discardableResult
    func first(after start: Int = 0, where wanted: @escaping @Sendable (AMQPEvent) -> Bool) async -> AMQPEvent {
        await withCheckedContinuation { continuation in
            let past = state.withLock { state in
                let past = state.events.dropFirst(start).first(where: wanted)
                if past == nil { state.waiters.append((wanted, continuation)) }
                return past
            }
            if let past { continuation.resume(returning: past) }
        }
    }
}
