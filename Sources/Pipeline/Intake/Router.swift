public import Logging
public import TidingsAMQP
public import TidingsCore
import TidingsStore

/// Takes intents of one lane from the broker, decides what becomes of each, and commits it: decode → facts → decide → one transaction → ack →
/// publish the packs.
///
/// A message is acknowledged when everything that follows from it is committed, and not before. Dying at any point loses nothing: what was
/// not acknowledged comes again and is recognised; what was committed but not published is published by a releaser.
public struct Router: Sendable {
    /// Messages the broker may hand over before they are settled. Two batches in work and one being collected.
    public static let prefetch = 1_500
    /// How a batch is cut: full, or after a moment, whichever comes first. 4 ms instead of 10 make a single intent faster, and the slowest of a
    /// hundred at 1,000 a second slower: smaller transactions take a third more of the processors. Of large bodies a batch holds fewer: each of its
    /// bytes is in memory several times until its commit.
    public static let batch = BatchPolicy(maximumMessages: 500, maximumBytes: 1 << 20, maximumDelay: .milliseconds(10))
    /// Batches in work at once: while one waits for its commit the next is decoded. More only makes transactions wait for each other.
    public static let batchesInWork = 2

    private let intake: Intake
    private let consumer: AMQPConsumer
    private let backlog: PublishBacklog
    private let lane: Lane?
    private let balance: LaneBalance
    private let logger: Logger

    /// - Parameter lane: whose intents these are; nil for what came another way, and stands outside the balance of the two.
    public init(intake: Intake, consumer: AMQPConsumer, backlog: PublishBacklog, lane: Lane?, balance: LaneBalance, logger: Logger) {
        self.intake = intake
        self.consumer = consumer
        self.backlog = backlog
        self.lane = lane
        self.balance = balance
        self.logger = logger
    }

    /// Runs until the consumer is stopped, then finishes the batches in work.
    public func run() async {
        let loop = BatchLoop(consumer: consumer, width: Self.batchesInWork, lane: lane, balance: balance, logger: logger)
        await loop.run { batch in
            passing(.beforeRoute)
            let began = ContinuousClock.now
            let packs = try await intake.take(batch.messages, early: backlog.publish)
            if lane == .urgent { balance.urgent(took: ContinuousClock.now - began) }
            passing(.afterRoute)
            await consumer.acknowledge(batch.tags)
            passing(.afterIntakeAck)
            await backlog.publish(packs)
        }
    }
}
