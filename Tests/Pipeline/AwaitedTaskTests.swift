import Testing
import TidingsTestSupport

/// The end of a task, as tests with a time limit await it.
@Suite(.timeLimit(.minutes(Patience.scaled(1)))) struct AwaitedTaskTests {
    private struct Fault: Error {}

    private let calls = HeldCalls<Int>()

    /// A task that the test lets go on. Its cancellation alone does not end it.
    private func begin() -> Task<Int, any Error> {
        Task { [calls] in
            try await calls.hold(1)
            return 7
        }
    }

    @Test func aTaskThatEndsHasItsValueOrItsError() async throws {
        let task = begin()
        try #require(await calls.next()).succeed()
        #expect(try await task.valueUnlessCancelled() == 7)
        let failing = begin()
        try #require(await calls.next()).fail(Fault())
        await #expect(throws: Fault.self) { try await failing.valueUnlessCancelled() }
    }

    @Test func aCancelledWaitEndsBeforeItsTask() async throws {
        let task = begin()
        let call = try #require(await calls.next())
        let waiting = Task { try await task.valueUnlessCancelled() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(task.isCancelled)
        call.succeed()
        #expect(try await task.valueUnlessCancelled() == 7)
    }
}
