public import Logging
public import TidingsAMQP
public import TidingsContracts
public import TidingsCore
public import TidingsStore

/// Receives packs from one delivery queue, a few messages at a time.
///
/// The message of a pack is acknowledged when its handler returns. By then the outcomes are committed, or the claim with its lease.
public struct PackReceiver: Sendable {
    /// The number of packs that the broker may hand over before they are settled. 10 of them are 500 deliveries.
    public static let prefetch = 40
    /// The bounds of a batch. A pack is a batch already, so a batch waits only 5 ms for more packs.
    public static let batch = BatchPolicy(maximumMessages: 10, maximumBytes: 1 << 20, maximumDelay: .milliseconds(5))
    /// The number of batches in work at once.
    public static let batchesInWork = 4

    private let queue: any BatchQueue
    private let lane: Lane
    private let balance: LaneBalance
    private let stop: StopFlag
    /// Watches whether batches, and the packs of a worker, go on.
    let progress: ProgressWatch
    private let logger: Logger
    private let hear: (@Sendable (String) async -> Void)?
    private let keep: @Sendable (DeadMessage) async throws -> Void

    /// - Parameters:
    ///   - stop: raised before `consumer` is stopped. Packs that are not claimed by then are requeued.
    ///   - progress: watches whether packs go on.
    public init(
        store: Store, consumer: AMQPConsumer, lane: Lane, balance: LaneBalance, stop: StopFlag = StopFlag(),
        progress: ProgressWatch = ProgressWatch(), logger: Logger
    ) {
        var hear: (@Sendable (String) async -> Void)?
        if let timelines = store.timelines { hear = { await timelines.heard($0) } }
        self.init(
            queue: consumer, lane: lane, balance: balance, stop: stop, progress: progress, logger: logger, hear: hear
        ) { message in
            let kept = try await store.refused.keepDead(message, state: "open")
            try await store.erasures.forgetErased(inDead: kept.id)
        }
    }

    /// - Parameters:
    ///   - hear: learns the timeline of a publisher. Nil if every server is taken.
    ///   - keep: commits a message that is no pack, for an operator.
    init(
        queue: any BatchQueue, lane: Lane, balance: LaneBalance, stop: StopFlag, progress: ProgressWatch, logger: Logger,
        hear: (@Sendable (String) async -> Void)?, keep: @escaping @Sendable (DeadMessage) async throws -> Void
    ) {
        self.queue = queue
        self.lane = lane
        self.balance = balance
        self.stop = stop
        self.progress = progress
        self.logger = logger
        self.hear = hear
        self.keep = keep
    }

    /// Returns the prefetch and the batch bounds for a provider with a rate. A batch holds one second of the rate, so that it ends within
    /// its lease. This process holds 20 seconds of the rate, so that other processes get the rest.
    public static func pace(atRate perSecond: Double?) -> (prefetch: Int, batch: BatchPolicy) {
        guard let perSecond else { return (prefetch, batch) }
        func packs(in seconds: Double) -> Int { Int((perSecond * seconds / Double(Pack.maximumEntries)).rounded(.up)) }
        let messages = min(max(packs(in: 1), 1), batch.maximumMessages)
        return (
            min(max(packs(in: 20), 2 * messages), prefetch),
            BatchPolicy(maximumMessages: messages, maximumBytes: batch.maximumBytes, maximumDelay: batch.maximumDelay)
        )
    }

    /// Whether urgent packs are served first if the provider has few places.
    var isUrgent: Bool { lane == .urgent }

    /// Whether unclaimed packs must be requeued.
    var isStopping: Bool { stop.isRaised }

    /// Runs until the consumer is stopped, then finishes the batches in work.
    public func run(_ handle: @escaping @Sendable ([Pack]) async throws -> Void) async {
        let loop = BatchLoop(
            queue: queue, width: Self.batchesInWork, lane: lane, balance: balance, stop: stop, progress: progress, logger: logger)
        await loop.run { batch in
            await hearTimelines(of: batch)
            let packs = try await decode(batch)
            if !packs.isEmpty { try await handle(packs) }
            reach(.beforeAck)
            await queue.acknowledge(batch.tags)
            reach(.afterAck)
        }
    }

    /// Looks at the timelines of the publishers. A pack of a later timeline has no row at an old primary, and its message must not end there.
    private func hearTimelines(of batch: MessageBatch) async {
        guard let hear else { return }
        for message in batch.messages {
            if case .string(let timeline)? = message.headers[QueueNames.timelineHeader] { await hear(timeline) }
        }
    }

    /// Tells the lane balance how long the claim of a batch took, or the first work of the batch if it has no claim.
    func began(after duration: Duration) {
        if lane == .urgent { balance.urgent(took: duration) }
    }

    /// Returns the packs of a batch, each once. A publisher that never gets the confirm publishes a pack again. A claim keeps the second
    /// message from another worker. It cannot keep the second message from this worker if both are in one batch.
    private func decode(_ batch: MessageBatch) async throws -> [Pack] {
        var packs: [Pack] = []
        var seen: Set<PackID> = []
        for message in batch.messages {
            if let pack = try await decode(message), seen.insert(pack.id).inserted { packs.append(pack) }
        }
        return packs
    }

    /// Nil for a message that is no pack. The message is kept as a dead letter. If the pack has a row, the upkeep finds it missing from its
    /// queue, and a releaser publishes it again from the stored data.
    private func decode(_ message: AMQPMessage) async throws -> Pack? {
        do {
            return try Pack.decode(message.body)
        } catch {
            logger.error("a message is no pack", metadata: ["queue": "\(message.queue)", "error": "\(error)"])
            try await keep(
                DeadMessage(
                    queue: message.queue, reason: .undecodablePack, message: "\(error)", deaths: 1, exchange: message.exchange,
                    routingKey: message.routingKey, contentType: message.contentType, headers: headersText(message.headers),
                    replayHeaders: ReplayHeaders.text(of: message, withIDs: false), attributes: message.headerAttributes,
                    body: message.body))
            return nil
        }
    }
}
