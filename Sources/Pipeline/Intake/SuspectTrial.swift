public import Logging
public import TidingsAMQP
import TidingsContracts
import TidingsCore
public import TidingsStore

/// Tries the messages that were taken back too often, one by one. Most are innocent: they were prefetched by a process that died for another
/// reason. The row is marked before the trial, so the one that kills this process too is found marked, and after ``trials`` of them quarantined.
public struct SuspectTrial: Sendable {
    /// One at a time, or the guilty one would take innocents with it.
    public static let prefetch = 1
    /// Trials that never ended before a message counts as guilty. One is not enough: a machine may die in any of them.
    public static let trials = 3

    private let store: Store
    private let intake: Intake
    private let consumer: AMQPConsumer
    private let backlog: PublishBacklog
    private let logger: Logger

    public init(store: Store, intake: Intake, consumer: AMQPConsumer, backlog: PublishBacklog, logger: Logger) {
        self.store = store
        self.intake = intake
        self.consumer = consumer
        self.backlog = backlog
        self.logger = logger
    }

    /// Runs until the consumer is stopped.
    public func run() async throws {
        for await batch in consumer.batches {
            for message in batch.messages {
                do {
                    try await judge(message)
                    await consumer.acknowledge([message.tag])
                } catch {
                    logger.warning("a suspect goes back to its queue", metadata: ["error": "\(error)"])
                    // The suspect queue has no delivery limit: without a pause this would spin.
                    try? await Task.sleep(for: BatchLoop.pauseBeforeRequeue)
                    await consumer.reject([message.tag], requeue: true)
                }
            }
        }
    }

    private func judge(_ message: AMQPMessage) async throws {
        let queue = message.headers["x-first-death-queue"]?.text ?? message.routingKey
        let suspect = DeadMessage(
            queue: queue, reason: .poison, message: "taken back more than \(TopologySpec.deliveryLimit) times", deaths: 1,
            exchange: message.headers["x-first-death-exchange"]?.text ?? QueueNames.intentsExchange, routingKey: message.routingKey,
            contentType: message.contentType, headers: headersText(message.headers), body: message.body,
            producer: intake.producer(of: message))
        let kept = try await store.keepDead(suspect, state: "trying")
        if kept.earlierState == "quarantined" || kept.earlierState == "trying" && kept.deaths > Self.trials {
            _ = try await store.moveDead(kept.id, from: ["trying"], to: "quarantined")
            logger.error("a message that kills its worker is quarantined", metadata: ["dead": "\(kept.id)", "queue": "\(queue)"])
            return
        }
        if message.contentType == Pack.contentType {
            do {
                // Its row stands for it: a releaser publishes the pack again, complete, if nobody claimed it.
                try await store.forgetConfirm(of: Pack.decode(message.body).id)
            } catch let error as PackDecodingError {
                logger.error("a suspect is no pack", metadata: ["dead": "\(kept.id)", "queue": "\(queue)", "error": "\(error)"])
                return try await store.keepUndecodable(kept.id, because: "\(error)")
            }
        } else {
            await backlog.publish(try await intake.take([message], early: backlog.publish))
        }
        _ = try await store.moveDead(kept.id, from: ["trying"], to: "resolved")
    }
}
