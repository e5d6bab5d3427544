import Testing
import TidingsTestSupport

@testable import TidingsServer

/// Work that runs until it is stopped. If a stop were lost, the test would reach its time limit.
@Suite(.timeLimit(.minutes(Patience.scaled(1)))) struct StoppableWorkTests {
    @Test func aStopBeforeTheStartCounts() async {
        let work = StoppableWork()
        work.stop()
        await work.run([Self.endless, Self.endless])
    }

    @Test func aStopEndsAllThatRuns() async {
        let work = StoppableWork()
        let (began, beginning) = AsyncStream.makeStream(of: Void.self)
        await withDiscardingTaskGroup { group in
            group.addTask {
                await work.run([
                    {
                        beginning.yield()
                        await Self.endless()
                    }, Self.endless,
                ])
            }
            for await _ in began { break }
            work.stop()
        }
    }

    @Test func cancellingTheCallerEndsAllThatRuns() async {
        let work = StoppableWork()
        let (began, beginning) = AsyncStream.makeStream(of: Void.self)
        await withDiscardingTaskGroup { group in
            group.addTask {
                await work.run([
                    {
                        beginning.yield()
                        await Self.endless()
                    }
                ])
            }
            for await _ in began { break }
            group.cancelAll()
        }
    }

    /// Waits until its task is cancelled.
    @Sendable private static func endless() async {
        let (never, continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in never {}
        continuation.finish()
    }
}
