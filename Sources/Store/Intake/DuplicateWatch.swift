import Synchronization

/// Whether the next batch must expect keys that others have claimed since yesterday.
///
/// Most batches bring none. Then the keys are simply inserted; to look for each of them first, and to insert in a way that can be taken back, costs
/// PostgreSQL 6 µs for an intent, a tenth of all it does. A key that is taken fails such a batch, which is then claimed with care, as are those that
/// follow.
package final class DuplicateWatch: Sendable {
    /// Batches without a duplicate after which none is expected. At the start of a process they are, for what its predecessor left unacknowledged
    /// comes again.
    package static let memory = 20

    private let careful = Mutex(memory)

    var areExpected: Bool { careful.withLock { $0 > 0 } }

    /// A batch was claimed.
    func saw(any duplicates: Bool) {
        careful.withLock { $0 = duplicates ? Self.memory : max(0, $0 - 1) }
    }
}
