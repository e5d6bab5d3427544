import TidingsCore
import TidingsWire

/// Notes which packs the broker confirmed, a moment later and many at once: by then most are claimed or settled, and need no note.
///
/// What is not noted, because the process died or the database was away, is published again after ``Store/confirmTimeoutSeconds``, which is
/// harmless.
package actor ConfirmNotes {
    /// From the first confirm to its note. Far below the time after which somebody would publish the pack again.
    package static let delay = Duration.milliseconds(250)

    private let store: Store
    private var confirmed: [PackID] = []
    private var willWrite = false

    init(store: Store) {
        self.store = store
    }

    func note(_ packs: [PackID]) {
        confirmed += packs
        guard !willWrite, !confirmed.isEmpty else { return }
        willWrite = true
        Task {
            try? await Task.sleep(for: Self.delay)
            willWrite = false
            await write()
        }
    }

    /// Writes what is not written yet.
    func write() async {
        let packs = confirmed
        confirmed = []
        try? await store.markConfirmed(packs)
        passing(.afterConfirm)
    }
}
