public import Logging
public import TidingsCore
public import TidingsMetrics
import TidingsPostgres
public import TidingsStore
public import TidingsWire

/// Brings back what waits: due deliveries, packs the broker never confirmed, packs whose worker died, and events enqueued by SQL. Any number
/// of releasers may run; whatever one takes, the others pass over.
public struct Releaser: Sendable {
    /// Between two looks when nothing was due. The database's clock decides what is due; this bounds how late it is noticed.
    package static let interval = Duration.milliseconds(200)
    /// Deliveries taken out of `due` in one transaction, and as many again that were paused.
    package static let batch = 500
    /// Packs recovered, or published again, in one turn.
    package static let packBatch = 100
    /// Of the intents of either together, and one intent more: each is in memory four times until it is published.
    package static let maximumBytes = 4 << 20

    /// The store of a lane's work, or of what belongs to none.
    private let stores: @Sendable (Lane?) -> Store
    private let catalogues: CatalogueSource
    private let zones: TimeZoneDatabase
    private let publisher: PackPublisher
    private let balance: LaneBalance
    private let metrics: Metrics
    private let logger: Logger

    public init(
        stores: @escaping @Sendable (Lane?) -> Store, catalogues: CatalogueSource, zones: TimeZoneDatabase, publisher: PackPublisher,
        balance: LaneBalance, metrics: Metrics, logger: Logger
    ) {
        self.stores = stores
        self.catalogues = catalogues
        self.zones = zones
        self.publisher = publisher
        self.balance = balance
        self.metrics = metrics
        self.logger = logger
    }

    /// Runs until the task is cancelled. A lane each, so that a bulk backlog never delays an urgent delivery.
    public func run() async {
        await withDiscardingTaskGroup { group in
            // For as long as this process releases; each ends when the task is cancelled, and the group awaits all.
            for lane in Lane.allCases {
                group.addTask { await turns("release \(lane.rawValue)") { try await release(lane) } }
            }
            // As long, and awaited, like the lanes: what it recovers is of both.
            group.addTask { await turns("recover packs") { try await recover() } }
        }
    }

    /// Repeats `turn` until cancelled: at once while there was work, after ``interval`` when there was none.
    private func turns(_ what: String, _ turn: @Sendable () async throws -> Bool) async {
        while !Task.isCancelled {
            do {
                if try await turn() { continue }
            } catch is CancellationError {
                return
            } catch {
                logger.warning("cannot \(what), trying again", metadata: ["error": "\(error)"])
            }
            // Time itself is what is waited for. Cancelled at the stop.
            try? await Task.sleep(for: Self.interval)
        }
    }

    private func release(_ lane: Lane) async throws -> Bool {
        if lane == .bulk { await balance.yieldToUrgent() }
        let catalogue = catalogues.current.catalogue
        let began = ContinuousClock.now
        let result = try await stores(lane).release(
            lane, limit: Self.batch, bytes: Self.maximumBytes, catalogue: catalogue, zones: zones
        ) { planned, past, stored in
            reroute(
                planned, after: past, of: stored.intent, facts: stored.facts, catalogue: catalogue, pauses: stored.pauses, now: stored.now,
                acceptedAt: stored.acceptedAt)
        }
        if result.released > 0 { passing(.afterRelease) }
        if result.released > 0 {
            let duration = ContinuousClock.now - began
            record(result, of: lane, took: duration)
            if lane == .urgent { balance.urgent(took: duration) }
        }
        metrics.packsConfirmed.add(await publisher.publish(EncodedPacks(result.packs)))
        return result.isFull
    }

    private func record(_ result: ReleaseResult, of lane: Lane, took: Duration) {
        metrics.released[lane == .urgent ? .urgent : .bulk].add(result.released)
        metrics.packsPublished.add(result.packs.count)
        metrics.batchDuration[.release].observe(took)
        logger.debug(
            "released a batch",
            metadata: [
                "lane": "\(lane.rawValue)", "deliveries": .stringConvertible(result.released),
                "packs": .stringConvertible(result.packs.count), "firstPack": "\(result.packs.first?.id.description ?? "")",
                "lastPack": "\(result.packs.last?.id.description ?? "")", "milliseconds": .stringConvertible(Int(took / .milliseconds(1))),
            ])
    }

    private func recover() async throws -> Bool {
        let store = stores(nil)
        let recovered = try await store.recoverExpiredLeases(limit: Self.packBatch, catalogue: catalogues.current.catalogue)
        if recovered > 0 { passing(.afterRecover) }
        metrics.recovered.add(recovered)
        if recovered > 0 { logger.notice("recovered deliveries of a worker that stopped", metadata: ["deliveries": "\(recovered)"]) }
        let late = try await store.unconfirmedPacks(limit: Self.packBatch, bytes: Self.maximumBytes)
        if !late.isEmpty {
            logger.notice("publishing packs again that were not confirmed", metadata: ["packs": "\(late.count)"])
            metrics.packsRepublished.add(late.count)
            metrics.packsConfirmed.add(await publisher.publish(EncodedPacks(late)))
            await publisher.noteConfirms()
        }
        return recovered > 0
    }
}
