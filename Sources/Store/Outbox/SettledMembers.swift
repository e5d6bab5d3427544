import TidingsContracts
import TidingsCore
import TidingsPostgres

/// The settled deliveries of packs from which other deliveries are still open.
struct SettledMembers {
    private let packs: [PackID]
    private let rows: [SettledDelivery]
    private let worker: String

    init(_ packs: [PackSettlement], worker: String) {
        self.packs = Set(packs.map(\.pack.id)).sorted()
        rows = SettledDelivery.all(of: packs)
        self.worker = worker
    }

    /// Whether there is nothing to settle.
    var isEmpty: Bool { rows.isEmpty }

    /// Locks the packs in a statement of its own, before ``settle``. That statement then sees the deliveries that another settlement of the
    /// same pack has just removed.
    var lock: SQL { "select from tidings.packs where id = any(\(packs.uuids)) and claimed_by = \(worker) order by id for update" }

    /// Removes the settled deliveries from the packs that `worker` holds, puts each in its new place, and counts the ended ones. A delivery
    /// that has already left the pack is not changed, so settling twice changes nothing. Answers with the settled deliveries.
    var settle: Statement<[PlaceInPack]> {
        .rows(settlement) { row in
            PlaceInPack(pack: try row.decode("pack"), delivery: try DeliveryKey(row))
        }
    }

    private var settlement: SQL {
        """
        with member as materialized (
            select p.id as pack, p.channel, p.provider, p.lane, m.notification_id, m.ordinal, m.attempt, m.position
            from tidings.packs p cross join lateral unnest(p.notification_ids, p.ordinals, p.attempts)
                with ordinality as m(notification_id, ordinal, attempt, position)
            where p.id = any(\(packs.uuids)) and p.claimed_by = \(worker)
        ), given as materialized (
            select told.*, member.channel, member.provider, member.lane
            from \(rows.relation("told", SettledDelivery.columns + [.state, .providerMessageID, .time, .kind]))
            join member using (pack, notification_id, ordinal)
        ), ended as (
            \(EndedRow.insert(from: "given where state is not null", setting: [.providerMessageID: "provider_message_id"]))
            on conflict do nothing returning tenant, channel, state, reason
        ), waiting as (
            \(DueRow.insert(from: "given where state is null", setting: [.attempt: "attempts"]))
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

/// A delivery in the one pack to which it belongs.
struct PlaceInPack: Hashable, Sendable {
    let pack: PackID
    let delivery: DeliveryKey
}
