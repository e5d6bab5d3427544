import Glibc
package import Logging
package import TidingsAMQP
import TidingsCatalogue
import TidingsContracts
import TidingsCore
package import TidingsMetrics
package import TidingsModules
package import TidingsPipeline
import TidingsPostgres
import TidingsProvider
package import TidingsStore
package import TidingsTimeZones

/// The parts that all roles of a process share: the store, the catalogue in force, the publisher of packs, and the log.
package struct Runtime: Sendable {
    package let settings: Settings
    package let amqp: AMQPConfiguration
    /// The store for bulk work, and for work that belongs to no lane.
    package let store: Store
    private let urgentStore: Store
    package let catalogues: CatalogueSource
    package let zones: TimeZoneDatabase
    let publisher: AMQPPublisher
    let packs: PackPublisher
    /// The signals to all processes that follow changes of inboxes.
    package let signals: InboxSignals
    let providers: ProviderRegistry
    package let modules: Modules
    package let logger: Logger
    package let metrics = Metrics(version: TidingsVersion.current)
    /// The balance between the lanes. Every role of this process reports its urgent work here, and its bulk work asks here before it goes
    /// on.
    let balance = LaneBalance()
    package let readiness = Readiness()
    let zoneWatch: ZoneWatch
    private let register: BrokerTimelineRegister
    private let timelines: TimelineGuard
    /// The address at which this process offers its metrics and health; nil if it offers none.
    package let metricsListen: ListenAddress?

    /// The most connections to PostgreSQL of one process. The first pool is for two batches that are routed, two of the overflow queues,
    /// and two that are settled. Two connections are left for all else: messages that matched no intake queue, suspects, and the chores.
    /// The second pool is for urgent work alone, so that urgent work never waits for bulk work to return a connection.
    static let (poolSize, urgentPoolSize) = (8, 4)

    /// The time for which a deleted queue stays deleted, so that all its consumers notice.
    ///
    /// RabbitMQ 3.10 tells a consumer of a quorum queue about the deletion when the consumer's channel hears of it.
    /// If the queue is back by then, RabbitMQ tells the consumer nothing.
    ///
    /// If the queue was declared within 30 ms of its end, two of three consumers were told nothing and never got a message again.
    /// After 50 ms, all consumers were told. A busy broker gets ten times that.
    static let deletionPause = Duration.milliseconds(500)

    /// Connects to the broker and the database, reads the catalogue and declares the broker's topology.
    /// The broker comes first: it says whether the database is an old primary.
    /// Throws a ``Failure`` with exit code 78 if there is no zone data.
    ///
    /// - Parameters:
    ///   - applicationName: the name of the sessions in PostgreSQL, unless the URL has one.
    ///   - keepsBuiltInCatalogue: false if the login may not add a catalogue. Processes that decide need their catalogue stored.
    package init(
        settings: Settings, providers: ProviderRegistry, modules: Modules, logger: Logger,
        applicationName: String = "tidings", keepsBuiltInCatalogue: Bool = true
    ) async throws {
        self.settings = settings
        amqp = try settings.amqp
        self.providers = providers
        self.modules = modules
        self.logger = logger
        metricsListen = try settings.metricsListen()
        var database = settings.database
        database.needsWritableSession = true
        database.applicationName = applicationName
        register = try BrokerTimelineRegister.make(
            configuration: amqp, log: Self.log("timelines", logger, metrics, readiness))
        timelines = TimelineGuard(register: register) { $0.log(to: logger) }
        database.admission = timelines
        store = Store(database, size: Self.poolSize, name: "tidings", log: readiness.record)
        urgentStore = Store(
            database, size: Self.urgentPoolSize, name: "tidings urgent", clock: store.clock, log: readiness.record)
        zones = try .required(in: settings.environment)
        zoneWatch = ZoneWatch(zones, readiness: readiness, logger: logger)
        try await Self.declare(Topology(.intake), with: amqp)
        let schema = try await store.open()
        try await store.requireTables(of: modules.schemaParts, onSchema: schema)
        catalogues = try await CatalogueSource(store, builtIn: modules.builtInCatalogue)
        if keepsBuiltInCatalogue { try await catalogues.keepBuiltIn() }
        publisher = try AMQPPublisher.make(
            configuration: amqp, connectionName: "tidings packs", log: Self.log(Readiness.packLink, logger, metrics, readiness))
        packs = PackPublisher(
            store: store, publisher: publisher, metrics: metrics, watch: readiness.packs, log: { logger.record($0) },
            refusals: { logger.record($0) })
        signals = try InboxSignals(
            configuration: amqp, metrics: metrics, log: Self.logSignals(Readiness.signalLink, logger, metrics, readiness))
        try await declareTopology()
    }

    /// Declares missing exchanges and queues. A user without the right to declare is enough if everything exists.
    ///
    /// - Parameter waitsForBusyBroker: as for ``TidingsAMQP/Topology/declare(on:waitsForBusyBroker:)``.
    func declareTopology(waitsForBusyBroker: Bool = true) async throws {
        let topology = Topology(of: catalogues.current.catalogue)
        try await Self.declare(topology, with: amqp, waitsForBusyBroker: waitsForBusyBroker)
    }

    private func declare(_ topology: Topology) async throws { try await Self.declare(topology, with: amqp) }

    private static func declare(_ topology: Topology, with amqp: AMQPConfiguration, waitsForBusyBroker: Bool = true) async throws {
        let control = try AMQPControl.make(configuration: amqp, connectionName: "tidings topology")
        do {
            try await topology.declareOrFind(on: control, waitsForBusyBroker: waitsForBusyBroker)
            await control.close()
        } catch {
            await control.close()
            throw error
        }
    }

    /// The store whose connections a lane's work uses.
    func store(of lane: Lane?) -> Store { lane == .urgent ? urgentStore : store }

    func consumer(of queue: String, prefetch: Int, batch: BatchPolicy) throws -> AMQPConsumer {
        readiness.need(link: queue)
        return try AMQPConsumer.make(
            configuration: amqp, connectionName: "tidings \(queue)", queues: [queue], prefetch: prefetch, batch: batch,
            onQueueLost: { queue in await restore(queue) }, log: Self.log(queue, logger, metrics, readiness))
    }

    /// Declares a deleted queue again, and has the packs that it held published again.
    /// Declares no other queue: an operator who deletes one queue may be deleting the next.
    private func restore(_ queue: String) async {
        logger.error("a queue is gone, declaring it again", metadata: ["queue": "\(queue)"])
        // Time itself is awaited. Cancelled when the role ends.
        try? await Task.sleep(for: Self.deletionPause)
        do {
            try await restored(queue)
            for provider in catalogues.current.catalogue.providers.values {
                for lane in Lane.allCases where QueueNames.deliver(channel: provider.channel, provider: provider.name, lane: lane) == queue
                {
                    try await store.due.forgetConfirms(channel: provider.channel, provider: provider.name, lane: lane)
                }
            }
        } catch {
            logger.error("cannot declare the queue yet", metadata: ["queue": "\(queue)", "error": "\(error)"])
        }
    }

    private func restored(_ queue: String) async throws {
        let topology = Topology(of: catalogues.current.catalogue)
        do {
            try await declare(topology.only(queue: queue))
        } catch AMQPError.channelClosed(code: 404, _) {
            // The exchange of its binding is gone as well.
            try await declare(topology)
        }
    }

    /// A publisher of intents. It is not the one of packs: a burst of packs must not make callers of the API wait.
    package func intentPublisher() throws -> AMQPPublisher {
        try AMQPPublisher.make(
            configuration: amqp, connectionName: "tidings intents", log: Self.log(Readiness.intentLink, logger, metrics, readiness))
    }

    /// The readers of callbacks of the active catalogue's providers.
    package func callbackReaders() -> CallbackReaders {
        CallbackReaders(providers, catalogues: catalogues, environment: settings.environment, logger: logger)
    }

    /// The readers of device tokens of the providers that are part of this binary.
    package var deviceTokens: DeviceTokens { DeviceTokens(providers, store: store, environment: settings.environment) }

    func timelineWatch(of worker: String) -> TimelineWatch {
        TimelineWatch(store: store, timelines: timelines, readiness: readiness, worker: worker, logger: logger)
    }

    /// A feed of the signals of all processes, also of this one.
    package func signalFeed() throws -> SignalFeed {
        try SignalFeed(
            configuration: amqp, metrics: metrics, logger: logger, log: Self.logSignals("signal feed", logger, metrics, readiness))
    }

    func close() async {
        await signals.close()
        await packs.close()
        await publisher.close()
        await urgentStore.close()
        await store.close()
        await register.close()
    }

    private static func log(
        _ what: String, _ logger: Logger, _ metrics: Metrics, _ readiness: Readiness
    ) -> @Sendable (AMQPEvent) -> Void {
        { event in
            if readiness.record(event, of: what) { metrics.record(event, of: what) }
            switch event {
            case .connected(let generation) where generation > 1: logger.notice("connected again", metadata: ["link": "\(what)"])
            case .disconnected(let error, _): logger.warning("disconnected", metadata: ["link": "\(what)", "error": "\(error)"])
            case .leftNode(let node, let error): logger.leftNode(node, error)
            case .moving(let old, let new): logger.moving(what, from: old, to: new)
            case .blocked(let reason): logger.warning("the broker blocks publishing", metadata: ["link": "\(what)", "reason": "\(reason)"])
            case .unblocked: logger.notice("the broker accepts again", metadata: ["link": "\(what)"])
            case .confirmTimedOut(let count):
                logger.warning("no confirm in time, publishing again", metadata: ["link": "\(what)", "messages": "\(count)"])
            case .queueLost(let queue, let error):
                logger.error("a queue was lost", metadata: ["queue": "\(queue)", "error": "\(error)"])
            case .connected, .consuming, .republishing, .stopped: break
            }
        }
    }
}
