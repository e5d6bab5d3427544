import Logging
import Synchronization
import Testing
import TidingsTestSupport

@testable import TidingsPipeline

/// The turns of a loop. A pause of a day shows which turns come without one: the test would not end otherwise.
@Suite(.timeLimit(.minutes(Patience.scaled(1)))) struct TurnLoopTests {
    private struct Fault: Error {}

    private let log = LoggedLines()
    private let watch = ProgressWatch()
    private let turns = HeldCalls<Int>()

    /// Begins a loop whose turns the test answers. Turns below `busy` have work.
    private func begin(pausing interval: Duration, busy: Int = 0) -> Task<Void, Never> {
        let loop = TurnLoop(interval: interval, progress: watch, logger: log.logger)
        return Task { [turns] in
            var number = 0
            await loop.run("do it") {
                number += 1
                try await turns.hold(number)
                return number <= busy
            }
        }
    }

    @Test func aTurnWithWorkIsFollowedAtOnce() async throws {
        let running = begin(pausing: .seconds(86_400), busy: 2)
        for number in 1...3 {
            let turn = try #require(await turns.next())
            #expect(turn.argument == number)
            turn.succeed()
        }
        running.cancel()
        try await running.valueUnlessCancelled()
    }

    /// Without the pause, the loop would ask a database that is away as fast as it can.
    @Test func aTurnThatFailsIsFollowedByThePause() async throws {
        let count = Mutex(0)
        let loop = TurnLoop(interval: .seconds(86_400), progress: watch, logger: log.logger)
        let running = Task {
            await loop.run("do it") {
                count.withLock { $0 += 1 }
                throw Fault()
            }
        }
        try await wait { !log.messages(.warning).isEmpty }
        for _ in 0..<1_000 { await Task.yield() }
        running.cancel()
        try await running.valueUnlessCancelled()
        #expect(count.withLock(\.self) == 1)
    }

    @Test func aTurnWithoutWorkIsFollowedByThePause() async throws {
        let count = Mutex(0)
        let loop = TurnLoop(interval: .seconds(86_400), progress: watch, logger: log.logger)
        let running = Task {
            await loop.run("do it") {
                count.withLock { $0 += 1 }
                return false
            }
        }
        try await wait { count.withLock(\.self) > 0 && standstills.isEmpty }
        for _ in 0..<1_000 { await Task.yield() }
        running.cancel()
        try await running.valueUnlessCancelled()
        #expect(count.withLock(\.self) == 1)
    }

    @Test func theStopEndsThePause() async throws {
        let running = begin(pausing: .seconds(86_400))
        try #require(await turns.next()).succeed()
        running.cancel()
        try await running.valueUnlessCancelled()
    }

    /// A failure is logged with its first turn, and again after a success.
    @Test func aTurnThatFailsIsRepeated() async throws {
        let running = begin(pausing: .milliseconds(1))
        for fails in [true, true, false, true] {
            let turn = try #require(await turns.next())
            if fails { turn.fail(Fault()) } else { turn.succeed() }
        }
        try #require(await turns.next()).fail(CancellationError())
        try await running.valueUnlessCancelled()
        let line = "cannot do it, trying again"
        #expect(log.messages(.warning) == [line, line] && log.messages(.debug) == [line])
    }

    /// A task that waited for the database when the stop came has nothing to report.
    @Test func aCancelledTurnEndsTheLoop() async throws {
        let running = begin(pausing: .milliseconds(1))
        try #require(await turns.next()).fail(CancellationError())
        try await running.valueUnlessCancelled()
        #expect(log.messages(.warning).isEmpty)
    }

    /// A supervisor restarts a process whose turn hangs. It leaves a process alone whose loop pauses.
    @Test func aTurnIsInHandUntilItEnds() async throws {
        let running = begin(pausing: .seconds(86_400), busy: 1)
        let first = try #require(await turns.next())
        #expect(standstills == ["do it"])
        first.succeed()
        let second = try #require(await turns.next())
        second.succeed()
        // The pause lasts a day, so the loop is in it when no turn is in hand.
        try await wait { standstills.isEmpty }
        running.cancel()
        try await running.valueUnlessCancelled()
    }

    /// Waits for a state of the loop. Ends with the time limit of the test.
    private func wait(until isReached: () -> Bool) async throws {
        while !isReached() {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// The work that stands still if nothing moves for long.
    private var standstills: [String] { watch.standstills(at: ContinuousClock.now + ProgressWatch.patience * 2).map(\.kind) }
}
