public import TidingsContracts
public import TidingsCore
import TidingsPostgres

/// The claims of a batch on its idempotency keys. The first to commit a key owns it for good.
public struct IntakeClaims: Sendable {
    /// One decoded intent with the id it will have if it is the first of its key.
    struct Claim: Sendable {
        let id: NotificationID
        let decoded: DecodedIntent
        /// The content hash of an earlier intent of the same batch with the same key. Nil if there is none.
        let repeats: Digest128?

        /// Whether the id came with the message. Then each delivery of the message has the same id.
        var isReserved: Bool { decoded.reservedID == id }
    }

    /// The notification that owns a key already taken.
    struct Owner {
        let id: NotificationID
        let contentHash: Digest128
    }

    public enum Standing: Sendable {
        case first
        case duplicate
        /// The key was used before with other content. `existing` is nil if that was in the same batch.
        case conflict(existing: NotificationID?)

        var isFirst: Bool {
            if case .first = self { true } else { false }
        }
    }

    let all: [Claim]
    /// Distinct keys in sorted order, so that concurrent batches wait for each other instead of deadlocking.
    private let sorted: [Claim]

    /// - Parameter nextID: makes the id of each notification without a reserved id. The ids stay the same when the transaction runs again.
    public init(_ intents: [DecodedIntent], nextID: () -> NotificationID) {
        var contentOfKey: [Digest128: Digest128] = [:]
        contentOfKey.reserveCapacity(intents.count)
        all = intents.map { decoded in
            let earlier = contentOfKey[decoded.idempotencyKey]
            if earlier == nil { contentOfKey[decoded.idempotencyKey] = decoded.contentHash }
            return Claim(id: decoded.reservedID ?? nextID(), decoded: decoded, repeats: earlier)
        }
        sorted = all.filter { $0.repeats == nil }.sorted { $0.decoded.idempotencyKey < $1.decoded.idempotencyKey }
    }

    /// Claims every key. Unless duplicates are expected, the statement fails if another batch has
    /// claimed one of the keys recently (``isTakenKey(_:)``).
    ///
    /// Older keys are only looked up, each by the index. The snapshot of the statement must be younger than its lock on the table of recent
    /// keys (``Store/Upkeep/moveRecentKeys()``). This requires the isolation level read committed.
    ///
    /// - Returns: The statement. Its answer is the keys that were free.
    func insert(expectingDuplicates: Bool) -> Statement<[Digest128]> {
        let claim: SQL = """
            insert into tidings.idempotency_recent (key, notification_id, content_hash)
            select * from \(sorted.relation("asked", Self.columns))
            where (select earlier.key from tidings.idempotency earlier where earlier.key = asked.key) is null
            """
        let returning: SQL = expectingDuplicates ? " on conflict do nothing returning key" : " returning key"
        return .rows(claim + returning) { Digest128(try $0.decode(PostgresUUID.self)) }
    }

    private static let columns: [Column<Claim>] = [
        Column("key", \.decoded.idempotencyKey), Column("notification_id", \.id), Column("content_hash", \.decoded.contentHash),
    ]

    /// Whether a claim failed because it expected no duplicate and met one.
    static func isTakenKey(_ error: PostgresError) -> Bool { error.sqlState == "23505" && error.constraint == "idempotency_recent_pkey" }

    var recipients: Set<RecipientKey> { Set(sorted.map { RecipientKey($0.decoded.intent) }) }

    /// The number of distinct keys.
    var keyCount: Int { sorted.count }

    func keys(except first: Set<Digest128>) -> [Digest128] {
        first.count == sorted.count ? [] : sorted.map(\.decoded.idempotencyKey).filter { !first.contains($0) }
    }

    /// Whether an earlier try of this very batch was committed although its answer was lost. Its keys then carry the ids of this batch.
    ///
    /// A reserved id proves nothing: an earlier delivery of the same message may have committed it, in another batch. If it counted, the
    /// other intents of this batch would be lost. If a batch has reserved ids only, its repetition counts as duplicates instead.
    func wereCommittedBefore(_ owners: [Digest128: Owner]) -> Bool {
        !owners.isEmpty && sorted.contains { !$0.isReserved && owners[$0.decoded.idempotencyKey]?.id == $0.id }
    }
}

extension IntakeClaims.Claim {
    func standing(first: Set<Digest128>, owners: [Digest128: IntakeClaims.Owner]) -> IntakeClaims.Standing {
        if let earlier = repeats { return earlier == decoded.contentHash ? .duplicate : .conflict(existing: nil) }
        if first.contains(decoded.idempotencyKey) { return .first }
        guard let owner = owners[decoded.idempotencyKey] else { return .duplicate }
        return decoded.contentHash == owner.contentHash ? .duplicate : .conflict(existing: owner.id)
    }
}
