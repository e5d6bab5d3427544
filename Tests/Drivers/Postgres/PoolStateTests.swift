import Testing
import TidingsWaiting

@testable import TidingsPostgres

private final class Fake: Sendable {
    let isUsable: Bool
    init(isUsable: Bool = true) { self.isUsable = isUsable }
}

private typealias State = PoolState<Fake>

private let refused = PostgresError(.connectFailed, message: "refused")

struct PoolStateTests {
    @Test func theLineIsFirstComeFirstServed() async throws {
        var state = State(size: 1)
        let waiters = (0..<3).map { _ in State.Waiter() }
        for waiter in waiters { #expect(state.acquire(waiter) { $0.isUsable }.isWaiting == true) }
        #expect(state.openersToStart() == 1)
        #expect(state.openersToStart() == 0)
        let connection = Fake()
        #expect(state.opened(connection) == true)
        for index in waiters.indices {
            // The waiter is already served, so another offer comes too late.
            #expect(!waiters[index].set(.failure(refused)))
            #expect(try await waiters[index].value().get() === connection)
            #expect(state.giveBack(connection, isUsable: true) == true)
        }
    }

    @Test func aWaiterThatGaveUpIsSkipped() async throws {
        var state = State(size: 1)
        let (first, second) = (State.Waiter(), State.Waiter())
        _ = state.acquire(first) { $0.isUsable }
        _ = state.acquire(second) { $0.isUsable }
        _ = state.openersToStart()
        first.set(.failure(refused))
        let connection = Fake()
        #expect(state.opened(connection) == true)
        #expect(try await second.value().get() === connection)
    }

    @Test func aDeadIdleConnectionIsReplaced() {
        var state = State(size: 1)
        _ = state.acquire(State.Waiter()) { $0.isUsable }
        _ = state.openersToStart()
        #expect(state.opened(Fake(isUsable: false)) == true)
        #expect(state.giveBack(Fake(isUsable: false), isUsable: true) == true)
        #expect(state.acquire(State.Waiter()) { $0.isUsable }.isWaiting == true)
        #expect(state.openersToStart() == 1)
    }

    @Test func aPoolOpensNoMoreConnectionsThanItsSize() {
        var state = State(size: 3)
        for _ in 0..<10 { _ = state.acquire(State.Waiter()) { $0.isUsable } }
        #expect(state.openersToStart() == 3)
        for _ in 0..<3 { #expect(state.opened(Fake()) == true) }
        #expect(state.openersToStart() == 0)
        #expect(state.giveBack(Fake(), isUsable: false) == false)
        #expect(state.openersToStart() == 1)
    }

    @Test func aFailureAllowsOneAttemptAtATime() {
        var state = State(size: 4)
        for _ in 0..<4 { _ = state.acquire(State.Waiter()) { $0.isUsable } }
        #expect(state.openersToStart() == 4)
        for _ in 0..<3 { #expect(state.failed(refused).retry == nil) }
        #expect(state.failed(refused).retry == 4)
        #expect(state.openersToStart() == 0)
        #expect(state.lastFailure == refused)
        #expect(state.opened(Fake()) == true)
        #expect(state.lastFailure == nil)
        #expect(state.openersToStart() == 3)
    }

    @Test func aFailureThatCannotPassRefusesAllWhoWait() {
        var state = State(size: 2)
        for _ in 0..<2 { _ = state.acquire(State.Waiter()) { $0.isUsable } }
        _ = state.openersToStart()
        let (retry, waiters) = state.failed(PostgresError(.connectFailed, sqlState: "28P01", message: "password"))
        #expect(retry == nil)
        #expect(waiters.count == 2)
        #expect(state.failed(refused).retry == nil)
        // A later caller starts the next attempt.
        _ = state.acquire(State.Waiter()) { $0.isUsable }
        #expect(state.openersToStart() == 1)
    }

    /// Each commit that waits for a standby keeps its session on the server, whatever became of its connection.
    @Test func sessionsLeftBehindCountUntilTheServerHasThemNoMore() {
        var state = State(size: 3)
        for _ in 0..<10 { _ = state.acquire(State.Waiter()) { $0.isUsable } }
        #expect(state.openersToStart() == 3)
        for _ in 0..<3 { #expect(state.opened(Fake()) == true) }
        for _ in 0..<3 { #expect(state.giveBack(Fake(isUsable: false), isUsable: false, isLeftBehind: true) == false) }
        #expect(state.openersToStart() == 0)
        #expect(state.lookToStart() == true)
        #expect(state.lookToStart() == false, "one look is enough")
        // Other processes wait too.
        #expect(state.looked(waiting: 7) == true)
        #expect(state.leftBehind == 3)
        #expect(state.looked(waiting: 1) == true)
        #expect(state.openersToStart() == 2)
        #expect(state.lookFailed(refused) == true)
        #expect(state.leftBehind == 1)
        #expect(state.looked(waiting: 0) == false)
        for _ in 0..<2 { #expect(state.opened(Fake()) == true) }
        #expect(state.openersToStart() == 1)
        #expect(state.lookToStart() == false)
    }

    @Test func aClosedPoolLooksNoMore() {
        var state = State(size: 1)
        _ = state.acquire(State.Waiter()) { $0.isUsable }
        _ = state.openersToStart()
        #expect(state.opened(Fake()) == true)
        #expect(state.giveBack(Fake(isUsable: false), isUsable: false, isLeftBehind: true) == false)
        #expect(state.lookToStart() == true)
        _ = state.close()
        #expect(state.looked(waiting: 1) == false)
        #expect(state.lookToStart() == false)
    }

    @Test func closingWaitsForTheLentOnes() async {
        var state = State(size: 2)
        for _ in 0..<2 { _ = state.acquire(State.Waiter()) { $0.isUsable } }
        _ = state.openersToStart()
        let (one, two) = (Fake(), Fake())
        #expect(state.opened(one) == true)
        #expect(state.opened(two) == true)
        #expect(state.giveBack(one, isUsable: true) == true)
        let closing = state.close()
        #expect(closing.idle.count == 1)
        #expect(state.giveBack(two, isUsable: true) == false)
        await closing.drained.value()
        guard case .closed = state.acquire(State.Waiter(), isUsable: { $0.isUsable }) else {
            Issue.record("a closed pool lends")
            return
        }
    }
}

extension PoolState.Answer {
    fileprivate var isWaiting: Bool {
        if case .waiting = self { true } else { false }
    }
}
