import Synchronization
import Testing

@testable import TidingsPipeline

/// The packs in flight weigh at most their budget, plus one batch for each line.
@Suite struct PackBudgetTests {
    private let budget = PackBudget(limit: 100)

    @Test func aLineThatHoldsSomethingWaitsForRoom() async {
        let line = budget.line()
        let first = await line.reserve(bytes: 60)
        let second = await line.reserve(bytes: 40)
        #expect(budget.total == 100)
        let third = Taking(line, 10)
        await third.expectWaiting()
        second.end()
        let share = await third.share
        #expect(budget.total == 70)
        second.end()
        #expect(budget.total == 70, "given back twice")
        first.end()
        share.end()
        #expect(budget.total == 0)
    }

    @Test func aLineThatHoldsNothingMayTakeOneBatch() async {
        let saturated = budget.line()
        let held = await saturated.reserve(bytes: 1_000)
        let other = budget.line()
        let one = await other.reserve(bytes: 50)
        let two = Taking(other, 50)
        await two.expectWaiting()
        one.end()
        let next = await two.share
        #expect(budget.total == 1_050)
        held.end()
        next.end()
    }

    /// Free room goes to the line that holds the least, even if other lines came first.
    @Test func theLineThatHoldsLeastIsNext() async {
        let (saturated, other) = (budget.line(), budget.line())
        var held: [PackBudget.Share] = []
        for _ in 0..<9 { held.append(await saturated.reserve(bytes: 10)) }
        let small = await other.reserve(bytes: 10)
        let first = Taking(saturated, 10)
        await first.expectWaiting()
        let second = Taking(other, 10)
        await second.expectWaiting()
        held.removeLast().end()
        let share = await second.share
        await first.expectWaiting()
        #expect(budget.total == 100)
        for share in held + [small, share] { share.end() }
        await first.share.end()
        #expect(budget.total == 0)
    }

    /// A failed claim forgets its share without ending it.
    @Test func aShareThatIsForgottenIsGivenBack() async {
        let line = budget.line()
        do { _ = await line.reserve(bytes: 100) }
        #expect(budget.total == 0)
    }
}

/// A caller that takes a share and may have to wait for it.
private final class Taking: Sendable {
    private let task: Task<PackBudget.Share, Never>
    private let done: Done

    init(_ line: PackBudget.Line, _ bytes: Int) {
        let isDone = Done()
        task = Task {
            let share = await line.reserve(bytes: bytes)
            isDone.set()
            return share
        }
        self.done = isDone
    }

    var share: PackBudget.Share { get async { await task.value } }

    /// Yields often, so that a share that is given too early is noticed.
    func expectWaiting() async {
        for _ in 0..<1_000 { await Task.yield() }
        #expect(!done.isSet)
    }
}

private final class Done: Sendable {
    private let flag = Mutex(false)

    var isSet: Bool { flag.withLock(\.self) }
    func set() { flag.withLock { $0 = true } }
}
