public import Logging
public import TidingsAMQP
public import TidingsContracts
public import TidingsCore
public import TidingsStore

/// Receives packs from one delivery queue, a few messages at a time.
///
/// The message of a pack is acknowledged when its handler returns. By then the outcomes are committed, or the claim that stands for them.
public struct PackReceiver: Sendable {
    /// Packs the broker may hand over before they are settled: 10 of them are 500 deliveries.
    public static let prefetch = 40
    /// How a batch is cut. Packs are batches already, so a batch is never waited for long.
    public static let batch = BatchPolicy(maximumMessages: 10, maximumBytes: 1 << 20, maximumDelay: .milliseconds(5))
    /// Batches in work at once.
    public static let batchesInWork = 4

    private let store: Store
    private let consumer: AMQPConsumer
    private let lane: Lane
    private let balance: LaneBalance
    private let stop: StopFlag
    private let logger: Logger

    /// - Parameter stop: raised before `consumer` is stopped; packs that are not claimed yet then go back to their queue.
    public init(store: Store, consumer: AMQPConsumer, lane: Lane, balance: LaneBalance, stop: StopFlag = StopFlag(), logger: Logger) {
        self.stop = stop
        self.store = store
        self.consumer = consumer
        self.lane = lane
        self.balance = balance
        self.logger = logger
    }

    /// How much a provider with a rate is given at once: a second's worth in a batch, so that a batch ends within its lease, and twenty
    /// seconds' worth in the hands of this process, so that the rest is any other's.
    public static func pace(atRate perSecond: Double?) -> (prefetch: Int, batch: BatchPolicy) {
        guard let perSecond else { return (prefetch, batch) }
        func packs(in seconds: Double) -> Int { Int((perSecond * seconds / Double(Pack.maximumEntries)).rounded(.up)) }
        let messages = min(max(packs(in: 1), 1), batch.maximumMessages)
        return (
            min(max(packs(in: 20), 2 * messages), prefetch),
            BatchPolicy(maximumMessages: messages, maximumBytes: batch.maximumBytes, maximumDelay: batch.maximumDelay)
        )
    }

    /// Urgent work is served first where places at the provider are short.
    var isUrgent: Bool { lane == .urgent }

    /// Whether packs that are not claimed are to go back.
    var isStopping: Bool { stop.isRaised }

    /// Runs until the consumer is stopped, then finishes the batches in work.
    public func run(_ handle: @escaping @Sendable ([Pack]) async throws -> Void) async {
        let loop = BatchLoop(
            consumer: consumer, width: Self.batchesInWork, lane: lane, balance: balance, stop: stop, logger: logger)
        await loop.run { batch in
            let packs = try await decode(batch)
            if !packs.isEmpty { try await handle(packs) }
            passing(.beforeAck)
            await consumer.acknowledge(batch.tags)
            passing(.afterAck)
        }
    }

    /// Tells the balance of the lanes how long the claim of a batch took, or the work that a batch begins with instead.
    func began(after duration: Duration) {
        if lane == .urgent { balance.urgent(took: duration) }
    }

    /// The packs of a batch, each once. A publisher that never hears the confirm publishes a pack again. A claim keeps the second message from
    /// another worker. Nothing would keep it from this worker if both messages are in one batch.
    private func decode(_ batch: MessageBatch) async throws -> [Pack] {
        var packs: [Pack] = []
        var seen: Set<PackID> = []
        for message in batch.messages {
            if let pack = try await decode(message), seen.insert(pack.id).inserted { packs.append(pack) }
        }
        return packs
    }

    /// Nil for a message that is no pack: it is kept as a dead letter. The pack's row, if there is one, is noticed as missing from
    /// its queue, and published again from what is stored.
    private func decode(_ message: AMQPMessage) async throws -> Pack? {
        do {
            return try Pack.decode(message.body)
        } catch {
            logger.error("a message is no pack", metadata: ["queue": "\(message.queue)", "error": "\(error)"])
            _ = try await store.keepDead(
                DeadMessage(
                    queue: message.queue, reason: .undecodablePack, message: "\(error)", deaths: 1, exchange: message.exchange,
                    routingKey: message.routingKey, contentType: message.contentType, headers: "{}", body: message.body),
                state: "open")
            return nil
        }
    }
}
