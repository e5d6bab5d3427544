/// Answers requests in batches. While a batch is in work, the next one gathers. At low load a request is answered at once. At high load many
/// requests share a query or a commit, and each owner of requests has as much of a batch as any other.
package actor BatchDesk<Request: Sendable, Answer: Sendable> {
    /// Answers the requests of a batch, in their order. One answer for each request.
    package typealias Work = @Sendable ([Request]) async throws -> [Answer]

    private let largestBatch: Int
    private let batchesInWork: Int
    private let mostWaiting: Int
    private let owner: @Sendable (Request) -> String
    private let size: @Sendable (Request) -> Int
    private let work: Work
    private var collected = OwnerLines<Waiting>()
    private var working = 0

    private struct Waiting {
        let request: Request
        let continuation: CheckedContinuation<Answer, any Error>
    }

    /// - Parameters:
    ///   - largestBatch: the size after which a batch takes no further request. A batch exceeds it by at most one request.
    ///   - batchesInWork: the batches that are in work at once.
    ///   - mostWaiting: the requests that wait for the next batch. One more is refused.
    ///   - owner: the owner of a request. All requests have the same one unless told.
    ///   - size: the size of a request, 1 unless told.
    package init(
        largestBatch: Int, batchesInWork: Int = 1, mostWaiting: Int = .max, owner: @escaping @Sendable (Request) -> String = { _ in "" },
        size: @escaping @Sendable (Request) -> Int = { _ in 1 }, work: @escaping Work
    ) {
        self.largestBatch = largestBatch
        self.batchesInWork = batchesInWork
        self.mostWaiting = mostWaiting
        self.owner = owner
        self.size = size
        self.work = work
    }

    /// The requests that wait for the next batch.
    package var waiting: Int { collected.count }

    /// Returns the answer to a request, or throws what the work of its batch threw. Throws ``BatchDeskIsFull`` if too many requests wait,
    /// and ``AnswersMissing`` if the work had not one answer for each request.
    ///
    /// Cancelling the task does not end the wait.
    package func answer(to request: Request) async throws -> Answer {
        guard collected.count < mostWaiting else { throw BatchDeskIsFull() }
        return try await withCheckedThrowingContinuation { continuation in
            collected.append(Waiting(request: request, continuation: continuation), of: size(request), for: owner(request))
            beginNext()
        }
    }

    private func beginNext() {
        guard working < batchesInWork, collected.count > 0 else { return }
        working += 1
        // The task lets the requests that are ready at this moment join. `answer` awaits the result.
        Task { await finish() }
    }

    private func finish() async {
        let batch = collected.dequeueBatch(upTo: largestBatch)
        do {
            let answers = batch.isEmpty ? [] : try await work(batch.map(\.request))
            guard answers.count == batch.count else { throw AnswersMissing(requests: batch.count, answers: answers.count) }
            for (waiting, answer) in zip(batch, answers) { waiting.continuation.resume(returning: answer) }
        } catch {
            for waiting in batch { waiting.continuation.resume(throwing: error) }
        }
        working -= 1
        beginNext()
    }
}

/// Too many requests wait.
package struct BatchDeskIsFull: Error {}

/// The work of a batch had more or fewer answers than requests, so no answer belongs to a request for certain.
package struct AnswersMissing: Error, Hashable {
    package let requests: Int
    package let answers: Int
}
