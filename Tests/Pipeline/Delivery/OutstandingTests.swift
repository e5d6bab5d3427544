import Synchronization
import Testing
import TidingsPipeline

@Suite struct OutstandingTests {
    /// Providers hang: this many batches run beyond the patience. The next batch waits until one of them has ended.
    @Test func batchesBeyondPatienceStopAtTheirLimit() async {
        let out = Outstanding()
        let begun = Mutex(0)
        let begin: @Sendable () -> Void = { begun.withLock { $0 += 1 } }
        let gate = Gate()
        for _ in 0..<Outstanding.limit {
            await out.run(waitingAtMost: .zero) {
                begin()
                await gate.wait()
            }
        }
        while begun.withLock(\.self) < Outstanding.limit { await Task.yield() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await out.run(waitingAtMost: .zero) { begin() }
            }
            // The new batch either stands in line or began too early.
            while out.callersInLine == 0, begun.withLock(\.self) == Outstanding.limit { await Task.yield() }
            #expect(begun.withLock(\.self) == Outstanding.limit, "one more began")
            await gate.open()
            await group.waitForAll()
        }
        await out.drain()
        #expect(begun.withLock(\.self) == Outstanding.limit + 1)
    }
}

/// A gate that holds every caller until it opens.
private actor Gate {
    private var isOpen = false
    private var line: [CheckedContinuation<Void, Never>] = []

    func wait() async {
        guard !isOpen else { return }
        await withCheckedContinuation { line.append($0) }
    }

    func open() {
        isOpen = true
        for continuation in line { continuation.resume() }
        line = []
    }
}
