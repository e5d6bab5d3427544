import Logging
import Synchronization
import TidingsPipeline
import TidingsStore

/// Looks keys up in batches. While one query runs, the next keys gather, so any number of wrong keys costs one connection and few queries.
///
/// The use of good keys is recorded beside the queries. The record is a commit, and while a standby is away it may wait for minutes.
actor KeyDesk {
    /// Keys that one query looks up.
    static let largestBatch = 500
    /// Keys that wait for a query. Each belongs to a request of a client that has proved nothing yet, and the request is in memory.
    static let mostWaiting = 1_000

    typealias LookUp = @Sendable ([APIKeyText]) async throws -> [CallerKey?]
    typealias RecordUse = @Sendable ([CallerKey]) async -> Void

    private let lookUp: LookUp
    private let recordUse: RecordUse
    private var collected: [(APIKeyText, CheckedContinuation<CallerKey?, any Error>)] = []
    private var isLooking = false
    /// Good keys whose use is recorded next.
    private var used: Set<CallerKey> = []
    private var isRecording = false

    /// - Parameters:
    ///   - lookUp: returns the key of each text, in the order of the texts. Nil for a text that is no good key.
    ///   - recordUse: records the use of keys that were found good.
    init(lookUp: @escaping LookUp, recordUse: @escaping RecordUse = { _ in }) {
        self.lookUp = lookUp
        self.recordUse = recordUse
    }

    /// Keys that wait for the next query.
    var waiting: Int { collected.count }

    /// The key of a text. Nil if it is unknown, has expired or was revoked, or if its secret is wrong. Throws the error of the database, or a
    /// problem if too many keys wait.
    func key(_ text: APIKeyText) async throws -> CallerKey? {
        guard collected.count < Self.mostWaiting else {
            throw Problem.unavailable("Too many keys wait for their check.", retryAfter: ByteRoom.pause)
        }
        return try await withCheckedThrowingContinuation { continuation in
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
            note(keys.compactMap { $0 })
        } catch {
            for (_, continuation) in batch { continuation.resume(throwing: error) }
        }
        isLooking = false
        lookNext()
    }

    private func note(_ keys: [CallerKey]) {
        used.formUnion(keys)
        guard !isRecording, !used.isEmpty else { return }
        isRecording = true
        // No request waits for the record.
        Task { await record() }
    }

    private func record() async {
        while !used.isEmpty {
            let keys = Array(used)
            used = []
            await recordUse(keys)
        }
        isRecording = false
    }
}

extension KeyDesk {
    /// A desk that looks keys up in the database.
    static func asking(_ store: Store, logger: Logger) -> KeyDesk {
        let reminder = Mutex(Reminder())
        return KeyDesk(
            lookUp: { try await store.authenticate($0) },
            recordUse: { keys in
                do {
                    try await store.recordUse(of: keys)
                } catch {
                    guard reminder.withLock({ $0.isDue() }) else { return }
                    logger.warning("cannot record the use of keys", metadata: ["keys": "\(keys.count)", "error": "\(error)"])
                }
            })
    }
}
