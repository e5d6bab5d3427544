import Logging
import Synchronization
import Testing
import TidingsContracts
import TidingsCore
import TidingsMetrics
import TidingsStore
import TidingsTestSupport

@testable import TidingsPipeline
@testable import TidingsPostgres

/// Outcomes on their way to the commit.
@Suite(.timeLimit(.minutes(Patience.scaled(1)))) struct SettlerTests {
    private let commits = HeldCalls<[PackSettlement]>()
    private let log = LoggedLines()
    private let metrics = Metrics(version: "test")
    /// A settler whose commits the test answers.
    private let settler: Settler

    init() {
        settler = Settler(meters: DeliveryMeters(metrics, channel: .webhook, provider: "w"), logger: log.logger) { [commits] in
            try await commits.hold($0)
        }
    }

    /// The deliveries that count as sent.
    private var sent: Int { metrics.deliveries("webhook", "w", "sent").value }

    private func nextCommit() async throws -> HeldCalls<[PackSettlement]>.Call { try #require(await commits.next()) }

    private func settle(_ settlement: PackSettlement) -> Task<Void, Never> {
        Task { [settler] in await settler.settle(settlement) }
    }

    private func numbers(_ commit: HeldCalls<[PackSettlement]>.Call) -> [Int] { commit.argument.map(\.pack.number) }

    /// Takes both places for a commit.
    private func holdTwoCommits() async throws -> [HeldCalls<[PackSettlement]>.Call] {
        var held: [HeldCalls<[PackSettlement]>.Call] = []
        for number in 1...Settler.commitsInWork {
            _ = settle(.sample(number))
            held.append(try await nextCommit())
        }
        return held
    }

    /// Settles packs one after the other, as soon as the one before it waits for a commit.
    private func line(up settlements: [PackSettlement]) async throws -> [Task<Void, Never>] {
        var tasks: [Task<Void, Never>] = []
        for settlement in settlements {
            tasks.append(settle(settlement))
            while await settler.waiting < tasks.count {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
        return tasks
    }

    @Test func aLonelyOutcomeIsCommittedAtOnce() async throws {
        let task = settle(.sample(1))
        let commit = try await nextCommit()
        #expect(numbers(commit) == [1])
        commit.succeed()
        try await task.valueUnlessCancelled()
        #expect(sent == 1)
    }

    /// The caller acknowledges the message of the pack after that.
    @Test func anOutcomeIsSettledOnlyAfterItsCommit() async throws {
        let isSettled = Mutex(false)
        let task = Task {
            await settler.settle(.sample(1))
            isSettled.withLock { $0 = true }
        }
        let commit = try await nextCommit()
        for _ in 0..<1_000 { await Task.yield() }
        #expect(!isSettled.withLock(\.self) && sent == 0)
        commit.succeed()
        try await task.valueUnlessCancelled()
        #expect(isSettled.withLock(\.self) && sent == 1)
    }

    @Test func packsThatComeDuringTwoCommitsShareTheNext() async throws {
        let held = try await holdTwoCommits()
        let waiting = try await line(up: (11...13).map { PackSettlement.sample($0) })
        held[1].succeed()
        let next = try await nextCommit()
        #expect(numbers(next) == [11, 12, 13])
        #expect(await settler.waiting == 0)
        next.succeed()
        for task in waiting { try await task.valueUnlessCancelled() }
        held[0].succeed()
    }

    /// The last pack may exceed the size, and a further one waits.
    @Test func aCommitTakesNoFurtherPackBeyondItsSize() async throws {
        let held = try await holdTwoCommits()
        let sizes = Array(repeating: 50, count: 9) + [49, 50, 50]
        let waiting = try await line(up: sizes.enumerated().map { PackSettlement.sample(11 + $0, deliveries: $1) })
        held[0].succeed()
        let full = try await nextCommit()
        #expect(numbers(full) == Array(11...21))
        #expect(full.argument.reduce(0) { $0 + $1.settlements.count } == 549)
        #expect(await settler.waiting == 1)
        full.succeed()
        let rest = try await nextCommit()
        #expect(numbers(rest) == [22])
        rest.succeed()
        for task in waiting { try await task.valueUnlessCancelled() }
        held[1].succeed()
    }

    /// A lost outcome would be guessed after the lease, and the person might get the notification twice.
    @Test(arguments: [
        PostgresError(.connectionLost, message: ""), PostgresError(.connectFailed, message: ""),
        PostgresError(.server, sqlState: "42501", message: "permission denied"),
    ])
    func anOutcomeWaitsForTheDatabase(_ error: PostgresError) async throws {
        let task = settle(.sample(1))
        try await nextCommit().fail(error)
        let second = try await nextCommit()
        #expect(numbers(second) == [1] && second.argument.allSatisfy(\.isLast))
        #expect(sent == 0)
        second.succeed()
        try await task.valueUnlessCancelled()
        #expect(sent == 1 && log.messages(.error).isEmpty)
    }

    /// The batch is divided until the outcome is alone. The parts of its pack do not close the pack.
    @Test func anOutcomeThatTheDatabaseRefusesCostsNoOther() async throws {
        let bad = Pack.sample(12, deliveries: 5).entries[3].key
        let refusal = PostgresError(.invalidStatement, message: "a text with NUL")
        let held = try await holdTwoCommits()
        let waiting = try await line(up: (11...13).map { PackSettlement.sample($0, deliveries: 5) })
        held[0].succeed()
        let answers = Task { [commits] in
            var written: [PackSettlement] = []
            while written.reduce(0, { $0 + $1.settlements.count }) < 14, let commit = await commits.next() {
                if commit.argument.contains(where: { $0.settlements.contains { $0.entry.key == bad } }) {
                    commit.fail(refusal)
                } else {
                    commit.succeed()
                    written += commit.argument
                }
            }
            return written
        }
        let written = try await answers.valueUnlessCancelled()
        let keys = written.flatMap { $0.settlements.map(\.entry.key) }
        let good = (11...13).flatMap { Pack.sample($0, deliveries: 5).entries.map(\.key) }.filter { $0 != bad }
        #expect(keys == good, "each once, and in its order")
        #expect(written.filter(\.isLast).map(\.pack.number) == [11, 13])
        for task in waiting { try await task.valueUnlessCancelled() }
        #expect(log.messages(.error) == ["an outcome cannot be recorded"])
        #expect(sent == 15, "14 of these, and the first commit")
        held[1].succeed()
    }

    /// The process ends. A releaser records the outcomes as unknown after the lease.
    @Test func aClosedPoolEndsEveryWait() async throws {
        let task = settle(.sample(1, deliveries: 2))
        let answers = Task { [commits] in
            while let commit = await commits.next() { commit.fail(PostgresError(.poolClosed, message: "")) }
        }
        try await task.valueUnlessCancelled()
        answers.cancel()
        #expect(log.messages(.error).count == 2 && sent == 0)
    }
}
