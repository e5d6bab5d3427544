import Foundation

/// Runs every task of a scene on the thread of the test, one after the other. After ``drain()`` nothing can go on without the test: so a test
/// may say that something did not happen, without waiting for it.
// The lock guards the only stored property that changes.
final class StepExecutor: TaskExecutor, @unchecked Sendable {
    private let lock = NSLock()
    private var jobs: [UnownedJob] = []

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        lock.withLock { jobs.append(job) }
    }

    func drain() {
        while let job = lock.withLock({ jobs.isEmpty ? nil : jobs.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}

/// A clock that a test moves.
// The lock guards every stored property that changes.
final class SteppedClock: @unchecked Sendable {
    private struct Sleeper {
        let number: Int
        let end: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    private let start: Date
    private let lock = NSLock()
    private var time = Duration.zero
    private var sleepers: [Sleeper] = []
    private var lastNumber = 0

    init(start: Date) { self.start = start }

    var elapsed: Duration { lock.withLock { time } }
    var now: Date { start.addingTimeInterval(elapsed / .seconds(1)) }

    func sleep(_ length: Duration) async throws {
        let number = lock.withLock {
            lastNumber += 1
            return lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                lock.withLock { sleepers.append(Sleeper(number: number, end: time + length, continuation: continuation)) }
                if Task.isCancelled { cancel(number) }
            }
        } onCancel: {
            cancel(number)
        }
    }

    private func cancel(_ number: Int) {
        let sleeper = lock.withLock {
            sleepers.firstIndex { $0.number == number }.map { sleepers.remove(at: $0) }
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }

    /// Moves the clock. Sleepers wake in order, each at its own time, and `drain` runs what they do.
    func advance(_ length: Duration, drain: () -> Void) {
        let end = elapsed + length
        while let sleeper = takeSleeper(until: end) {
            sleeper.continuation.resume()
            drain()
        }
        lock.withLock { time = end }
        drain()
    }

    private func takeSleeper(until end: Duration) -> Sleeper? {
        lock.withLock {
            guard let next = sleepers.indices.min(by: { sleepers[$0].end < sleepers[$1].end }), sleepers[next].end <= end else {
                return nil
            }
            time = max(time, sleepers[next].end)
            return sleepers.remove(at: next)
        }
    }
}
