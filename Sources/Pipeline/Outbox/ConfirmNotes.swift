package import TidingsCore
package import TidingsStore

/// Notes which packs the broker confirmed, a moment later and many at once: by then most are claimed or settled, and need no note.
///
/// When the database takes no note, the packs are noted with the next ones. A pack that is never noted, because the process died or more than
/// ``limit`` wait, is published again after ``Store/confirmTimeoutSeconds``, which is harmless.
package actor ConfirmNotes {
    /// From the first confirm to its note. Far below the time after which somebody would publish the pack again.
    package static let delay = Duration.milliseconds(250)
    /// Packs that wait for their note, half a megabyte: the oldest beyond are left to a releaser.
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

    /// Writes what is not written yet, and returns when nothing is under way.
    package func write() async {
        // A note that is being written is not cut short.
        if !isWriting { timer?.cancel() }
        await timer?.value
        await writeOnce()
    }

    private func startTimer() {
        guard timer == nil, !confirmed.isEmpty else { return }
        timer = Task {
            // Time itself is what is waited for. Cancelled by `write()`, which then writes by itself.
            try? await Task.sleep(for: Self.delay)
            let isLeftToWrite = Task.isCancelled
            if !isLeftToWrite { await writeOnce() }
            timer = nil
            // Confirms that came while the others were written. After a failure the next confirm starts the timer.
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
            try await store.markConfirmed(packs)
            passing(.afterConfirm)
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

/// The fate of the notes on confirmed packs; told once for each outage of the database.
public enum ConfirmEvent: Sendable {
    /// Nothing can be noted; it is tried again with each note.
    case failing(any Error)
    /// So many packs were noted now. The dropped ones are published again by a releaser.
    case recovered(packs: Int, dropped: Int)
}
