public import TidingsContracts
public import TidingsCore
import TidingsPostgres

extension Store {
    /// Delivers in-app packs. One statement writes the inbox row and the outcome, so no claim is needed and no outcome is unknown.
    ///
    /// A cancelled delivery has left its pack and is not changed. A delivery goes back to `due` if it is paused, if its decision is no
    /// longer valid, or if its recipient changed since the decision. A releaser then routes it again. A missing pack is settled already.
    public func deliverToInbox(_ packs: [Pack], pauses: Pauses) async throws {
        let ends = packs.flatMap { pack in pack.entries.filter(\.escalates).map { EscalationStep($0.key) } }
        let statement = Self.inboxStatement(packs, pauses: pauses, now: clock.now())
        guard !ends.isEmpty else {
            _ = try await pool.query(statement)
            return
        }
        try await pool.transaction(retryAmbiguous: true) { transaction in
            let delivered = Set(try await transaction.query(statement).rows.map(DeliveryKey.init))
            try await escalate(ends.filter { delivered.contains($0.key) }, in: transaction)
        }
    }

    private static func inboxStatement(_ packs: [Pack], pauses: Pauses, now: Timestamp) -> SQL {
        let entries = packs.flatMap { pack in pack.entries.map { (pack, $0) } }
        let paused = entries.map { pack, entry in
            pauses.holding(channel: pack.channel, provider: pack.provider, type: entry.type, tenant: entry.tenant, at: now) != nil
        }
        return """
            with taken as (
                delete from tidings.packs where id = any(\(packs.map(\.id).uuids)) and claimed_at is null
                returning id, notification_ids, ordinals, provider, lane
            ), member as materialized (
                select taken.id as pack, taken.provider, taken.lane, m.notification_id, m.ordinal
                from taken cross join lateral unnest(taken.notification_ids, taken.ordinals) as m(notification_id, ordinal)
            ), judged as (
                select member.*, told.tenant, told.recipient_id, told.attempt, told.created_at, told.paused,
                    told.paused or told.valid_until <= (select tidings.clock()) or coalesce(r.changed_at > told.decided_at, false) as again
                from unnest(\(entries.map(\.0.id).uuids), \(entries.map(\.1.notificationID).uuids), \(entries.map { Int16($0.1.ordinal) }),
                    \(entries.map(\.1.tenant)), \(entries.map(\.1.recipient)), \(entries.map { Int16($0.1.attempt) }),
                    \(entries.map(\.1.createdAt.timestamptz)), \(entries.map(\.1.decidedAt.timestamptz)),
                    \(entries.map(\.1.validUntil.timestamptz)), \(paused))
                    as told(pack, notification_id, ordinal, tenant, recipient_id, attempt, created_at, decided_at, valid_until, paused)
                join member using (pack, notification_id, ordinal)
                left join lateral (select r.changed_at from tidings.recipients r
                    where r.tenant = told.tenant and r.id = told.recipient_id limit 1) r on true
            ), stored as (
                insert into tidings.inbox (tenant, recipient_id, notification_id, created_at)
                select tenant, recipient_id, notification_id, created_at from judged where not again
                on conflict do nothing
            ), ended as (
                \(EndedRows.insert(
                    channel: "'inApp'", endpoint: "null", state: "'delivered'", reason: "'delivered'", attempts: "attempt",
                    from: "judged where not again"))
                on conflict do nothing returning notification_id, ordinal, tenant, channel, state, reason
            ), waiting as (
                \(DueRows.insert(
                    at: DueRows.now, kind: "case when paused then 'held' else 'recover' end", channel: "'inApp'", endpoint: "null",
                    reason: "case when paused then 'paused' else 'afterValidity' end", from: "judged where again"))
                on conflict do nothing
            ), counted as (
                \(TallyRows.insertEnded("ended"))
            )
            select notification_id, ordinal from ended
            """
    }
}
