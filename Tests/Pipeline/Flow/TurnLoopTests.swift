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

    /// A supervisor restarts a process whose turn hangs, and not one that pauses.
    @Test func aTurnIsInHandUntilItEnds() async throws {
        let running = begin(pausing: .seconds(86_400), busy: 1)
        let first = try #require(await turns.next())
        #expect(standstills == ["do it"])
        first.succeed()
        let second = try #require(await turns.next())
        second.succeed()
        running.cancel()
        try await running.valueUnlessCancelled()
        #expect(standstills.isEmpty)
    }

    /// The work that stands still if nothing moves for long.
    private var standstills: [String] { watch.standstills(at: ContinuousClock.now + ProgressWatch.patience * 2).map(\.kind) }
}
