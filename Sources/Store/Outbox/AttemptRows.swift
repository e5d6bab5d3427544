import TidingsContracts
import TidingsCore
import TidingsPostgres

/// Rows of `tidings.attempts`. They are written before the settling statement of the same pipeline, while the pack still names its worker.
/// If the answer to a commit is lost, writing the same attempt again adds nothing.
struct AttemptRows {
    private let rows: [AttemptRow]
    private let worker: String

    init(_ packs: [PackSettlement], worker: String) {
        rows = packs.flatMap { one in
            one.settlements.lazy.filter { !$0.speaksForItself }.compactMap { AttemptRow($0, of: one.pack, worker: worker) }
        }
        self.worker = worker
    }

    /// The attempts of late outcomes, whose pack no longer belonged to `worker`. Each attempt gets a row, a first success too.
    init(late: [LateSettlement], worker: String) {
        rows = late.compactMap { AttemptRow($0.settlement, of: $0.pack, worker: worker) }
        self.worker = worker
    }

    /// Nil if no attempt needs a row of its own. `offset 0` makes PostgreSQL look up each attempt by itself. As a join, the lookup may read
    /// the attempts of all days.
    ///
    /// The notification of a late attempt may have been erased with its person: such an attempt leaves nothing. The lock makes an erasure
    /// and this statement wait for each other.
    var insert: SQL? {
        guard !rows.isEmpty else { return nil }
        let isHeld: SQL = "exists (select from tidings.packs p where p.id = told.pack and p.claimed_by = \(worker))"
        return AttemptRow.insert(
            from: """
                \(rows.relation("told", AttemptRow.table.columns + [.pack]))
                where (\(isHeld) or exists (select from tidings.notifications n where n.id = told.notification_id limit 1 for key share))
                    and not exists (select from tidings.attempts a where a.notification_id = told.notification_id
                    and a.ordinal = told.ordinal and a.attempt = told.attempt and a.started_at = told.started_at and a.worker = \(worker)
                    offset 0)
                """, setting: [.late: "not \(isHeld)"])
    }
}

extension AttemptRow {
    /// Nil if no call was made.
    fileprivate init?(_ settlement: Settlement, of pack: Pack, worker: String) {
        guard let record = settlement.attempt else { return nil }
        self.init(
            key: settlement.entry.key, attempt: settlement.entry.attempt, channel: pack.channel, provider: pack.provider,
            outcome: record.outcome, reason: record.reason, status: record.status, detail: record.detail,
            possibleDuplicate: record.possibleDuplicate, worker: worker, startedAt: record.startedAt, finishedAt: record.finishedAt,
            pack: pack.id)
    }
}
