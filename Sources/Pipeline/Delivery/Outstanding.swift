import TidingsWaiting

/// Work that may take longer than its caller waits for it.
///
/// ``run(waitingAtMost:_:)`` returns when the work is done or the patience ends, whichever is first. The work continues in both cases, and
/// ``drain()`` waits for all of it.
package actor Outstanding {
    /// The number of batches that may be under way at once. Further callers wait. At this number whole providers hang, not a single host.
    package static let limit = 64

    private var running = 0
    /// Set when no work is left. Nil while nobody waits for that.
    private var idle: OneShot<Void>?
    private var line: [CheckedContinuation<Void, Never>] = []

    package init() {}

    /// The number of callers of ``run(waitingAtMost:_:)`` that wait for room.
    package var callersInLine: Int { line.count }

    package nonisolated func run(waitingAtMost patience: Duration, _ work: @escaping @Sendable () async -> Void) async {
        await begin()
        let finished = OneShot<Void>()
        // The task outlives the patience of its caller. `drain()` awaits its end.
        Task {
            await work()
            await end()
            finished.set(())
        }
        // The timer only ends the wait. It is cancelled if the work is done first.
        let timer = Task {
            try await Task.sleep(for: patience)
            finished.set(())
        }
        await finished.value()
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
        idle?.set(())
        idle = nil
    }

    package func drain() async {
        guard running > 0 else { return }
        let idle = self.idle ?? OneShot()
        self.idle = idle
        await idle.value()
    }
}
