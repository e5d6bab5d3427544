import Synchronization
import Testing
import TidingsWaiting

/// A value that tasks share. A task cannot capture a `Mutex` itself.
private final class Shared<Value: Sendable>: Sendable {
    let state: Mutex<Value>

    init(_ value: Value) { state = Mutex(value) }
}

@Suite struct SlotsTests {
    private let slots = Slots(2)

    /// Returns when so many tasks wait. A task that does not get there keeps the test from ending.
    private func waiters(_ count: Int) async {
        while slots.waiters != count { await Task.yield() }
    }

    @Test func freeSlotsAreTakenWithoutAWait() async {
        await slots.reserve()
        await slots.reserve()
        #expect(slots.waiters == 0)
    }

    @Test func theLineIsServedInTheOrderOfArrival() async {
        await slots.reserve()
        await slots.reserve()
        let order = Shared<[Int]>([])
        await withTaskGroup(of: Void.self) { group in
            for number in 1...3 {
                group.addTask {
                    await slots.reserve()
                    order.state.withLock { $0.append(number) }
                    slots.giveBack()
                }
                await waiters(number)
            }
            slots.giveBack()
        }
        let served = order.state.withLock { $0 }
        #expect(served == [1, 2, 3])
    }

    /// A slot that was promised to a task in line is not free for a task that comes later.
    @Test func noTaskOvertakesTheLine() async {
        await slots.reserve()
        await slots.reserve()
        let first = Task { await slots.reserve() }
        await waiters(1)
        slots.giveBack()
        let second = Task { await slots.reserve() }
        await first.value
        await waiters(1)
        slots.giveBack()
        await second.value
        #expect(slots.waiters == 0)
    }

    @Test func aCancelledTaskKeepsItsPlaceAndNoSlotIsLost() async {
        await slots.reserve()
        await slots.reserve()
        let cancelled = Task { await slots.reserve() }
        await waiters(1)
        cancelled.cancel()
        #expect(slots.waiters == 1)
        slots.giveBack()
        await cancelled.value
        slots.giveBack()
        slots.giveBack()
        await slots.allFree()
    }

    @Test func noMoreTasksThanSlotsAreInside() async {
        let inside = Shared((now: 0, most: 0))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    await slots.reserve()
                    inside.state.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                    await Task.yield()
                    inside.state.withLock { $0.now -= 1 }
                    slots.giveBack()
                }
            }
        }
        let (now, most) = inside.state.withLock { ($0.now, $0.most) }
        #expect(most <= 2)
        #expect(now == 0)
        await slots.allFree()
    }

    @Test func allFreeWaitsForTheLastSlot() async {
        await slots.allFree()
        await slots.reserve()
        await slots.reserve()
        let isLast = Mutex(false)
        let started = OneShot<Void>()
        let idle = Task {
            started.set(())
            await slots.allFree()
            return isLast.withLock { $0 }
        }
        await started.value()
        slots.giveBack()
        await Task.yield()
        isLast.withLock { $0 = true }
        slots.giveBack()
        #expect(await idle.value)
    }

    /// A slot that goes to the next in line was never free.
    @Test func theLineComesBeforeAllFree() async {
        let one = Slots(1)
        await one.reserve()
        let next = Task { await one.reserve() }
        while one.waiters != 1 { await Task.yield() }
        let ended = Mutex(false)
        let started = OneShot<Void>()
        let idle = Task {
            started.set(())
            await one.allFree()
            return ended.withLock { $0 }
        }
        await started.value()
        one.giveBack()
        await next.value
        ended.withLock { $0 = true }
        one.giveBack()
        #expect(await idle.value)
    }
}
