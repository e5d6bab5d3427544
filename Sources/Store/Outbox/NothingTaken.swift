import TidingsContracts
import TidingsCore
import TidingsPostgres

/// Late settlements by which the provider took nothing. The worker had not begun the call when its lease ended, or the provider refused it.
///
/// A releaser that took the pack apart could only guess: it wrote an attempt `unknown` with the reason `workerDied`, often as a possible
/// duplicate, or ended the delivery as `outcomeUnknown`. The worker knows better. So its statement corrects the guess:
///
/// - The attempt is no possible duplicate any more, whether the next attempt has begun or not.
/// - If the call had not begun, the attempt becomes a `retry` with the reason `leaseExpired`. Its number stays, because a later attempt may
///   already have the next one.
/// - A delivery that ended only because of the guess waits again, and a releaser judges it anew. A delivery of an escalation stays ended,
///   because a later channel has taken over.
///
/// The guess of this very claim is found by its worker and by the time of its claim. So a settlement that is written again, because the answer
/// to its commit was lost, corrects no guess about a later claim. If the guess was corrected before, nothing is left to correct.
struct NothingTaken {
    private struct Row: Sendable {
        let key: DeliveryKey
        let attempt: Int
        let claimedAt: Timestamp
        /// Whether the provider was called. The attempt then has a row of its own.
        let wasCalled: Bool
        /// The way in which the delivery waits if the guess had ended it. Nil if the provider refused it for good.
        let wait: (until: Timestamp, kind: DueKind, reason: ReasonCode)?

        init?(_ late: LateSettlement) {
            let settlement = late.settlement
            guard !["accepted", "unknown"].contains(settlement.attempt?.outcome) else { return nil }
            (key, attempt, claimedAt) = (settlement.entry.key, settlement.entry.attempt, late.claimedAt)
            wasCalled = settlement.attempt != nil
            switch settlement.exit {
            case .waiting(let until, let kind, _, let reason): wait = (until, kind, reason)
            // The delivery expired before its call. The releaser ends it as such.
            case .ended: wait = wasCalled ? nil : (claimedAt, .recover, .afterValidity)
            }
        }
    }

    private let rows: [Row]
    private let worker: String

    init(_ late: [LateSettlement], worker: String) {
        rows = late.compactMap(Row.init)
        self.worker = worker
    }

    /// A constant range of ids. It limits the statement to the partitions of their days.
    private var range: (low: PostgresUUID?, high: PostgresUUID?) {
        (rows.map(\.key.notificationID).min()?.uuid, rows.map(\.key.notificationID).max()?.uuid)
    }

    private var told: SQL {
        "select * from "
            + rows.relation(
                "t",
                [
                    Column("notification_id", \.key.notificationID), Column(smallint: "ordinal", \.key.ordinal),
                    Column(smallint: "attempt", \.attempt), Column("claimed_at", \.claimedAt), Column("was_called", \.wasCalled),
                    Column("due_at") { $0.wait?.until }, Column("kind") { $0.wait?.kind.rawValue },
                    Column("waits_for") { $0.wait?.reason.rawValue },
                ])
    }

    /// Nil if there is nothing to correct. The deliveries are taken before the attempts, in the same order as an operator's retry takes them.
    /// `offset 0` makes PostgreSQL look up each attempt by itself, as in ``AttemptRows``.
    var correct: SQL? {
        guard !rows.isEmpty else { return nil }
        return """
            with told as materialized (\(told)), guessed as materialized (
                select t.* from told t where exists (select from tidings.attempts a
                    where a.notification_id = t.notification_id and a.ordinal = t.ordinal and a.attempt = t.attempt and a.worker = \(worker)
                        and a.started_at = t.claimed_at and a.outcome = 'unknown' and a.reason = 'workerDied' offset 0)
            ), reopened as (
                delete from tidings.deliveries d using guessed g
                where d.notification_id = g.notification_id and d.ordinal = g.ordinal and d.attempts = g.attempt and g.kind is not null
                    and d.state = 'failed' and d.reason = 'outcomeUnknown' and d.notification_id between \(range.low) and \(range.high)
                    and not exists (select from tidings.notifications n where n.id = d.notification_id and n.critical offset 0)
                returning d.notification_id, d.ordinal, d.tenant, d.channel, d.provider, d.endpoint, d.state, d.reason, d.attempts, g.due_at,
                    g.kind, g.waits_for
            ), counted as (
                \(TallyRows.insertEnded(undone: "reopened"))
            ), waiting as (
                \(DueRow.insert(
                    from: """
                        (select r.*, n.lane from reopened r cross join lateral (
                            select n.lane from tidings.notifications n where n.id = r.notification_id limit 1) n) reopened
                        """, setting: [.attempt: "attempts + 1", .reason: "waits_for"]))
            )
            update tidings.attempts a set possible_duplicate = false, outcome = case when g.was_called then a.outcome else 'retry' end,
                reason = case when g.was_called then a.reason else 'leaseExpired' end, late = a.late or not g.was_called
            from guessed g
            where a.notification_id = g.notification_id and a.ordinal = g.ordinal and a.attempt = g.attempt and a.worker = \(worker)
                and a.started_at = g.claimed_at and a.outcome = 'unknown' and a.reason = 'workerDied'
                and a.notification_id between \(range.low) and \(range.high)
            """
    }
}
