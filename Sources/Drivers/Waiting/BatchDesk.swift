/// Answers requests in batches. While a batch is in work, the next one gathers. At low load a request is answered at once. At high load many
/// requests share a query or a commit.
package actor BatchDesk<Request: Sendable, Answer: Sendable> {
    /// Answers the requests of a batch, in their order.
    package typealias Work = @Sendable ([Request]) async throws -> [Answer]

    private let largestBatch: Int
    private let batchesInWork: Int
    private let mostWaiting: Int
    private let size: @Sendable (Request) -> Int
    private let work: Work
    private var collected: [(request: Request, continuation: CheckedContinuation<Answer, any Error>)] = []
    private var working = 0

    /// - Parameters:
    ///   - largestBatch: the size after which a batch takes no further request. A batch exceeds it by at most one request.
    ///   - batchesInWork: the batches that are in work at once.
    ///   - mostWaiting: the requests that wait for the next batch. One more is refused.
    ///   - size: the size of a request, 1 unless told.
    package init(
        largestBatch: Int, batchesInWork: Int = 1, mostWaiting: Int = .max, size: @escaping @Sendable (Request) -> Int = { _ in 1 },
        work: @escaping Work
    ) {
        self.largestBatch = largestBatch
        self.batchesInWork = batchesInWork
        self.mostWaiting = mostWaiting
        self.size = size
        self.work = work
    }

    /// The requests that wait for the next batch.
    package var waiting: Int { collected.count }

    /// Returns the answer to a request, or throws what the work of its batch threw. Throws ``BatchDeskIsFull`` if too many requests wait.
    ///
    /// Cancelling the task does not end the wait.
    package func answer(to request: Request) async throws -> Answer {
        guard collected.count < mostWaiting else { throw BatchDeskIsFull() }
        return try await withCheckedThrowingContinuation { continuation in
            collected.append((request, continuation))
            beginNext()
        }
    }

    private func beginNext() {
        guard working < batchesInWork, !collected.isEmpty else { return }
        working += 1
        // The task lets the requests that are ready at this moment join. `answer` awaits the result.
        Task { await finish() }
    }

    private func finish() async {
        let batch = takeBatch()
        do {
            let answers = batch.isEmpty ? [] : try await work(batch.map(\.request))
            for (waiting, answer) in zip(batch, answers) { waiting.continuation.resume(returning: answer) }
        } catch {
            for waiting in batch { waiting.continuation.resume(throwing: error) }
        }
        working -= 1
        beginNext()
    }

    private func takeBatch() -> [(request: Request, continuation: CheckedContinuation<Answer, any Error>)] {
        var (count, size) = (0, 0)
        while count < collected.count, size < largestBatch {
            size += self.size(collected[count].request)
            count += 1
        }
        defer { collected.removeFirst(count) }
        return Array(collected[..<count])
    }
}

/// Too many requests wait.
package struct BatchDeskIsFull: Error {}
