import Logging
import TidingsCore
import TidingsMetrics
import TidingsPostgres
import TidingsStore

/// Writes outcomes in batches: while one batch commits, the next collects. At low load an outcome is written at once, at high load hundreds
/// share a commit.
actor Settler {
    /// Outcomes in one statement.
    static let largestBatch = 500
    /// Commits under way at once.
    private static let commitsInWork = 2

    private let store: Store
    private let worker: String
    private let meters: DeliveryMeters
    private let logger: Logger
    private var collected: [(Settlement, CheckedContinuation<Void, Never>)] = []
    private var committing = 0

    init(store: Store, worker: String, meters: DeliveryMeters, logger: Logger) {
        self.store = store
        self.worker = worker
        self.meters = meters
        self.logger = logger
    }

    /// Returns when the outcome is committed. An outcome the database refuses for good is logged and left to the lease: it is then recorded as
    /// unknown.
    func settle(_ settlement: Settlement) async {
        await withCheckedContinuation { continuation in
            collected.append((settlement, continuation))
            commitNext()
        }
    }

    private func commitNext() {
        guard committing < Self.commitsInWork, !collected.isEmpty else { return }
        committing += 1
        // Lets the outcomes that are ready at this moment join; `settle` awaits the result.
        Task { await commit() }
    }

    private func commit() async {
        let batch = Array(collected.prefix(Self.largestBatch))
        collected.removeFirst(batch.count)
        await write(batch.map(\.0))
        for (_, continuation) in batch { continuation.resume() }
        committing -= 1
        commitNext()
    }

    private func write(_ settlements: [Settlement]) async {
        guard !settlements.isEmpty else { return }
        do {
            let began = ContinuousClock.now
            try await patiently("record outcomes", logger: logger) { try await store.settle(settlements, worker: worker) }
            record(settlements, took: ContinuousClock.now - began)
        } catch {
            if settlements.count > 1, error is PostgresError {
                await write(Array(settlements[..<(settlements.count / 2)]))
                await write(Array(settlements[(settlements.count / 2)...]))
            } else {
                for settlement in settlements {
                    logger.error("an outcome cannot be recorded", metadata: ["delivery": "\(settlement.entry.key)", "error": "\(error)"])
                }
            }
        }
    }

    private func record(_ settlements: [Settlement], took: Duration) {
        meters.count(settlements)
        meters.took(took, for: .settle)
        logger.debug(
            "recorded outcomes",
            metadata: [
                "deliveries": .stringConvertible(settlements.count), "firstPack": "\(settlements.first?.pack.description ?? "")",
                "lastPack": "\(settlements.last?.pack.description ?? "")", "milliseconds": .stringConvertible(Int(took / .milliseconds(1))),
            ])
    }
}
