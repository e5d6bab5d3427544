import Logging
import TidingsAMQP
import TidingsContracts
import TidingsCore
import TidingsModules
import TidingsPipeline
import TidingsStore

/// The router role: takes both intake lanes and their overflow, the messages that matched no intake queue, and the suspects.
struct RouterRole: Sendable {
    private let consumers: [AMQPConsumer]
    private let routers: [Router]
    private let suspects: SuspectTrial
    private let backlog: PublishBacklog

    init(_ runtime: Runtime) throws {
        let topics = Set(runtime.modules.topics(over: runtime.store).map { $0.name })
        func intake(_ lane: Lane?) -> Intake {
            Intake(
                store: runtime.store(of: lane), catalogues: runtime.catalogues, zones: runtime.zones, trusted: runtime.amqp.user,
                projections: runtime.modules.projections, topics: topics, signals: runtime.signals, metrics: runtime.metrics,
                logger: runtime.logger)
        }
        let backlog = PublishBacklog(publisher: runtime.packs, metrics: runtime.metrics, logger: runtime.logger)
        let queues = IntakeQueue.all
        let sources = try queues.map { queue in
            try runtime.consumer(
                of: queue.name, prefetch: queue.isOverflow ? Router.overflowPrefetch : Router.prefetch,
                batch: queue.isOverflow ? Router.overflowBatch : Router.batch)
        }
        let suspect = try runtime.consumer(
            of: QueueNames.suspectQueue, prefetch: SuspectTrial.prefetch, batch: BatchPolicy(maximumMessages: 1))
        self.backlog = backlog
        routers = zip(queues, sources).map { queue, source in
            Router(
                // Overflow takes no connection of urgent work.
                intake: intake(queue.isOverflow ? nil : queue.lane), consumer: source, backlog: backlog, lane: queue.lane,
                isOverflow: queue.isOverflow, balance: runtime.balance, watch: runtime.readiness.intake,
                progress: runtime.readiness.liveness.progress, logger: runtime.logger)
        }
        suspects = SuspectTrial(store: runtime.store, intake: intake(nil), consumer: suspect, backlog: backlog, logger: runtime.logger)
        consumers = sources + [suspect]
    }

    /// Runs until ``stop()``. Then the intake stops, batches in work are committed and published, and the function returns.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for consumer in consumers { group.addTask { try await consumer.run() } }
            for router in routers { group.addTask { await router.run() } }
            group.addTask { try await suspects.run() }
            try await group.waitForAll()
        }
        await backlog.drain()
        for consumer in consumers { await consumer.close() }
    }

    func stop() async {
        for consumer in consumers { await consumer.stop() }
    }
}

/// A queue from which a router takes intents.
private struct IntakeQueue {
    let name: String
    /// Nil for the messages that matched no intake queue.
    let lane: Lane?
    let isOverflow: Bool

    static var all: [IntakeQueue] {
        let lanes = Lane.allCases.map { IntakeQueue(name: QueueNames.intents($0), lane: $0, isOverflow: false) }
        let overflow = Lane.allCases.map { IntakeQueue(name: QueueNames.overflow($0), lane: $0, isOverflow: true) }
        return lanes + overflow + [IntakeQueue(name: QueueNames.rejectedQueue, lane: nil, isOverflow: false)]
    }
}
