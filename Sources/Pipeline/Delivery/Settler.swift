import Logging
import TidingsContracts
import TidingsCore
import TidingsMetrics
import TidingsPostgres
import TidingsStore
import TidingsWaiting

/// Writes outcomes in batches. While one batch commits, the next one collects. At low load an outcome is written at once. At high load
/// hundreds of outcomes share a commit.
package struct Settler: Sendable {
    /// The number of outcomes after which a commit takes no further pack. A commit exceeds it by at most one pack.
    package static let largestBatch = 500
    /// The number of commits under way at once.
    package static let commitsInWork = 2

    private let desk: BatchDesk<PackSettlement, Void>
    private let writer: OutcomeWriter

    /// - Parameter commit: commits a batch. It may run again with the same batch.
    init(meters: DeliveryMeters, logger: Logger, commit: @escaping @Sendable ([PackSettlement]) async throws -> Void) {
        let writer = OutcomeWriter(meters: meters, logger: logger, commit: commit)
        self.writer = writer
        desk = BatchDesk(
            largestBatch: Self.largestBatch, batchesInWork: Self.commitsInWork, size: { $0.settlements.count }
        ) { packs in
            await writer.write(packs)
            return packs.map { _ in () }
        }
    }

    /// The packs that wait for the next commit.
    var waiting: Int { get async { await desk.waiting } }

    /// Returns when the outcomes are committed, however long the database is away. If the database will never take the values of an
    /// outcome, the outcome is logged and left to the lease. A releaser then records it as unknown.
    func settle(_ settlement: PackSettlement) async {
        do {
            try await desk.answer(to: settlement)
        } catch {
            // The desk refuses no pack, and the writer throws no error. Another error leaves the outcomes to the lease too.
            writer.leave(settlement.settlements, error)
        }
    }
}

/// Commits batches of outcomes. It divides a batch that the database refuses.
private struct OutcomeWriter: Sendable {
    let meters: DeliveryMeters
    let logger: Logger
    let commit: @Sendable ([PackSettlement]) async throws -> Void

    func write(_ packs: [PackSettlement]) async {
        guard !packs.isEmpty else { return }
        do {
            let began = ContinuousClock.now
            await mayHang(.settle)
            reach(.beforeSettle)
            try await retrying("record outcomes", logger: logger) { try await commit(packs) }
            reach(.afterSettle)
            record(packs, took: ContinuousClock.now - began)
        } catch {
            let halves = error is PostgresError ? Self.halves(of: packs) : []
            for half in halves { await write(half) }
            guard halves.isEmpty else { return }
            leave(packs.flatMap(\.settlements), error)
        }
    }

    /// Leaves outcomes to the lease.
    func leave(_ settlements: [Settlement], _ error: any Error) {
        for settlement in settlements {
            logger.error("an outcome cannot be recorded", metadata: ["delivery": "\(settlement.entry.key)", "error": "\(error)"])
        }
    }

    /// Returns two parts of a batch to find the outcome that the database refuses, or none if a single outcome is left. If a pack is cut,
    /// neither part is its last.
    private static func halves(of packs: [PackSettlement]) -> [[PackSettlement]] {
        if packs.count > 1 { return [Array(packs[..<(packs.count / 2)]), Array(packs[(packs.count / 2)...])] }
        guard let only = packs.first, only.settlements.count > 1 else { return [] }
        let middle = only.settlements.count / 2
        return [only.settlements[..<middle], only.settlements[middle...]].map {
            [PackSettlement(only.pack, Array($0), claimedAt: only.claimedAt, isLast: false)]
        }
    }

    private func record(_ packs: [PackSettlement], took: Duration) {
        for pack in packs { meters.count(pack.settlements) }
        meters.took(took, for: .settle)
        logger.debug(
            "recorded outcomes",
            metadata: [
                "deliveries": .stringConvertible(packs.reduce(0) { $0 + $1.settlements.count }),
                "firstPack": "\(packs.first?.pack.id.description ?? "")", "lastPack": "\(packs.last?.pack.id.description ?? "")",
                "milliseconds": .stringConvertible(Int(took / .milliseconds(1))),
            ])
    }
}
