import Logging
import Synchronization
import Testing
import TidingsAMQP
import TidingsCore
import TidingsTestSupport

@testable import TidingsPipeline

/// The batches of a queue, and the ways in which they end.
@Suite(.timeLimit(.minutes(Patience.scaled(1)))) struct BatchLoopTests {
    private struct Fault: Error {}

    private let queue = TestQueue()
    private let batches = HeldCalls<MessageBatch>()
    private let balance = LaneBalance()
    private let stop = StopFlag()
    private let log = LoggedLines()

    /// Runs a loop whose batches the test handles.
    private func run(width: Int = 2, lane: Lane = .urgent) -> Task<Void, Never> {
        let loop = BatchLoop(
            queue: queue, width: width, lane: lane, balance: balance, stop: stop, progress: ProgressWatch(), logger: log.logger)
        return Task { [batches] in await loop.run { try await batches.hold($0) } }
    }

    private func nextBatch() async throws -> HeldCalls<MessageBatch>.Call { try #require(await batches.next()) }

    private func number(_ batch: HeldCalls<MessageBatch>.Call) -> UInt64? { batch.argument.tags.first?.value }

    /// The width bounds the memory and the transactions of a process. One further batch is read meanwhile.
    @Test func noMoreBatchesThanTheWidthAreInWork() async throws {
        let begun = Mutex(0)
        let loop = BatchLoop(
            queue: queue, width: 2, lane: .urgent, balance: balance, stop: stop, progress: ProgressWatch(), logger: log.logger)
        let running = Task {
            await loop.run { batch in
                begun.withLock { $0 += 1 }
                try await batches.hold(batch)
            }
        }
        for tag in UInt64(1)...6 { queue.offer(.sample(tag)) }
        let first = [try await nextBatch(), try await nextBatch()]
        for _ in 0..<1_000 { await Task.yield() }
        #expect(begun.withLock(\.self) == 2 && queue.taken <= 3)
        first[0].succeed()
        let third = try await nextBatch()
        #expect(number(third) == 3, "the batches come in the order of the queue")
        for _ in 0..<1_000 { await Task.yield() }
        #expect(begun.withLock(\.self) == 3 && queue.taken <= 4)
        queue.stop()
        first[1].succeed()
        third.succeed()
        for _ in 4...6 { try await nextBatch().succeed() }
        try await running.valueUnlessCancelled()
        #expect(!queue.hasExits, "the handler ends the messages")
    }

    /// Without the pause, a message would use up its deliveries within milliseconds.
    @Test func aBatchThatFailedIsRequeuedWholeAfterAPause() async throws {
        let running = run(width: 1)
        queue.offer(.sample(1), .sample(2))
        queue.offer(.sample(3))
        let failing = try await nextBatch()
        let failedAt = ContinuousClock.now
        failing.fail(Fault())
        #expect(await queue.nextExit() == .requeued([1, 2]))
        #expect(ContinuousClock.now - failedAt >= BatchLoop.pauseBeforeRequeue)
        #expect(log.messages(.warning) == ["a batch is requeued"])
        let next = try await nextBatch()
        #expect(number(next) == 3, "the loop goes on")
        queue.stop()
        next.succeed()
        try await running.valueUnlessCancelled()
    }

    /// Another process takes the messages over. The stop of a process is no fault.
    @Test func aBatchThatTheStopCancelledIsRequeuedAtOnce() async throws {
        let running = run()
        queue.offer(.sample(1))
        let batch = try await nextBatch()
        stop.raise()
        queue.stop()
        batch.fail(CancellationError())
        #expect(await queue.nextExit() == .requeued([1]))
        try await running.valueUnlessCancelled()
        #expect(log.messages(.warning).isEmpty, "a warning comes with the pause")
    }

    /// A batch may fail at the stop by a fault of its own. Another process must not get it within milliseconds.
    @Test(arguments: [true, false])
    func aFaultAndACancellationWithoutStopAreFailures(isStopping: Bool) async throws {
        let running = run()
        queue.offer(.sample(1))
        let batch = try await nextBatch()
        if isStopping { stop.raise() }
        batch.fail(isStopping ? Fault() as any Error : CancellationError())
        while log.messages(.warning).isEmpty {
            try Task.checkCancellation()
            await Task.yield()
        }
        // The cancellation of the loop ends the pause.
        running.cancel()
        #expect(await queue.nextExit() == .requeued([1]))
        try await running.valueUnlessCancelled()
    }

    /// The caller closes the connection after that, and the messages would come again.
    @Test func aStoppedLoopEndsAfterItsBatches() async throws {
        let hasEnded = Mutex(false)
        let running = run()
        let ending = Task {
            await running.value
            hasEnded.withLock { $0 = true }
        }
        queue.offer(.sample(1))
        let batch = try await nextBatch()
        queue.stop()
        for _ in 0..<1_000 { await Task.yield() }
        let endedEarly = hasEnded.withLock(\.self)
        #expect(!endedEarly)
        batch.succeed()
        try await ending.valueUnlessCancelled()
    }

    @Test func aBulkBatchYieldsToUrgentOnes() async throws {
        // Urgent batches of the next minute keep the balance from forgetting them on a slow machine.
        let start = ContinuousClock.now + .seconds(60)
        for number in 0..<10 { balance.urgent(took: LaneBalance.target * 2, now: start + LaneBalance.reaction * number) }
        #expect(balance.pause() == LaneBalance.longestPause)
        let running = run(lane: .bulk)
        let offeredAt = ContinuousClock.now
        queue.offer(.sample(1))
        let batch = try await nextBatch()
        #expect(ContinuousClock.now - offeredAt >= LaneBalance.longestPause)
        queue.stop()
        batch.succeed()
        try await running.valueUnlessCancelled()
    }
}
