import TidingsStore

/// Looks keys up in batches. While one query runs, the next keys gather, so any number of wrong keys costs one connection and few queries.
actor KeyDesk {
    /// Keys that one query looks up.
    static let largestBatch = 500

    typealias LookUp = @Sendable ([APIKeyText]) async throws -> [CallerKey?]

    private let lookUp: LookUp
    /// The API bounds the keys that wait: each one is a connection.
    private var collected: [(APIKeyText, CheckedContinuation<CallerKey?, any Error>)] = []
    private var isLooking = false

    /// - Parameter lookUp: returns the key of each text, in the order of the texts. Nil for a text that is no good key.
    init(lookUp: @escaping LookUp) { self.lookUp = lookUp }

    /// Keys that wait for the next query.
    var waiting: Int { collected.count }

    /// The key of a text. Nil if it is unknown, has expired or was revoked, or if its secret is wrong. Throws the error of the database.
    func key(_ text: APIKeyText) async throws -> CallerKey? {
        try await withCheckedThrowingContinuation { continuation in
            collected.append((text, continuation))
            lookNext()
        }
    }

    private func lookNext() {
        guard !isLooking, !collected.isEmpty else { return }
        isLooking = true
        // The task lets the keys that are ready at this moment join. `key` awaits the result.
        Task { await look() }
    }

    private func look() async {
        let batch = Array(collected.prefix(Self.largestBatch))
        collected.removeFirst(batch.count)
        do {
            let keys = try await lookUp(batch.map(\.0))
            for ((_, continuation), key) in zip(batch, keys) { continuation.resume(returning: key) }
        } catch {
            for (_, continuation) in batch { continuation.resume(throwing: error) }
        }
        isLooking = false
        lookNext()
    }
}
