import TidingsContracts
import TidingsCore
import TidingsPostgres

/// Packs that are settled as a whole. The statement deletes the row and puts each delivery in its new place, without a look at each member.
struct SettledPacks {
    private let packs: [PackSettlement]
    private let worker: String

    init(_ packs: [PackSettlement], worker: String) {
        self.packs = packs
        self.worker = worker
    }

    /// Closes packs, and returns the closed ones. A pack is closed if `worker` still holds it and it has as many members as `worker`
    /// settles. Only its worker removes members from a claimed pack, so the same count means the same members.
    var close: SQL {
        let closed: SQL = """
            with closed as (
                delete from tidings.packs p using unnest(\(packs.map(\.pack.id).uuids), \(packs.map { Int32($0.settlements.count) })) as whole(id, members)
                where p.id = whole.id and p.claimed_by = \(worker) and cardinality(p.notification_ids) = whole.members
                returning p.id, p.channel, p.provider, p.lane
            )
            """
        return closed + ended + (waiting ?? "") + " select id from closed"
    }

    private var ended: SQL {
        let rows = packs.flatMap { one in
            one.settlements.compactMap { settlement in
                if case .ended(let state, let reason) = settlement.exit { (one.pack.id, settlement, state, reason) } else { nil }
            }
        }
        let told: SQL = """
            unnest(\(rows.map(\.0).uuids), \(rows.map(\.1.entry.notificationID).uuids), \(rows.map { Int16($0.1.entry.ordinal) }),
                \(rows.map(\.1.entry.tenant)), \(rows.map(\.1.entry.endpoint)), \(rows.map(\.2.rawValue)), \(rows.map(\.3.rawValue)),
                \(rows.map { Int16($0.1.attemptsMade) }), \(rows.map(\.1.providerMessageID)))
                as told(pack, notification_id, ordinal, tenant, endpoint, state, reason, attempts, provider_message_id)
            join closed on closed.id = told.pack
            """
        return """
            , ended as (
                \(EndedRows.insert(providerMessageID: "provider_message_id", from: told))
                on conflict do nothing returning tenant, channel, state, reason
            ), counted as (
                \(TallyRows.insertEnded("ended"))
            )
            """
    }

    /// Nil if every delivery has ended.
    private var waiting: SQL? {
        let rows = packs.flatMap { one in
            one.settlements.compactMap { settlement in
                if case .waiting(let time, let kind, _, _) = settlement.exit { (one.pack.id, settlement, time, kind) } else { nil }
            }
        }
        guard !rows.isEmpty else { return nil }
        let told: SQL = """
            unnest(\(rows.map(\.0).uuids), \(rows.map(\.1.entry.notificationID).uuids), \(rows.map { Int16($0.1.entry.ordinal) }),
                \(rows.map(\.2.timestamptz)), \(rows.map(\.3.rawValue)), \(rows.map(\.1.entry.tenant)), \(rows.map(\.1.entry.endpoint)),
                \(rows.map { Int16($0.1.attemptsMade) }), \(rows.map(\.1.reason.rawValue)))
                as told(pack, notification_id, ordinal, due_at, kind, tenant, endpoint, attempt, reason)
            join closed on closed.id = told.pack
            """
        return ", waiting as (\(DueRows.insert(from: told)) on conflict do nothing)"
    }
}
