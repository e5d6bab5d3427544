import Testing
import TidingsWaiting

@Suite struct OneShotTests {
    private let shot = OneShot<Int>()

    /// Returns when so many tasks wait. A task that does not get there keeps the test from ending.
    private func waiters(_ count: Int) async {
        while shot.waiters != count { await Task.yield() }
    }

    @Test func theFirstOfferWins() async {
        #expect(shot.set(1))
        #expect(!shot.set(2))
        #expect(await shot.value() == 1)
        #expect(await shot.valueUnlessCancelled() == 1)
    }

    @Test func everyWaitingTaskGetsTheValue() async {
        await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<3 { group.addTask { await shot.value() } }
            for _ in 0..<3 { group.addTask { await shot.valueUnlessCancelled() } }
            await waiters(6)
            shot.set(7)
            var values: [Int?] = []
            for await value in group { values.append(value) }
            #expect(values == [Int?](repeating: 7, count: 6))
        }
        #expect(shot.waiters == 0)
    }

    @Test func aCancelledTaskStopsWaitingAndLeavesTheOthers() async {
        let cancelled = Task { await shot.valueUnlessCancelled() }
        await waiters(1)
        let other = Task { await shot.valueUnlessCancelled() }
        await waiters(2)
        cancelled.cancel()
        #expect(await cancelled.value == nil)
        #expect(shot.waiters == 1)
        #expect(shot.set(3))
        #expect(await other.value == 3)
    }

    @Test func aTaskThatIsCancelledAlreadyDoesNotWait() async {
        let gate = OneShot<Void>()
        let task = Task {
            await gate.value()
            return await shot.valueUnlessCancelled()
        }
        task.cancel()
        gate.set(())
        #expect(await task.value == nil)
        #expect(shot.waiters == 0)
    }

    @Test func aCancelledTaskGetsAValueThatIsKnown() async {
        shot.set(4)
        let gate = OneShot<Void>()
        let task = Task {
            await gate.value()
            return await shot.valueUnlessCancelled()
        }
        task.cancel()
        gate.set(())
        #expect(await task.value == 4)
    }

    @Test func cancellationDoesNotEndAPatientWait() async {
        let task = Task { await shot.value() }
        await waiters(1)
        task.cancel()
        #expect(shot.waiters == 1)
        shot.set(5)
        #expect(await task.value == 5)
    }

    /// The cancellation and the value come at the same time: the task gets one of them, and nothing waits for ever.
    @Test func aCancellationBesideTheValueResumesOnce() async {
        for number in 0..<500 {
            let shot = OneShot<Int>()
            let task = Task { await shot.valueUnlessCancelled() }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { task.cancel() }
                group.addTask { shot.set(number) }
            }
            let value = await task.value
            #expect(value == nil || value == number)
            #expect(shot.waiters == 0)
        }
    }
}
