public import Logging
public import TidingsAMQP
public import TidingsCore
import TidingsStore

/// Routes the intents of one lane: reads them from the broker, decides about each, and commits the result. The steps are: decode, facts,
/// decide, one transaction, acknowledge, publish the packs.
///
/// A message is acknowledged only when everything that follows from it is committed. A crash at any point loses nothing. The broker
/// redelivers messages that were not acknowledged, and their intents are recognised. A releaser publishes packs that were committed but not
/// published.
public struct Router: Sendable {
    /// The number of messages that the broker may hand over before they are settled: two batches in work, and one being collected.
    public static let prefetch = 1_500
    /// The bounds of a batch. It ends when it is full or after a delay, whichever comes first. A delay of 4 ms instead of 10 ms makes a
    /// single intent faster. It makes the slowest of a hundred slower at 1,000 a second, because smaller transactions take a third more of
    /// the processors. A batch of large bodies holds fewer messages, because each of its bytes is in memory several times until its commit.
    public static let batch = BatchPolicy(maximumMessages: 500, maximumBytes: 1 << 20, maximumDelay: .milliseconds(10))
    /// The number of batches in work at once. While one batch waits for its commit, the next is decoded. More batches only make
    /// transactions wait for each other.
    public static let batchesInWork = 2
    /// The bounds of a batch of an overflow queue. The bytes are those of 500 messages for one person each, or of 17 for a thousand people
    /// each.
    public static let overflowBatch = BatchPolicy(maximumMessages: 500, maximumBytes: 512 << 10, maximumDelay: .milliseconds(10))
    /// The number of messages of an overflow queue that the broker may hand over before they are settled: a full batch of small events. Of
    /// events for a thousand people each, this is half a million notifications, and no other router can take them.
    public static let overflowPrefetch = 500
    /// The number of batches in work at once of each overflow queue. Such a batch competes with urgent batches for processors and the disk,
    /// and with all bulk work for connections to the database. One of them is enough.
    public static let overflowInWork = 1

    private let intake: Intake
    private let consumer: AMQPConsumer
    private let backlog: PublishBacklog
    private let lane: Lane?
    private let isOverflow: Bool
    private let balance: LaneBalance
    private let watch: WorkWatch
    private let progress: ProgressWatch
    private let logger: Logger

    /// - Parameters:
    ///   - lane: the lane of the intents. Nil for intents that matched no intake queue. They yield to urgent work, whatever their lane is.
    ///   - isOverflow: whether the consumer takes the overflow queue of the lane. Overflow of either lane yields to urgent work.
    ///   - watch: watches whether batches are committed.
    ///   - progress: watches whether batches go on.
    public init(
        intake: Intake, consumer: AMQPConsumer, backlog: PublishBacklog, lane: Lane?, isOverflow: Bool = false, balance: LaneBalance,
        watch: WorkWatch = WorkWatch(), progress: ProgressWatch = ProgressWatch(), logger: Logger
    ) {
        self.intake = intake
        self.consumer = consumer
        self.backlog = backlog
        self.lane = lane
        self.isOverflow = isOverflow
        self.balance = balance
        self.watch = watch
        self.progress = progress
        self.logger = logger
    }

    /// Runs until the consumer is stopped, then finishes the batches in work.
    public func run() async {
        let side: Lane = lane == .urgent && !isOverflow ? .urgent : .bulk
        let width = isOverflow ? Self.overflowInWork : Self.batchesInWork
        // A router finishes its batches at the stop, so it has no flag. A batch that a cancellation ends is logged, and requeued.
        let loop = BatchLoop(
            queue: consumer, width: width, lane: side, balance: balance, stop: StopFlag(), progress: progress, logger: logger)
        await loop.run { batch in
            await mayHang(.route)
            reach(.beforeRoute)
            let (began, work) = (ContinuousClock.now, watch.begin())
            // Also after an error, because the batch is requeued.
            defer { watch.end(work, .finished) }
            var isFirst = true
            let packs = try await intake.receive(batch.messages) { packs in
                watch.advance(work)
                ProgressWork.current?.step()
                await backlog.publish(packs)
                // The loop has yielded before the first portion. A batch of large events has many portions, each larger than an ordinary
                // batch.
                if side == .bulk, !isFirst { await balance.yieldToUrgent() }
                isFirst = false
            }
            if side == .urgent { balance.urgent(took: ContinuousClock.now - began) }
            reach(.afterRoute)
            await consumer.acknowledge(batch.tags)
            watch.end(work, .finished)
            reach(.afterIntakeAck)
            await backlog.publish(packs)
        }
    }
}
