import TidingsContracts
import TidingsCore
import TidingsStore
import TidingsWaiting

/// Reserves the ids of requests in batches. The API bounds the requests that wait: each one is a connection. Each tenant has as much of a
/// batch as any other, so many large requests of one tenant do not delay the requests of others.
package struct ReservationDesk: Sendable {
    /// The number of intents after which a commit takes no further request. A commit exceeds it by at most one request.
    package static let largestBatch = 2_000
    /// The number of commits under way at once.
    package static let commitsInWork = 2

    private let desk: BatchDesk<ReservationRequest, ReservationAnswer>

    init(store: Store) {
        desk = BatchDesk(
            largestBatch: Self.largestBatch, batchesInWork: Self.commitsInWork, owner: { $0.intents.first?.intent.tenant ?? "" },
            size: { $0.intents.count }
        ) { requests in
            await mayHang(.reserve)
            return try await store.reservations.reserve(requests)
        }
    }

    /// Returns when the ids are committed. Throws the error of the database if they could not be.
    func reserve(_ request: ReservationRequest) async throws -> ReservationAnswer { try await desk.answer(to: request) }
}
