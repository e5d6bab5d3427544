import TidingsCore
import TidingsPostgres
import TidingsStore

/// The rows that a loop of a releaser takes in a turn: their number, and the rows that it passes over. Turns that fail decide both.
struct TurnRows {
    /// The step after a turn that failed.
    enum Step: Equatable {
        /// The next turn passes over the row, because a newer version wrote it.
        case passOver(UnwritableRow.Row)
        /// The row leaves the way of the others, for an operator. No version can move it. The next turn begins at once.
        case park(UnwritableRow.Row)
        /// The next turn takes half of the rows, at once. A turn with a single row finds the one that fails.
        case halve
        /// The next turn waits. Fewer rows would not help, or more rows of a newer version are due than a turn passes over.
        case wait
    }

    private var batch: BatchLimit
    private var strange: Set<UnwritableRow.Row> = []
    /// Bounds how often ``strange`` is forgotten. Each row that is still there then fails a turn again, and has a line of the log again.
    private var forgetting = Reminder()

    init(_ full: Int) { batch = BatchLimit(full) }

    /// The number of rows that the next turn takes.
    var limit: Int { batch.current }

    /// The deliveries that the next turn passes over.
    var strangeDeliveries: Set<DeliveryKey> {
        Set(strange.compactMap { row -> DeliveryKey? in if case .delivery(let key) = row { key } else { nil } })
    }

    /// The packs that the next turn passes over.
    var strangePacks: Set<PackID> {
        Set(strange.compactMap { row -> PackID? in if case .pack(let id) = row { id } else { nil } })
    }

    mutating func succeeded() { batch.succeeded() }

    mutating func failed(_ error: any Error, at now: ContinuousClock.Instant = .now) -> Step {
        switch error {
        case let error as UnwritableRow:
            guard error.isStrange else { return .park(error.row) }
            if strange.count < Releaser.strangeRows {
                strange.insert(error.row)
                return .passOver(error.row)
            }
            // A newer version moves its rows meanwhile. The rows that it has moved must not take the places of others for ever.
            if forgetting.isDue(at: now) { strange = [] }
            return .wait
        case let error as PostgresError where error.isAboutARow:
            // A single row would be named. So the fault is in a value that every turn reads, such as the end of a pause that an operator
            // wrote by SQL, in a year that this version cannot represent.
            guard batch.current > 1 else { return .wait }
            batch.failed()
            return .halve
        default: return .wait
        }
    }
}
