import TidingsCore
import TidingsPostgres
import TidingsWire

/// Rows of `tidings.attempts`. Written before the settling statement of the same pipeline, while the pack still says whose it is. The same
/// attempt again, after a commit whose answer was lost, adds nothing.
struct AttemptRows {
    private let settlements: [Settlement]
    private let worker: String

    init(_ settlements: [Settlement], worker: String) {
        self.settlements = settlements.filter { $0.attempt != nil }
        self.worker = worker
    }

    /// Nil when nothing needs a row of its own.
    var insert: SQL? {
        guard !settlements.isEmpty else { return nil }
        let records = settlements.compactMap(\.attempt)
        return """
            insert into tidings.attempts (notification_id, ordinal, attempt, channel, provider, outcome, reason, status, detail,
                possible_duplicate, late, idempotency_key, worker, started_at, finished_at)
            select told.notification_id, told.ordinal, told.attempt, told.channel, told.provider, told.outcome, told.reason, told.status,
                told.detail, told.possible_duplicate,
                not exists (select from tidings.packs p where p.id = told.pack and p.claimed_by = \(worker)),
                told.idempotency_key, \(worker), told.started_at, told.finished_at
            from unnest(\(settlements.map(\.pack).uuids), \(settlements.map(\.entry.notificationID).uuids),
                \(settlements.map { Int16($0.entry.ordinal) }), \(settlements.map { Int16($0.entry.attempt) }),
                \(settlements.map(\.channel.rawValue)), \(settlements.map(\.provider)), \(records.map(\.outcome)),
                \(records.map(\.reason.rawValue)), \(records.map { $0.status.map { Int32(clamping: $0) } }), \(records.map(\.detail)),
                \(records.map(\.possibleDuplicate)), \(settlements.map(\.entry.key.idempotencyKey)), \(records.map(\.startedAt.timestamptz)),
                \(records.map(\.finishedAt.timestamptz)))
                as told(pack, notification_id, ordinal, attempt, channel, provider, outcome, reason, status, detail, possible_duplicate,
                    idempotency_key, started_at, finished_at)
            where not exists (select from tidings.attempts a where a.notification_id = told.notification_id
                and a.ordinal = told.ordinal and a.attempt = told.attempt and a.started_at = told.started_at and a.worker = \(worker))
            """
    }
}
