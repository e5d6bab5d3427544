package import TidingsCore
package import TidingsStore

/// Records which packs the broker confirmed. It waits a moment and writes many at once, because most packs are claimed or settled by then
/// and need no record.
///
/// If the database takes no record, these packs are written with the next ones. A pack stays unrecorded if the process dies, or if more
/// than ``limit`` packs wait. It is then published again after ``Store/confirmTimeoutSeconds``, which is harmless.
package actor ConfirmNotes {
    /// The time from the first confirm to its record. It is far below the time after which a releaser publishes the pack again.
    package static let delay = Duration.milliseconds(250)
    /// The number of packs that wait for their record, half a megabyte. The oldest packs beyond it are left to a releaser.
    package static let limit = 30_000

    private let store: Store
    private let log: @Sendable (ConfirmEvent) -> Void
    private var confirmed: [PackID] = []
    private var dropped = 0
    private var isFailing = false
    private var isWriting = false
    private var timer: Task<Void, Never>?

    package init(store: Store, log: @escaping @Sendable (ConfirmEvent) -> Void) {
        self.store = store
        self.log = log
    }

    package func note(_ packs: [PackID]) {
        keep(confirmed + packs)
        startTimer()
    }

    /// Writes the waiting records, and returns when none is being written.
    package func write() async {
        // Do not cancel a record that is being written.
        if !isWriting { timer?.cancel() }
        await timer?.value
        await writeOnce()
    }

    private func startTimer() {
        guard timer == nil, !confirmed.isEmpty else { return }
        timer = Task {
            // Only time has to pass. `write()` cancels the sleep, and then writes by itself.
            try? await Task.sleep(for: Self.delay)
            let isLeftToWrite = Task.isCancelled
            if !isLeftToWrite { await writeOnce() }
            timer = nil
            // These confirms came while earlier ones were written. After a failure, the next confirm starts the timer.
            if !isLeftToWrite, !isFailing { startTimer() }
        }
    }

    private func writeOnce() async {
        let packs = confirmed
        guard !packs.isEmpty else { return }
        confirmed = []
        isWriting = true
        defer { isWriting = false }
        do {
            try await store.outbox.markConfirmed(packs)
            reach(.afterConfirm)
            guard isFailing else { return }
            log(.recovered(packs: packs.count, dropped: dropped))
            (isFailing, dropped) = (false, 0)
        } catch {
            keep(packs + confirmed)
            guard !isFailing else { return }
            isFailing = true
            log(.failing(error))
        }
    }

    private func keep(_ packs: [PackID]) {
        let excess = max(0, packs.count - Self.limit)
        dropped += excess
        confirmed = Array(packs.dropFirst(excess))
    }
}

/// The result of recording confirms. It is reported once for each outage of the database.
public enum ConfirmEvent: Sendable {
    /// Records cannot be written. Each later record tries again.
    case failing(any Error)
    /// This number of packs was recorded now. A releaser publishes the dropped ones again.
    case recovered(packs: Int, dropped: Int)
}
