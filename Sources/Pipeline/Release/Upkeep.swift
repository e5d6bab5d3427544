public import Logging
public import TidingsAMQP
import TidingsCatalogue
import TidingsContracts
import TidingsCore
public import TidingsMetrics
public import TidingsStore

/// The slow chores: making and dropping partitions, rolling up tallies, forgetting old keys, sampling the queues.
public struct Upkeep: Sendable {
    /// The time between two rounds of the quick chores.
    package static let interval = Duration.seconds(5)
    /// The number of quick rounds between two rounds of the slow chores.
    package static let roundsBetweenPartitions = 60
    /// The number of steps of moving idempotency keys in a round, at a twentieth of one processor. One releaser keeps up with 1,600 new
    /// keys a second.
    package static let keyMovesPerRound = 8

    /// The number of steps without a deletion after which a round leaves the other reservations to the next round.
    package static let idleReservationSteps = 4
    /// The number of packs taken back in one step, at most 5,000 deliveries.
    package static let strandedBatch = 100

    private let store: Store
    private let catalogues: CatalogueSource
    private let control: AMQPControl
    private let retention: Duration
    private let metrics: Metrics
    private let logger: Logger
    private let reminders = Reminders()

    /// - Parameter retention: the time for which notifications are kept after their day.
    public init(store: Store, catalogues: CatalogueSource, control: AMQPControl, retention: Duration, metrics: Metrics, logger: Logger) {
        self.store = store
        self.catalogues = catalogues
        self.control = control
        self.retention = retention
        self.metrics = metrics
        self.logger = logger
    }

    /// Runs until the task is cancelled.
    public func run() async {
        await withDiscardingTaskGroup { group in
            // Both loops end when the task is cancelled, and the group awaits both. A slow chore must hold up no report.
            group.addTask { await doChores() }
            group.addTask { await followReports() }
        }
    }

    private func doChores() async {
        var round = 0
        var reservation: NotificationID?
        while !Task.isCancelled {
            await doQuickChores()
            if round % Self.roundsBetweenPartitions == 0 { reservation = await doSlowChores(after: reservation) }
            round += 1
            // Only time has to pass. The stop cancels the sleep.
            try? await Task.sleep(for: Self.interval)
        }
    }

    private func doQuickChores() async {
        await chore("roll up tallies") { try await store.upkeep.rollUpTally() }
        await chore("roll up engagement") { try await store.engagement.rollUp() }
        await chore("sample the queues") { try await sampleQueues() }
        await chore("count what was refused") { try await countRefused() }
        await chore("look for missing packs") {
            let missing = try await store.due.forgetConfirmsOfMissing()
            if missing > 0 {
                logger.warning("packs are missing from the broker, publishing them again", metadata: ["packs": "\(missing)"])
            }
        }
        await chore("take back stranded packs") {
            while !Task.isCancelled {
                let taken = try await store.due.takeBackStranded(limit: Self.strandedBatch, catalogue: catalogues.current.catalogue)
                guard taken > 0 else { break }
                logger.warning(
                    "packs waited for a provider that nobody serves, routing them again", metadata: ["deliveries": "\(taken)"])
            }
        }
        await chore("move idempotency keys") {
            var steps = 0
            while steps < Self.keyMovesPerRound, try await store.upkeep.moveRecentKeys() { steps += 1 }
        }
    }

    /// - Parameter last: the reservation at which the slow chores before ended.
    /// - Returns: The reservation at which the next slow chores go on.
    private func doSlowChores(after last: NotificationID?) async -> NotificationID? {
        var reservation = last
        await chore("prune idempotency keys") { while try await store.upkeep.pruneIdempotency(retention: retention), !Task.isCancelled {} }
        await chore("prune reservations") { reservation = try await pruneReservations(after: reservation) }
        await chore("prune names of requests") { while try await store.reservations.pruneNames(), !Task.isCancelled {} }
        await chore("prune references of messages") {
            while try await store.reports.pruneMessageReferences(retention: retention), !Task.isCancelled {}
        }
        await chore("prune tombstones") { while try await store.erasures.prune(retention: retention), !Task.isCancelled {} }
        await chore("prune local notifications") { while try await store.localPlans.prune(), !Task.isCancelled {} }
        await chore("prune inboxes") { while try await store.inbox.prune(), !Task.isCancelled {} }
        await chore("prune engagement") { while try await store.engagement.prune(retention: retention), !Task.isCancelled {} }
        await chore("prune totals of engagement") { while try await store.engagement.pruneTotals(), !Task.isCancelled {} }
        for table in [RefusedTable.rejected, .dead] {
            await chore("prune \(table.rawValue) rows") {
                while try await store.upkeep.pruneRefused(table, retention: retention), !Task.isCancelled {}
            }
        }
        await chore("prune counters of rejected bytes") { try await store.upkeep.pruneRejectedDays(retention: retention) }
        await chore("fold totals of tenants of long ago") {
            while try await store.upkeep.foldTallyTotals(retention: retention), !Task.isCancelled {}
        }
        await chore("prune catalogues") { try await store.upkeep.pruneCatalogues(retention: retention) }
        await chore("forget processes of long ago") { try await store.upkeep.pruneWorkers(retention: retention) }
        await chore("prune pauses that are over") { try await store.pausing.prune(retention: retention) }
        await chore("tend the partitions") {
            let dropped = try await store.upkeep.tendPartitions(retention: retention)
            if !dropped.isEmpty { logger.notice("dropped days past retention", metadata: ["partitions": "\(dropped)"]) }
        }
        return reservation
    }

    /// Takes up the escalations again whose push has failed after all, and records the reports that came before their messages were known.
    private func followReports() async {
        while !Task.isCancelled {
            await chore("resume escalations") { while try await store.outbox.resumeEscalations() > 0, !Task.isCancelled {} }
            await chore("record early reports") {
                while !Task.isCancelled {
                    let ended = try await store.reports.recordEarly()
                    guard !ended.isEmpty else { break }
                    for (provider, result) in ended { metrics.callbacks(provider, result.rawValue).add() }
                }
            }
            // Only time has to pass. The stop cancels the sleep.
            try? await Task.sleep(for: Self.interval)
        }
    }

    /// Walks along the reservations and goes on where the round before ended, because some reservations stay for long.
    ///
    /// - Returns: The last reservation looked at. Nil if the next round begins with the oldest.
    private func pruneReservations(after last: NotificationID?) async throws -> NotificationID? {
        var (position, idleSteps) = (last, 0)
        while idleSteps < Self.idleReservationSteps, !Task.isCancelled {
            guard let step = try await store.reservations.prune(after: position, retention: retention) else { return nil }
            position = step.last
            idleSteps = step.deleted > 0 ? 0 : idleSteps + 1
        }
        return position
    }

    private func chore(_ what: String, _ work: () async throws -> Void) async {
        do {
            try await work()
            reminders.succeeded(what)
        } catch {
            logger.cannot(what, error, isDue: reminders.isDue(what))
        }
    }

    private func countRefused() async throws {
        let figures = try await store.upkeep.refusedFigures()
        metrics.rejectedOpen.set(figures.rejected)
        metrics.deadOpen.set(figures.dead)
        metrics.rejectedBytes.set(figures.keptBytes)
        metrics.rejectedWithoutBytes.set(figures.withoutBytes)
    }

    /// Also samples the queues of providers that left the catalogue, until the broker has them no more. Their messages would stay unseen.
    private func sampleQueues() async throws {
        let names = TopologySpec.spec(for: catalogues.current.catalogue).workQueues.map(\.name)
        for name in names { _ = try await sample(name) }
        for name in try await store.upkeep.sampledQueues(except: names) where try await !sample(name) {
            try await store.upkeep.forgetSample(of: name)
        }
    }

    /// Returns false if the broker has no such queue.
    private func sample(_ name: String) async throws -> Bool {
        guard let status = try await control.queueStatus(name) else { return false }
        try await store.upkeep.sampleQueue(name, ready: status.messages, consumers: status.consumers)
        return true
    }
}
