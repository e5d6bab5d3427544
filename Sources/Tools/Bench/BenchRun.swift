import Histogram
import Synchronization
import TidingsAMQP
import TidingsClient
import TidingsCommands
import TidingsCore
import TidingsServer
import TidingsStore

/// One measurement: publishes, waits until everything has ended, and compares the producer's books with the database.
struct BenchRun {
    let system: BenchSystem
    let load: BenchLoad
    /// Intents a second; nil for as fast as the broker confirms.
    let rate: Int?
    /// The bulk intents that wait when the measurement begins; nil for none.
    let backlog: BenchLoad?
    /// True if everything is published before the roles start.
    let preload: Bool
    let processes: BenchSystem.Processes
    let timeout: Duration

    /// The pauses between two looks at the inboxes. The eager pause is for short waits.
    /// The lazy pause is for a full pipeline, where each query would take capacity from the measured work.
    private static let (eagerPause, lazyPause) = (Duration.milliseconds(1), Duration.milliseconds(20))
    /// At full speed, one intent in this many is looked for.
    private static let share = 100
    /// Notifications are looked for from this long before the run, because the database has a clock of its own.
    private static let clockSlack = Duration.seconds(60)

    func run() async throws -> BenchFigures {
        let producer = try Producer(system.settings.amqpOfCommand, connectionName: "tidings bench")
        let books = Books(
            since: system.store.clock.now().adding(.zero - Self.clockSlack),
            measured: BenchLedger(watching: rate == nil ? Self.share : 1) { load.recipient(of: $0) },
            beside: BenchLedger(watching: .max) { _ in "" }, before: try await system.store.operations.totals())
        if let backlog { try await publishFirst(backlog, with: producer, books.beside) }
        if preload { try await publishFirst(load, with: producer, books.measured) }
        let programs = try await system.startRoles(processes)
        do {
            let figures = try await measure(books, producer)
            await system.stop(programs)
            return figures
        } catch {
            await system.stop(programs)
            throw error
        }
    }

    /// Publishes the intents that must wait for the roles. Throws unless all are confirmed: the measurement would not be the requested one.
    private func publishFirst(_ load: BenchLoad, with producer: Producer, _ ledger: BenchLedger) async throws {
        await load.publishAll(with: producer, ledger: ledger)
        if let error = ledger.failure { throw Failure(error) }
        guard ledger.confirmed == load.intents else {
            throw Failure(.unavailable, "the broker confirmed \(ledger.confirmed) of \(load.intents) intents before the roles started")
        }
    }

    /// The books of the producer, and the totals before the run.
    private struct Books {
        let since: Timestamp
        let measured: BenchLedger
        let beside: BenchLedger
        let before: Totals
    }

    private func measure(_ books: Books, _ producer: Producer) async throws -> BenchFigures {
        let ledger = books.measured
        let roles = try await system.roleProcesses()
        for role in roles { ProcessUsage.forgetPeak(of: role.processID) }
        var figures = BenchFigures(intents: load.intents)
        let meter = BenchMeter(roles: roles.map(\.processID), servers: system.serverProcesses)
        let began = ContinuousClock.now
        let isOver = Atomic(false)
        async let trace = MemoryTrace.record(
            roles, on: system.store, since: books.before, confirmed: { ledger.confirmed + books.beside.confirmed },
            until: { isOver.load(ordering: .relaxed) })

        // All entries are visible when the totals are reached: one statement writes an inbox entry and ends its delivery.
        async let waits = VisibilityPoll(
            store: system.store, ledger: ledger, since: books.since, pause: rate == nil ? Self.lazyPause : Self.eagerPause, limit: timeout
        ).run { ledger.confirmed + ledger.unconfirmed.count == load.intents }
        if let rate, !preload {
            await load.publish(perSecond: rate, with: producer, ledger: ledger)
        } else if !preload {
            await load.publishAll(with: producer, ledger: ledger)
        }
        if let error = ledger.failure { throw Failure(error) }
        figures.publishSeconds = (ContinuousClock.now - began) / .seconds(1)
        await producer.close()
        figures.handled = ledger.confirmed + books.beside.confirmed
        figures.confirmed = ledger.confirmed
        let after = try await system.waitForTheEnd(of: figures.handled, since: books.before, within: timeout)
        figures.wallSeconds = (ContinuousClock.now - began) / .seconds(1)
        meter.finish(&figures)
        isOver.store(true, ordering: .relaxed)
        figures.trace = await trace
        figures.waits = try await waits
        figures.memory = roles.compactMap { role in ProcessUsage.memory(of: role.processID).map { (role.role, $0.peak, $0.now) } }
        figures.deliveries = after.ended - books.before.ended
        try await audit(load, ledger, books, &figures)
        if let backlog { try await audit(backlog, books.beside, books, &figures) }
        figures.unaccounted = try await system.store.operations.unaccounted().count
        return figures
    }

    private func audit(_ load: BenchLoad, _ ledger: BenchLedger, _ books: Books, _ figures: inout BenchFigures) async throws {
        let found = try await system.store.operations.measured(
            source: load.source, since: books.since, unconfirmed: ledger.unconfirmed.map { "\($0)" })
        figures.lost += max(0, ledger.confirmed - found.events)
        if let channels = load.channels { figures.unreached += max(0, ledger.confirmed * channels.count - found.reached) }
        figures.duplicated += found.notifications - found.events + found.possibleDuplicates
    }
}

/// Measures the processor time between two moments.
struct BenchMeter {
    private let roles: [Int32]
    private let servers: (broker: [Int32], database: [Int32])?
    private let start: (roles: Double, own: Double, broker: Double, database: Double)

    init(roles: [Int32], servers: (broker: [Int32], database: [Int32])?) {
        self.roles = roles
        self.servers = servers
        start = Self.read(roles, servers)
    }

    func finish(_ figures: inout BenchFigures) {
        let end = Self.read(roles, servers)
        figures.roleSeconds = end.roles - start.roles
        figures.producerSeconds = end.own - start.own
        guard servers != nil else { return }
        figures.brokerSeconds = end.broker - start.broker
        figures.databaseSeconds = end.database - start.database
    }

    private static func read(
        _ roles: [Int32], _ servers: (broker: [Int32], database: [Int32])?
    ) -> (roles: Double, own: Double, broker: Double, database: Double) {
        (
            ProcessUsage.processorSeconds(of: roles), ProcessUsage.ownProcessorSeconds,
            ProcessUsage.processorSeconds(of: servers?.broker ?? []), ProcessUsage.processorSeconds(of: servers?.database ?? [])
        )
    }
}
