public import Logging
import TidingsCatalogue
import TidingsContracts
public import TidingsCore
public import TidingsMetrics
public import TidingsStore
public import TidingsTimeZones

/// Moves on the work that waits: due deliveries, packs that the broker never confirmed, and packs whose worker died. ``Relay`` publishes the
/// events enqueued by SQL.
///
/// Any number of releasers may run. Each skips the due deliveries and the packs of dead workers that another one has taken. Two may publish
/// the same unconfirmed pack, of which one message is claimed.
public struct Releaser: Sendable {
    /// The pause after a turn without due deliveries. The database's clock decides when a delivery is due, and this pause bounds the delay
    /// of noticing it.
    package static let interval = Duration.milliseconds(200)
    /// The number of deliveries taken out of `due` in one transaction, and as many again that were paused.
    package static let batch = 500
    /// The number of packs published again in one turn.
    package static let packBatch = 100
    /// The number of packs recovered in one turn, at most 1,000 deliveries. A turn must stay below ``Steadiness/longestTurn`` also on a busy
    /// machine. Otherwise its own work would count as a break of the database.
    package static let recoveryBatch = 20
    /// The bytes of the intents of one turn. One more intent may exceed it. Each is in memory four times until it is published.
    package static let maximumBytes = 4 << 20

    /// The store for a lane's work, or for work of no lane.
    private let stores: @Sendable (Lane?) -> Store
    private let catalogues: CatalogueSource
    private let zones: TimeZoneDatabase
    private let publisher: PackPublisher
    private let balance: LaneBalance
    private let turns: TurnLoop
    private let metrics: Metrics
    private let logger: Logger

    /// - Parameter progress: watches whether turns go on.
    public init(
        stores: @escaping @Sendable (Lane?) -> Store, catalogues: CatalogueSource, zones: TimeZoneDatabase, publisher: PackPublisher,
        balance: LaneBalance, progress: ProgressWatch = ProgressWatch(), metrics: Metrics, logger: Logger
    ) {
        self.stores = stores
        self.catalogues = catalogues
        self.zones = zones
        self.publisher = publisher
        self.balance = balance
        turns = TurnLoop(interval: Self.interval, progress: progress, logger: logger)
        self.metrics = metrics
        self.logger = logger
    }

    /// Runs until the task is cancelled. Each lane has its own loop, so that a bulk backlog never delays an urgent delivery.
    public func run() async {
        await withDiscardingTaskGroup { group in
            // The loops run as long as this process releases. Each ends when the task is cancelled, and the group awaits all.
            for lane in Lane.allCases { group.addTask { await releaseTurns(lane) } }
            // Recovery runs just as long and is awaited too, because its work belongs to both lanes.
            group.addTask { await recoverTurns() }
            // A loop of its own, awaited too: publishing waits for the broker, and recovery must not lose sight of the database meanwhile.
            group.addTask { await republishTurns() }
        }
    }

    private func releaseTurns(_ lane: Lane) async {
        var rows = TurnRows(Self.batch)
        await turns.run("release \(lane.rawValue)") {
            do {
                let wasCut = rows.limit < Self.batch
                let isFull = try await release(lane, limit: rows.limit, passingOver: rows.strangeDeliveries)
                rows.succeeded()
                return isFull || wasCut
            } catch {
                try await follow(rows.failed(error), after: error)
                return true
            }
        }
    }

    private func recoverTurns() async {
        var steadiness = Steadiness()
        var rows = TurnRows(Self.recoveryBatch)
        await turns.run("recover packs") {
            do {
                let isFull = try await recover(limit: rows.limit, passingOver: rows.strangePacks, &steadiness)
                rows.succeeded()
                return isFull
            } catch {
                do {
                    try await follow(rows.failed(error), after: error)
                } catch {
                    // Either the error of the turn, or that of parking a row.
                    steadiness.failed(error)
                    throw error
                }
                return true
            }
        }
    }

    /// The number of rows of a newer version that a loop passes over, because it names each of them in its query. At a further row the loop
    /// waits, and a releaser of the newer version moves the rows. No such row is parked: the newer version would never see it again.
    package static let strangeRows = 1_000

    /// Takes the step after a turn that failed. Throws the error if the next turn has to wait.
    private func follow(_ step: TurnRows.Step, after error: any Error) async throws {
        switch step {
        case .passOver(let row):
            logger.error("a \(row.noun) is not readable for this version, leaving it to a newer one", metadata: ["row": "\(error)"])
        case .park(let row):
            if try await park(row) { logger.error("a \(row.noun) cannot be moved on, it is parked", metadata: ["row": "\(error)"]) }
        case .halve: logger.error("a batch of a releaser cannot be written, trying half of it", metadata: ["error": "\(error)"])
        case .wait: throw error
        }
    }

    private func park(_ row: UnwritableRow.Row) async throws -> Bool {
        switch row {
        case .delivery(let key): try await stores(nil).due.park(key)
        case .pack(let id): try await stores(nil).due.divideOrPark(id)
        }
    }

    private func release(_ lane: Lane, limit: Int, passingOver strange: Set<DeliveryKey>) async throws -> Bool {
        if lane == .bulk { await balance.yieldToUrgent() }
        await mayHang(.release)
        let catalogue = catalogues.current.catalogue
        let began = ContinuousClock.now
        let result = try await stores(lane).due.release { release in
            let due = try await release.take(
                lane, limit: limit, bytes: Self.maximumBytes, catalogue: catalogue, zones: zones, passingOver: strange)
            let judgements = due.all.map { delivery in
                reroute(
                    delivery.planned, after: delivery.past(at: due.now), of: delivery.intent, facts: delivery.facts, catalogue: catalogue,
                    pauses: due.pauses, now: delivery.moment(at: due.now), acceptedAt: delivery.acceptedAt)
            }
            if !judgements.isEmpty { reach(.beforeRelease) }
            return try await release.write(judgements, of: due, catalogue: catalogue)
        }
        if result.released > 0 { reach(.afterRelease) }
        if result.released > 0 {
            let duration = ContinuousClock.now - began
            record(result, of: lane, took: duration)
            if lane == .urgent { balance.urgent(took: duration) }
        }
        await publisher.publish(EncodedPacks(result.packs))
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

    private func recover(limit: Int, passingOver strange: Set<PackID>, _ steadiness: inout Steadiness) async throws -> Bool {
        let store = stores(nil)
        let began = ContinuousClock.now
        var recovered = 0
        if steadiness.isEnough(at: store.clock.now()) {
            let catalogue = catalogues.current.catalogue
            recovered = try await store.due.recover { recovery in
                let abandoned = try await recovery.take(limit: limit, passingOver: strange, before: began + Steadiness.longestTurn)
                let steps = abandoned.all.map { delivery in
                    nextStep(
                        after: .unknown(.workerDied), attempt: delivery.attempt, policy: catalogue.policy(for: delivery.category),
                        now: abandoned.now, expiresAt: delivery.expiresAt, random: store.clock.randomFraction())
                }
                if !steps.isEmpty { reach(.beforeRecover) }
                return try await recovery.write(steps, of: abandoned)
            }
        } else {
            _ = try await store.due.hasExpiredLease()
        }
        if recovered > 0 { reach(.afterRecover) }
        metrics.recovered.add(recovered)
        if recovered > 0 { logger.notice("recovered deliveries of a worker that stopped", metadata: ["deliveries": "\(recovered)"]) }
        if ContinuousClock.now - began > Steadiness.longestTurn { steadiness.interrupted() }
        steadiness.answered(at: store.clock.now())
        return recovered > 0
    }

    private func republishTurns() async {
        await turns.run("publish packs again") {
            let late = try await stores(nil).due.unconfirmedPacks(limit: Self.packBatch, bytes: Self.maximumBytes)
            guard !late.isEmpty else { return false }
            logger.notice("publishing packs again that were not confirmed", metadata: ["packs": "\(late.count)"])
            metrics.packsRepublished.add(late.count)
            await publisher.publish(EncodedPacks(late))
            await publisher.noteConfirms()
            return false
        }
    }
}

extension UnwritableRow.Row {
    fileprivate var noun: String {
        switch self {
        case .delivery: "delivery"
        case .pack: "pack"
        }
    }
}
