public import Logging
public import TidingsAMQP
import TidingsContracts
import TidingsCore
public import TidingsStore

/// Tries the messages that the broker set aside, one by one. Nearly all were redelivered too often. Most of them are harmless: a process that
/// died for another reason had prefetched them. The row is marked before the trial. A message that kills this process too is then found
/// marked, and after ``trials`` of them it is quarantined.
public struct SuspectTrial: Sendable {
    /// One message at a time. Otherwise a harmful message would take harmless ones with it.
    public static let prefetch = 1
    /// The number of trials without an end after which a message counts as harmful. One trial is not enough, because a machine may die in
    /// any of them.
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
                    // The suspect queue has no delivery limit. Without a pause this would spin.
                    try? await Task.sleep(for: BatchLoop.pauseBeforeRequeue)
                    await consumer.reject([message.tag], requeue: true)
                }
            }
        }
    }

    /// The cause for which the broker set a message aside, by its word for it (RabbitMQ, "Dead Letter Exchanges"). A message without the
    /// word was published to the queue of suspects.
    static func cause(_ word: String?) -> (ReasonCode, String) {
        switch word {
        case "expired": (.evicted, "expired in its queue: the property expiration or a message-ttl passed")
        case "maxlen": (.evicted, "its queue was full: a max-length is reached")
        case "rejected": (.evicted, "a consumer rejected it")
        case nil: (.poison, "published to the queue of suspects")
        default: (.poison, "taken back more than \(TopologySpec.deliveryLimit) times")
        }
    }

    private func judge(_ message: AMQPMessage) async throws {
        let queue = message.headers["x-first-death-queue"]?.text ?? message.routingKey
        let (reason, words) = Self.cause(message.headers["x-first-death-reason"]?.text)
        let suspect = DeadMessage(
            queue: queue, reason: reason, message: words, deaths: 1, exchange: message.originalExchange, routingKey: message.routingKey,
            contentType: message.contentType, headers: headersText(message.headers), replayHeaders: intake.replayHeaders(of: message),
            attributes: message.headerAttributes, body: message.body, producer: intake.producer(of: message))
        let kept = try await store.refused.keepDead(suspect, state: "trying")
        if kept.earlierState == "quarantined" || kept.earlierState == "trying" && kept.deaths > Self.trials {
            _ = try await store.refused.moveDead(kept.id, from: ["trying"], to: "quarantined")
            logger.error("a message that kills its worker is quarantined", metadata: ["dead": "\(kept.id)", "queue": "\(queue)"])
            return
        }
        if message.contentType == Pack.contentType {
            do {
                // The pack's row replaces the message. A releaser publishes the complete pack again, unless a worker has claimed it.
                try await store.due.forgetConfirm(of: Pack.decode(message.body).id)
            } catch let error as PackDecodingError {
                logger.error("a suspect is no pack", metadata: ["dead": "\(kept.id)", "queue": "\(queue)", "error": "\(error)"])
                try await store.refused.keepUndecodable(kept.id, because: "\(error)")
                return try await store.erasures.forgetErased(inDead: kept.id)
            }
        } else {
            await backlog.publish(try await intake.receive([message], early: backlog.publish))
        }
        // Only now: reading the message may be what kills the process.
        try await store.erasures.forgetErased(inDead: kept.id)
        _ = try await store.refused.moveDead(kept.id, from: ["trying"], to: "resolved")
    }
}
