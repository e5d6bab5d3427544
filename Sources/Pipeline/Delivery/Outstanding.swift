import TidingsWaiting

/// Work that may take longer than its caller waits for it.
///
/// ``run(waitingAtMost:_:)`` returns when the work is done or the patience ends, whichever is first. The work continues in both cases, and
/// ``drain()`` waits for all of it.
package struct Outstanding: Sendable {
    /// The number of batches that may be under way at once. Further callers wait. At this number whole providers hang, not a single host.
    package static let limit = 64

    private let slots = Slots(Self.limit)

    package init() {}

    /// The number of callers of ``run(waitingAtMost:_:)`` that wait for room.
    package var callersInLine: Int { slots.waiters }

    package func run(waitingAtMost patience: Duration, _ work: @escaping @Sendable () async -> Void) async {
        await slots.reserve()
        let finished = OneShot<Void>()
        // The task outlives the patience of its caller. `drain()` awaits its end.
        Task {
            await work()
            slots.giveBack()
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

    package func drain() async { await slots.allFree() }
}
