import TidingsContracts
import TidingsCore
import TidingsPostgres

/// Rows of `tidings.attempts`. They are written before the settling statement of the same pipeline, while the pack still names its worker.
/// If the answer to a commit is lost, writing the same attempt again adds nothing.
struct AttemptRows {
    private let rows: [(pack: Pack, settlement: Settlement)]
    private let worker: String

    init(_ packs: [PackSettlement], worker: String) {
        rows = packs.flatMap { one in one.settlements.lazy.filter { $0.attempt != nil && !$0.speaksForItself }.map { (one.pack, $0) } }
        self.worker = worker
    }

    /// The attempts of late outcomes, whose pack no longer belonged to `worker`. Each attempt gets a row, a first success too.
    init(late: [LateSettlement], worker: String) {
        rows = late.lazy.filter { $0.settlement.attempt != nil }.map { ($0.pack, $0.settlement) }
        self.worker = worker
    }

    /// Nil if no attempt needs a row of its own. `offset 0` makes PostgreSQL look up each attempt by itself. As a join, the lookup may read
    /// the attempts of all days.
    ///
    /// The notification of a late attempt may have been erased with its person: such an attempt leaves nothing. The lock makes an erasure
    /// and this statement wait for each other.
    var insert: SQL? {
        guard !rows.isEmpty else { return nil }
        let (packs, settlements) = (rows.map(\.pack), rows.map(\.settlement))
        let records = settlements.compactMap(\.attempt)
        return """
            insert into tidings.attempts (notification_id, ordinal, attempt, channel, provider, outcome, reason, status, detail,
                possible_duplicate, late, idempotency_key, worker, started_at, finished_at)
            select told.notification_id, told.ordinal, told.attempt, told.channel, told.provider, told.outcome, told.reason, told.status,
                told.detail, told.possible_duplicate,
                not exists (select from tidings.packs p where p.id = told.pack and p.claimed_by = \(worker)),
                told.idempotency_key, \(worker), told.started_at, told.finished_at
            from unnest(\(packs.map(\.id).uuids), \(settlements.map(\.entry.notificationID).uuids),
                \(settlements.map { Int16($0.entry.ordinal) }), \(settlements.map { Int16($0.entry.attempt) }),
                \(packs.map(\.channel.rawValue)), \(packs.map(\.provider)), \(records.map(\.outcome)),
                \(records.map(\.reason.rawValue)), \(records.map { $0.status.map { Int32(clamping: $0) } }), \(records.map(\.detail)),
                \(records.map(\.possibleDuplicate)), \(settlements.map(\.entry.key.idempotencyKey)), \(records.map(\.startedAt.timestamptz)),
                \(records.map(\.finishedAt.timestamptz)))
                as told(pack, notification_id, ordinal, attempt, channel, provider, outcome, reason, status, detail, possible_duplicate,
                    idempotency_key, started_at, finished_at)
            where (exists (select from tidings.packs p where p.id = told.pack and p.claimed_by = \(worker))
                or exists (select from tidings.notifications n where n.id = told.notification_id limit 1 for key share))
                and not exists (select from tidings.attempts a where a.notification_id = told.notification_id
                and a.ordinal = told.ordinal and a.attempt = told.attempt and a.started_at = told.started_at and a.worker = \(worker)
                offset 0)
            """
    }
}
