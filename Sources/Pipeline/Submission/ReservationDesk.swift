import TidingsStore

/// Reserves the ids of requests in batches. While one batch commits, the next one collects. At low load a request is served at once. At
/// high load many requests share a commit.
package actor ReservationDesk {
    /// The number of intents after which a commit takes no further request. A commit exceeds it by at most one request.
    package static let largestBatch = 2_000
    /// The number of commits under way at once.
    package static let commitsInWork = 2

    private let store: Store
    /// The API bounds the requests that wait: each one is a connection.
    private var collected: [(ReservationRequest, CheckedContinuation<ReservationAnswer, any Error>)] = []
    private var committing = 0

    init(store: Store) { self.store = store }

    /// Returns when the ids are committed. Throws the error of the database if they could not be.
    func reserve(_ request: ReservationRequest) async throws -> ReservationAnswer {
        try await withCheckedThrowingContinuation { continuation in
            collected.append((request, continuation))
            commitNext()
        }
    }

    private func commitNext() {
        guard committing < Self.commitsInWork, !collected.isEmpty else { return }
        committing += 1
        // The task lets the requests that are ready at this moment join. `reserve` awaits the result.
        Task { await commit() }
    }

    private func commit() async {
        let batch = takeBatch()
        await mayHang(.reserve)
        do {
            let answers = batch.isEmpty ? [] : try await store.reserve(batch.map(\.0))
            for ((_, continuation), answer) in zip(batch, answers) { continuation.resume(returning: answer) }
        } catch {
            for (_, continuation) in batch { continuation.resume(throwing: error) }
        }
        committing -= 1
        commitNext()
    }

    private func takeBatch() -> [(ReservationRequest, CheckedContinuation<ReservationAnswer, any Error>)] {
        var (count, intents) = (0, 0)
        while count < collected.count, intents < Self.largestBatch {
            intents += collected[count].0.intents.count
            count += 1
        }
        defer { collected.removeFirst(count) }
        return Array(collected[..<count])
    }
}
