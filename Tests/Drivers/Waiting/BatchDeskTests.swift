import Synchronization
import Testing

@testable import TidingsWaiting

@Suite struct BatchDeskTests {
    /// The batches that a desk was asked for. Each waits until it is let go.
    private final class Work: Sendable {
        struct Away: Error {}

        let batches = Mutex<[[Int]]>([])
        private let gates = Mutex<[OneShot<Bool>]>([])

        func answer(_ batch: [Int]) async throws -> [Int] {
            let gate = OneShot<Bool>()
            batches.withLock { $0.append(batch) }
            gates.withLock { $0.append(gate) }
            guard await gate.value() else { throw Away() }
            return batch.map { $0 * 10 }
        }

        /// Waits until that many batches have begun in all.
        func begun(_ count: Int) async { while gates.withLock({ $0.count }) < count { await Task.yield() } }

        /// Lets a batch go.
        func finish(_ number: Int, well: Bool = true) { gates.withLock { $0[number] }.set(well) }
    }

    private static func gather(_ desk: BatchDesk<Int, Int>, _ requests: ClosedRange<Int>) async -> [Task<Int, any Error>] {
        var tasks: [Task<Int, any Error>] = []
        for request in requests {
            let waiting = await desk.waiting
            // One after the other, so that the batches have an order. Each task is awaited.
            tasks.append(Task { try await desk.answer(to: request) })
            while await desk.waiting == waiting { await Task.yield() }
        }
        return tasks
    }

    @Test func requestsThatComeDuringAWorkShareTheNext() async throws {
        let work = Work()
        let desk = BatchDesk<Int, Int>(largestBatch: 3) { try await work.answer($0) }
        let first = Task { try await desk.answer(to: 1) }
        await work.begun(1)
        let others = await Self.gather(desk, 2...5)
        for number in 0..<3 {
            await work.begun(number + 1)
            work.finish(number)
        }
        #expect(try await first.value == 10)
        for (task, expected) in zip(others, [20, 30, 40, 50]) { #expect(try await task.value == expected) }
        #expect(work.batches.withLock { $0 } == [[1], [2, 3, 4], [5]])
    }

    /// A batch may exceed its size by one request, so that a large request is answered, too.
    @Test func aBatchEndsWithTheRequestThatFillsIt() async throws {
        let work = Work()
        let desk = BatchDesk<Int, Int>(largestBatch: 5, size: { $0 }) { try await work.answer($0) }
        let first = Task { try await desk.answer(to: 100) }
        await work.begun(1)
        let others = await Self.gather(desk, 3...5)
        for number in 0..<3 {
            await work.begun(number + 1)
            work.finish(number)
        }
        _ = try await first.value
        for task in others { _ = try await task.value }
        #expect(work.batches.withLock { $0 } == [[100], [3, 4], [5]])
    }

    @Test func severalBatchesAreInWork() async throws {
        let work = Work()
        let desk = BatchDesk<Int, Int>(largestBatch: 10, batchesInWork: 2) { try await work.answer($0) }
        let first = Task { try await desk.answer(to: 1) }
        await work.begun(1)
        let second = Task { try await desk.answer(to: 2) }
        await work.begun(2)
        let others = await Self.gather(desk, 3...4)
        work.finish(1)
        await work.begun(3)
        work.finish(0)
        work.finish(2)
        #expect(try await first.value == 10)
        #expect(try await second.value == 20)
        for (task, expected) in zip(others, [30, 40]) { #expect(try await task.value == expected) }
        #expect(work.batches.withLock { $0 } == [[1], [2], [3, 4]])
    }

    @Test func oneRequestTooManyIsRefused() async throws {
        let work = Work()
        let desk = BatchDesk<Int, Int>(largestBatch: 10, mostWaiting: 2) { try await work.answer($0) }
        let first = Task { try await desk.answer(to: 1) }
        await work.begun(1)
        let others = await Self.gather(desk, 2...3)
        await #expect(throws: BatchDeskIsFull.self) { try await desk.answer(to: 4) }
        work.finish(0)
        await work.begun(2)
        work.finish(1)
        _ = try await first.value
        for task in others { _ = try await task.value }
        #expect(work.batches.withLock { $0 } == [[1], [2, 3]])
    }

    @Test func aFailureIsThatOfItsBatchAlone() async throws {
        let work = Work()
        let desk = BatchDesk<Int, Int>(largestBatch: 10) { try await work.answer($0) }
        let first = Task { try await desk.answer(to: 1) }
        await work.begun(1)
        let others = await Self.gather(desk, 2...3)
        work.finish(0, well: false)
        await work.begun(2)
        work.finish(1)
        await #expect(throws: Work.Away.self) { try await first.value }
        for (task, expected) in zip(others, [20, 30]) { #expect(try await task.value == expected) }
    }

    /// Requests of an owner with one request do not wait for all of an owner with many.
    @Test func eachOwnerHasItsPartOfABatch() async throws {
        let work = Work()
        let desk = BatchDesk<Int, Int>(largestBatch: 3, owner: { $0 < 100 ? "many" : "one" }) { try await work.answer($0) }
        let first = Task { try await desk.answer(to: 1) }
        await work.begun(1)
        var others = await Self.gather(desk, 2...5)
        others += await Self.gather(desk, 100...100)
        for number in 0..<3 {
            await work.begun(number + 1)
            work.finish(number)
        }
        _ = try await first.value
        for task in others { _ = try await task.value }
        #expect(work.batches.withLock { $0 } == [[1], [2, 100, 3], [4, 5]])
    }

    /// No request waits for ever, and none gets the answer to another one.
    @Test func aWorkWithTooFewAnswersFailsItsBatch() async throws {
        let desk = BatchDesk<Int, Int>(largestBatch: 10) { Array($0.dropLast()) }
        await #expect(throws: AnswersMissing(requests: 1, answers: 0)) { try await desk.answer(to: 1) }
        await #expect(throws: AnswersMissing(requests: 1, answers: 0)) { try await desk.answer(to: 2) }
    }
}
