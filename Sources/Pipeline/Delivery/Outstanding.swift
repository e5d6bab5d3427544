import Synchronization

/// Work that may take longer than its caller waits for it.
///
/// ``run(waitingAtMost:_:)`` returns when the work is done or the patience ends, whichever is first. The work continues in both cases, and
/// ``drain()`` waits for all of it.
package actor Outstanding {
    /// The number of batches that may be under way at once. Further callers wait. At this number whole providers hang, not a single host.
    package static let limit = 64

    private var running = 0
    private var idle: [CheckedContinuation<Void, Never>] = []
    private var line: [CheckedContinuation<Void, Never>] = []

    package init() {}

    /// The number of callers of ``run(waitingAtMost:_:)`` that wait for room.
    package var callersInLine: Int { line.count }

    package nonisolated func run(waitingAtMost patience: Duration, _ work: @escaping @Sendable () async -> Void) async {
        await begin()
        let finished = Latch()
        // The task outlives the patience of its caller. `drain()` awaits its end.
        Task {
            await work()
            await end()
            finished.open()
        }
        // The timer only ends the wait. It is cancelled if the work is done first.
        let timer = Task {
            try await Task.sleep(for: patience)
            finished.open()
        }
        await finished.wait()
        timer.cancel()
    }

    private func begin() async {
        while running >= Self.limit { await withCheckedContinuation { line.append($0) } }
        running += 1
    }

    private func end() {
        running -= 1
        if !line.isEmpty { line.removeFirst().resume() }
        guard running == 0 else { return }
        for continuation in idle { continuation.resume() }
        idle = []
    }

    package func drain() async {
        guard running > 0 else { return }
        await withCheckedContinuation { idle.append($0) }
    }
}

/// A latch that opens once. A caller that waits, before or after the opening, continues.
private final class Latch: Sendable {
    private enum State {
        case closed(CheckedContinuation<Void, Never>?)
        case open
    }

    private let state = Mutex(State.closed(nil))

    func open() {
        let waiting: CheckedContinuation<Void, Never>? = state.withLock { state in
            defer { state = .open }
            if case .closed(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume()
    }

    /// Waits until the latch is open. Only one caller may wait.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if case .open = state { return true }
                state = .closed(continuation)
                return false
            }
            if isOpen { continuation.resume() }
        }
    }
}
