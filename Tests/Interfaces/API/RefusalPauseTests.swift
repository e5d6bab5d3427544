import Synchronization
import Testing
import TidingsWaiting
import TidingsWeb

@testable import TidingsAPI

@Suite struct RefusalPauseTests {
    private static let used = Problem.rateLimited(
        UsedShare(of: .person, .requests, used: 200, limit: 200, perSecond: 100), retryAfter: .seconds(1))

    @Test func aUsedShareIsToldAfterThePause() async {
        let waits = Mutex<[Duration]>([])
        let pause = RefusalPause { length in waits.withLock { $0.append(length) } }
        await pause.wait(for: Self.used)
        #expect(waits.withLock { $0 } == [.seconds(1)])
    }

    /// Nothing else bounds how often a client comes with such a token.
    @Test func anUnknownKeyIsToldAfterThePause() async throws {
        let waits = Mutex(0)
        let pause = RefusalPause { _ in waits.withLock { $0 += 1 } }
        await pause.wait(for: PersonTokens.unknownKey)
        #expect(waits.withLock { $0 } == 1)
    }

    /// Other problems cost the caller nothing but its own time.
    @Test func anotherProblemIsToldAtOnce() async {
        let pause = RefusalPause { _ in Issue.record("waited") }
        await pause.wait(for: Problem(.notFound))
        await pause.wait(for: .rateLimited(retryAfter: .seconds(1)))
        await pause.wait(for: .unavailable("The server is stopping.", retryAfter: .seconds(1)))
    }

    /// A flood of refusals does not gather in memory.
    @Test func oneRefusalTooManyIsToldAtOnce() async {
        let gate = OneShot<Void>()
        let entered = Mutex(0)
        let pause = RefusalPause { _ in
            entered.withLock { $0 += 1 }
            await gate.value()
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<RefusalPause.mostWaiting { group.addTask { await pause.wait(for: Self.used) } }
            while entered.withLock({ $0 }) < RefusalPause.mostWaiting { await Task.yield() }
            await pause.wait(for: Self.used)
            #expect(entered.withLock { $0 } == RefusalPause.mostWaiting)
            gate.set(())
        }
        await pause.wait(for: Self.used)
        #expect(entered.withLock { $0 } == RefusalPause.mostWaiting + 1)
    }
}
