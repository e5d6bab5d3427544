import Synchronization

/// Work that may outlast the patience of whoever started it.
///
/// ``run(waitingAtMost:_:)`` returns when the work is done or patience ends, whichever is first; the work goes on either way, and
/// ``drain()`` waits for all of it.
package actor Outstanding {
    /// Batches that may be out beyond patience at once. More of them wait: then providers hang, not one host.
    package static let limit = 64

    private var running = 0
    private var idle: [CheckedContinuation<Void, Never>] = []
    private var line: [CheckedContinuation<Void, Never>] = []

    package init() {}

    /// Callers of ``run(waitingAtMost:_:)`` that wait for room.
    package var callersInLine: Int { line.count }

    package nonisolated func run(waitingAtMost patience: Duration, _ work: @escaping @Sendable () async -> Void) async {
        await begin()
        let finished = Latch()
        // Outlives the patience of its caller; `drain()` awaits it.
        Task {
            await work()
            await end()
            finished.open()
        }
        // Ends the wait and nothing else; cancelled when the work is done first.
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

/// Opens once; whoever waits, before or after, goes through.
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

    /// One caller only.
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
