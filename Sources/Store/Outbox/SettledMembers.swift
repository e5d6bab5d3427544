import TidingsContracts
import TidingsCore
import TidingsPostgres

/// The settled deliveries of packs from which other deliveries are still open.
struct SettledMembers {
    private let packs: [PackID]
    private let rows: [(pack: PackID, settlement: Settlement)]
    private let worker: String

    init(_ packs: [PackSettlement], worker: String) {
        self.packs = Set(packs.map(\.pack.id)).sorted()
        rows = packs.flatMap { one in one.settlements.map { (one.pack.id, $0) } }
        self.worker = worker
    }

    /// The statements, empty if there is nothing to settle. The last statement returns the settled deliveries: pack, notification, ordinal.
    var statements: [SQL] { rows.isEmpty ? [] : [lock, settle] }

    /// Locks the packs in a statement of its own. The next statement then sees the deliveries that another settlement of the same pack has
    /// just removed.
    private var lock: SQL { "select from tidings.packs where id = any(\(packs.uuids)) and claimed_by = \(worker) order by id for update" }

    private var states: [String?] {
        rows.map { if case .ended(let state, _) = $0.settlement.exit { state.rawValue } else { nil } }
    }
    private var dueAt: [PostgresTimestamp?] {
        rows.map { if case .waiting(let until, _, _, _) = $0.settlement.exit { until.timestamptz } else { nil } }
    }
    private var kinds: [String?] {
        rows.map { if case .waiting(_, let kind, _, _) = $0.settlement.exit { kind.rawValue } else { nil } }
    }

    /// Removes the settled deliveries from the packs that `worker` holds, puts each in its new place, and counts the ended ones. A delivery
    /// that has already left the pack is not changed, so settling twice changes nothing.
    private var settle: SQL {
        """
        with member as materialized (
            select p.id as pack, p.channel, p.provider, p.lane, m.notification_id, m.ordinal, m.attempt, m.position
            from tidings.packs p cross join lateral unnest(p.notification_ids, p.ordinals, p.attempts)
                with ordinality as m(notification_id, ordinal, attempt, position)
            where p.id = any(\(packs.uuids)) and p.claimed_by = \(worker)
        ), given as materialized (
            select told.*, member.channel, member.provider, member.lane
            from unnest(\(rows.map(\.pack).uuids), \(rows.map(\.settlement.entry.notificationID).uuids),
                \(rows.map { Int16($0.settlement.entry.ordinal) }), \(rows.map(\.settlement.entry.tenant)),
                \(rows.map(\.settlement.entry.endpoint)), \(states), \(rows.map(\.settlement.reason.rawValue)),
                \(rows.map { Int16($0.settlement.attemptsMade) }), \(rows.map(\.settlement.providerMessageID)), \(dueAt), \(kinds))
                as told(pack, notification_id, ordinal, tenant, endpoint, state, reason, attempts, provider_message_id, due_at, kind)
            join member using (pack, notification_id, ordinal)
        ), ended as (
            \(EndedRows.insert(providerMessageID: "provider_message_id", from: "given where state is not null"))
            on conflict do nothing returning tenant, channel, state, reason
        ), waiting as (
            \(DueRows.insert(attempt: "attempts", from: "given where state is null"))
            on conflict do nothing
        ), counted as (
            \(TallyRows.insertEnded("ended"))
        ), rest as materialized (
            select m.pack, array_agg(m.notification_id order by m.position) filter (where g.pack is null) as notification_ids,
                array_agg(m.ordinal order by m.position) filter (where g.pack is null) as ordinals,
                array_agg(m.attempt order by m.position) filter (where g.pack is null) as attempts
            from member m left join given g on g.pack = m.pack and g.notification_id = m.notification_id and g.ordinal = m.ordinal
            group by m.pack having count(g.pack) > 0
        ), closed as (
            delete from tidings.packs p using rest r where p.id = r.pack and r.notification_ids is null
        ), shrunk as (
            update tidings.packs p set notification_ids = r.notification_ids, ordinals = r.ordinals, attempts = r.attempts
            from rest r where p.id = r.pack and r.notification_ids is not null
        )
        select pack, notification_id, ordinal from given
        """
    }
}
