import TidingsContracts
import TidingsCore
import TidingsStore
import TidingsWaiting

/// Reserves the ids of requests in batches. The API bounds the requests that wait: each one is a connection. Each tenant has as much of a
/// batch as any other, so many requests of one tenant do not delay the requests of others.
///
/// Large requests have commits of their own, one at a time. A commit with thousands of ids takes hundreds of milliseconds, and a small
/// request would wait for one, and then be part of the next.
package struct ReservationDesk: Sendable {
    /// The number of intents after which a commit takes no further small request. A commit exceeds it by at most one request.
    package static let largestBatch = 2_000
    /// The number of commits of small requests under way at once.
    package static let commitsInWork = 2
    /// The number of intents of the largest small request.
    package static let largestSmallRequest = 100
    /// The number of intents after which a commit takes no further large request. A commit exceeds it by at most one request.
    package static let largestLargeBatch = 1_000

    private let small: BatchDesk<ReservationRequest, ReservationAnswer>
    private let large: BatchDesk<ReservationRequest, ReservationAnswer>

    init(store: Store) {
        self.init { requests in
            await mayHang(.reserve)
            return try await store.reservations.reserve(requests)
        }
    }

    /// - Parameter reserve: commits the ids of a batch of requests.
    init(reserve: @escaping BatchDesk<ReservationRequest, ReservationAnswer>.Work) {
        func desk(upTo largestBatch: Int, commitsInWork: Int) -> BatchDesk<ReservationRequest, ReservationAnswer> {
            BatchDesk(
                largestBatch: largestBatch, batchesInWork: commitsInWork, owner: { $0.intents.first?.intent.tenant ?? "" },
                size: { $0.intents.count }, work: reserve)
        }
        small = desk(upTo: Self.largestBatch, commitsInWork: Self.commitsInWork)
        large = desk(upTo: Self.largestLargeBatch, commitsInWork: 1)
    }

    /// Returns when the ids are committed. Throws the error of the database if they could not be.
    func reserve(_ request: ReservationRequest) async throws -> ReservationAnswer {
        try await (request.intents.count > Self.largestSmallRequest ? large : small).answer(to: request)
    }
}
