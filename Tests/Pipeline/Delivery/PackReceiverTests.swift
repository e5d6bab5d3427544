import Logging
import Synchronization
import Testing
import TidingsAMQP
import TidingsContracts
import TidingsCore
import TidingsStore
import TidingsTestSupport

@testable import TidingsPipeline

/// Messages of a delivery queue: their packs, and the time at which they are acknowledged.
@Suite(.timeLimit(.minutes(Patience.scaled(1)))) struct PackReceiverTests {
    private struct Fault: Error {}

    private let queue = TestQueue()
    private let batches = HeldCalls<[Pack]>()
    private let dead = HeldCalls<DeadMessage>()
    private let stop = StopFlag()
    private let log = LoggedLines()

    /// Runs a receiver whose packs the test handles, and whose dead letters the test keeps.
    private func run(hear: (@Sendable (String) async -> Void)? = nil) -> Task<Void, Never> {
        let receiver = PackReceiver(
            queue: queue, lane: .urgent, balance: LaneBalance(), stop: stop, progress: ProgressWatch(), logger: log.logger, hear: hear
        ) { [dead] in try await dead.hold($0) }
        return Task { [batches] in await receiver.run { try await batches.hold($0) } }
    }

    private func message(_ tag: UInt64, pack number: Int, headers: [String: AMQPValue] = [:]) -> AMQPMessage {
        .sample(tag, body: Pack.sample(number).encode(), headers: headers)
    }

    private func nextBatch() async throws -> HeldCalls<[Pack]>.Call { try #require(await batches.next()) }

    private func end(_ running: Task<Void, Never>) async throws {
        queue.stop()
        try await running.valueUnlessCancelled()
    }

    /// The claim or the outcomes stand in the database by then.
    @Test func aMessageIsAcknowledgedAfterItsPack() async throws {
        let running = run()
        queue.offer(message(1, pack: 7), message(2, pack: 8))
        let batch = try await nextBatch()
        #expect(batch.argument == [.sample(7), .sample(8)], "in the order of the queue")
        #expect(!queue.hasExits)
        batch.succeed()
        #expect(await queue.nextExit() == .acknowledged([1, 2]))
        try await end(running)
    }

    /// A publisher without a confirm publishes its pack again. The claim cannot tell the second message from the first within one worker.
    @Test func aPackThatComesTwiceInABatchIsHandledOnce() async throws {
        let running = run()
        queue.offer(message(1, pack: 7), message(2, pack: 8), message(3, pack: 7))
        let batch = try await nextBatch()
        #expect(batch.argument.map(\.number) == [7, 8])
        batch.succeed()
        #expect(await queue.nextExit() == .acknowledged([1, 2, 3]))
        try await end(running)
    }

    @Test func packsThatAreNotClaimedAtTheStopAreRequeued() async throws {
        let running = run()
        queue.offer(message(1, pack: 7), message(2, pack: 8))
        let batch = try await nextBatch()
        stop.raise()
        batch.fail(CancellationError())
        #expect(await queue.nextExit() == .requeued([1, 2]))
        try await end(running)
        #expect(log.messages(.warning).isEmpty, "a warning comes with the pause")
    }

    /// The dead letter is all that is left of the message.
    @Test func aMessageThatIsNoPackIsKeptBeforeItIsAcknowledged() async throws {
        let running = run()
        queue.offer(.sample(1, body: Array("no pack".utf8)), message(2, pack: 8))
        let letter = try #require(await dead.next())
        #expect(letter.argument.body == Array("no pack".utf8) && letter.argument.reason == .undecodablePack)
        #expect(letter.argument.queue == "q" && letter.argument.exchange == "e" && letter.argument.routingKey == "k")
        #expect(!queue.hasExits)
        letter.succeed()
        let batch = try await nextBatch()
        #expect(batch.argument.map(\.number) == [8], "the other pack of the batch is handled")
        batch.succeed()
        #expect(await queue.nextExit() == .acknowledged([1, 2]))
        try await end(running)
    }

    @Test func aBatchWithoutPacksIsAcknowledged() async throws {
        let running = run()
        queue.offer(.sample(1))
        try #require(await dead.next()).succeed()
        // A handler of no packs would be held, and the message with it.
        #expect(await queue.nextExit() == .acknowledged([1]))
        try await end(running)
    }

    /// The database is away. No pack of the batch is handled, because the batch comes again as a whole.
    @Test func aMessageThatCannotBeKeptStaysInItsQueue() async throws {
        let running = run()
        queue.offer(.sample(1), message(2, pack: 8))
        try #require(await dead.next()).fail(Fault())
        // A batch whose packs are handled meanwhile would be acknowledged.
        #expect(await queue.nextExit() == .requeued([1, 2]))
        queue.offer(message(3, pack: 9))
        let next = try await nextBatch()
        #expect(next.argument.map(\.number) == [9])
        next.succeed()
        #expect(await queue.nextExit() == .acknowledged([3]))
        try await end(running)
    }

    /// At an old primary, a pack of a later timeline has no row, and its message would end there.
    @Test func aTimelineIsHeardBeforeThePackIsHandled() async throws {
        let heard = Mutex<[String]>([])
        let running = run { timeline in heard.withLock { $0.append(timeline) } }
        queue.offer(
            message(1, pack: 7, headers: [QueueNames.timelineHeader: .string("1/2")]), message(2, pack: 8),
            message(3, pack: 9, headers: [QueueNames.timelineHeader: .int(4)]))
        let batch = try await nextBatch()
        #expect(heard.withLock(\.self) == ["1/2"])
        batch.succeed()
        #expect(await queue.nextExit() == .acknowledged([1, 2, 3]))
        try await end(running)
    }

    /// A process takes one second of the rate in a batch and 20 seconds in all, within the bounds of any provider.
    @Test func theRateOfAProviderBoundsItsPacks() {
        let rows: [(rate: Double?, messages: Int, prefetch: Int)] = [
            (nil, 10, 40), (0.5, 1, 2), (10, 1, 4), (51, 2, 21), (100, 2, 40), (10_000, 10, 40),
        ]
        for row in rows {
            let pace = PackReceiver.pace(atRate: row.rate)
            #expect(pace.batch.maximumMessages == row.messages && pace.prefetch == row.prefetch, "\(row)")
            #expect(pace.batch.maximumDelay == PackReceiver.batch.maximumDelay, "\(row)")
        }
    }
}
