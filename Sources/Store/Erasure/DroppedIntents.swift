import TidingsContracts
import TidingsCore
import TidingsPostgres

/// Intents that were dropped because they name an erased person, and refused events of erased people. Of an intent, only the id of the
/// notification that it asked for is kept, so that its producer learns the reason. A reservation of a key is deleted, because it holds
/// source and id of the event, and its id is kept in the same way.
struct DroppedIntents {
    private var kept: [(id: NotificationID, tenant: String)] = []
    private var keys: [Digest128] = []

    /// - Parameter isNew: whether the intent is the first of its key. Its id then names nothing else.
    mutating func add(_ claim: IntakeClaims.Claim, isNew: Bool) {
        keys.append(claim.decoded.idempotencyKey)
        guard isNew || claim.isReserved else { return }
        kept.append((id: claim.id, tenant: claim.decoded.intent.tenant))
    }

    /// Adds the idempotency key of a refused event. Without the refusal, its reservation would say that no router has decided yet.
    mutating func add(refused key: Digest128) { keys.append(key) }

    /// Nil if none was dropped.
    var insert: SQL? {
        guard !keys.isEmpty else { return nil }
        return """
            with promised as (
                delete from tidings.reservations where key = any(\(keys.map(\.uuid))) returning id, tenant
            )
            insert into tidings.erased_notifications (id, tenant, erased_at)
            select id, tenant, (select tidings.clock()) from (
                select * from \(kept.relation("asked", [Column("id", \.id), Column("tenant", \.tenant)]))
                union select id, tenant from promised) dropped
            order by id on conflict do nothing
            """
    }
}
