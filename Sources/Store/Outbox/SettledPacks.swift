import TidingsContracts
import TidingsCore
import TidingsPostgres

/// Packs that are settled as a whole. The statement deletes the row and puts each delivery in its new place, without a look at each member.
struct SettledPacks {
    private let packs: [PackSettlement]
    private let all: [SettledDelivery]
    private let worker: String

    init(_ packs: [PackSettlement], worker: String) {
        self.packs = packs
        all = SettledDelivery.all(of: packs)
        self.worker = worker
    }

    /// Closes packs, and returns the closed ones. A pack is closed if `worker` still holds it and it has as many members as `worker`
    /// settles. Only its worker removes members from a claimed pack, so the same count means the same members.
    var close: Statement<[PackID]> {
        let closed: SQL = """
            with closed as (
                delete from tidings.packs p
                using \(packs.relation("whole", [Column("id", \.pack.id), Column(integer: "members", \.settlements.count)]))
                where p.id = whole.id and p.claimed_by = \(worker) and cardinality(p.notification_ids) = whole.members
                returning p.id, p.channel, p.provider, p.lane
            )
            """
        return .rows(closed + ended + (waiting ?? "") + " select id from closed") { try $0.decode(PackID.self) }
    }

    private var ended: SQL {
        let told: SQL = """
            \(all.filter { $0.state != nil }.relation("told", SettledDelivery.columns + [.state, .providerMessageID]))
            join closed on closed.id = told.pack
            """
        return """
            , ended as (
                \(EndedRow.insert(from: told, setting: [.providerMessageID: "provider_message_id"]))
                on conflict do nothing returning tenant, channel, state, reason
            ), counted as (
                \(TallyRows.insertEnded("ended"))
            )
            """
    }

    /// Nil if every delivery has ended.
    private var waiting: SQL? {
        let rows = all.filter { $0.state == nil }
        guard !rows.isEmpty else { return nil }
        let told: SQL = """
            \(rows.relation("told", SettledDelivery.columns + [.time, .kind])) join closed on closed.id = told.pack
            """
        return ", waiting as (\(DueRow.insert(from: told, setting: [.attempt: "attempts"])) on conflict do nothing)"
    }
}
