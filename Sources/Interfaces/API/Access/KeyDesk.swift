import Logging
import Synchronization
import TidingsPipeline
import TidingsStore
import TidingsWaiting
import TidingsWeb

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

    private let desk: BatchDesk<APIKeyText, CallerKey?>
    private let recordUse: RecordUse
    /// Good keys whose use is recorded next.
    private var used: Set<CallerKey> = []
    private var isRecording = false

    /// - Parameters:
    ///   - lookUp: returns the key of each text, in the order of the texts. Nil for a text that is no good key.
    ///   - recordUse: records the use of keys that were found good.
    init(lookUp: @escaping LookUp, recordUse: @escaping RecordUse = { _ in }) {
        desk = BatchDesk(largestBatch: Self.largestBatch, mostWaiting: Self.mostWaiting, work: lookUp)
        self.recordUse = recordUse
    }

    /// Keys that wait for the next query.
    var waiting: Int { get async { await desk.waiting } }

    /// The key of a text. Nil if it is unknown, has expired or was revoked, or if its secret is wrong. Throws the error of the database, or a
    /// problem if too many keys wait.
    func key(_ text: APIKeyText) async throws -> CallerKey? {
        do {
            let key = try await desk.answer(to: text)
            if let key { note(key) }
            return key
        } catch is BatchDeskIsFull {
            throw Problem.unavailable("Too many keys wait for their check.", retryAfter: ByteRoom.pause)
        }
    }

    private func note(_ key: CallerKey) {
        used.insert(key)
        guard !isRecording else { return }
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
            lookUp: { try await store.keys.authenticate($0) },
            recordUse: { keys in
                do {
                    try await store.keys.recordUse(of: keys)
                } catch {
                    guard reminder.withLock({ $0.isDue() }) else { return }
                    logger.warning("cannot record the use of keys", metadata: ["keys": "\(keys.count)", "error": "\(error)"])
                }
            })
    }
}
