public import TidingsContracts
public import TidingsCore
import TidingsPostgres

extension Store {
    /// Delivers in-app packs. One statement writes the inbox row and the outcome, so no claim is needed and no outcome is unknown.
    ///
    /// A cancelled delivery has left its pack and is not changed. A delivery goes back to `due` if it is paused, if its decision is no
    /// longer valid, or if its recipient changed since the decision. A releaser then routes it again. A missing pack is settled already. A
    /// delivery of an erased person ends without a row.
    ///
    /// Returns the inbox rows of the deliveries that ended now.
    public func deliverToInbox(_ packs: [Pack], pauses: Pauses) async throws -> InboxArrivals {
        let ends = packs.flatMap { pack in pack.entries.filter(\.escalates).map { EscalationStep($0.key) } }
        let statement = Self.inboxStatement(packs, pauses: pauses, now: clock.now())
        guard !ends.isEmpty else {
            return InboxArrivals(of: packs, delivered: Set(try await pool.write(statement).rows.map(DeliveryKey.init)))
        }
        return try await pool.transaction(retryAmbiguous: true) { transaction in
            let delivered = Set(try await transaction.query(statement).rows.map(DeliveryKey.init))
            try await escalate(ends.filter { delivered.contains($0.key) }, in: transaction)
            return InboxArrivals(of: packs, delivered: delivered)
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
                select member.*, told.tenant, told.recipient_id, told.attempt, told.created_at, told.paused, told.type, told.category,
                    told.title, told.body, told.data, told.image_url, told.group_key, t.is_erased, not t.is_erased
                        and (told.paused or told.valid_until <= (select tidings.clock()) or coalesce(r.changed_at > told.decided_at, false))
                        as again
                from unnest(\(entries.map(\.0.id).uuids), \(entries.map(\.1.notificationID).uuids), \(entries.map { Int16($0.1.ordinal) }),
                    \(entries.map(\.1.tenant)), \(entries.map(\.1.recipient)), \(entries.map { Int16($0.1.attempt) }),
                    \(entries.map(\.1.createdAt.timestamptz)), \(entries.map(\.1.decidedAt.timestamptz)),
                    \(entries.map(\.1.validUntil.timestamptz)), \(paused), \(entries.map(\.1.type)),
                    \(entries.map(\.1.category.rawValue)), \(entries.map(\.1.title)), \(entries.map(\.1.body)), \(entries.map(\.1.data)),
                    \(entries.map(\.1.imageURL)), \(entries.map(\.1.groupKey)))
                    as told(pack, notification_id, ordinal, tenant, recipient_id, attempt, created_at, decided_at, valid_until, paused,
                        type, category, title, body, data, image_url, group_key)
                join member using (pack, notification_id, ordinal)
                left join lateral (select r.changed_at from tidings.recipients r
                    where r.tenant = told.tenant and r.id = told.recipient_id limit 1) r on true
                cross join lateral (select \(Tombstones.isErased(tenant: "told.tenant", recipient: "told.recipient_id")) as is_erased
                    offset 0) t
            ), arriving as materialized (
                -- An entry that exists already is not counted again.
                select distinct on (judged.tenant, judged.recipient_id, judged.notification_id) judged.* from judged
                left join lateral (select true as is_there from tidings.inbox i where i.tenant = judged.tenant
                    and i.recipient_id = judged.recipient_id and i.notification_id = judged.notification_id limit 1) known on true
                where not judged.again and not judged.is_erased and known.is_there is null
                order by judged.tenant, judged.recipient_id, judged.notification_id
            ), people as (
                \(InboxRows.count(from: "arriving"))
            ), stored as (
                \(InboxRows.insert(
                    scheduledFor: "(select n.scheduled_for from tidings.notifications n where n.id = a.notification_id)", from: "arriving"))
            ), ended as (
                \(EndedRows.insert(
                    channel: "'inApp'", endpoint: "null", state: "case when is_erased then 'suppressed' else 'delivered' end",
                    reason: "case when is_erased then 'recipientErased' else 'delivered' end",
                    attempts: "case when is_erased then attempt - 1 else attempt end", from: "judged where not again"))
                on conflict do nothing returning notification_id, ordinal, tenant, channel, state, reason
            ), waiting as (
                \(DueRows.insert(
                    at: DueRows.now, kind: "case when paused then 'held' else 'recover' end", channel: "'inApp'", endpoint: "null",
                    reason: "case when paused then 'paused' else 'afterValidity' end", from: "judged where again"))
                on conflict do nothing
            ), counted as (
                \(TallyRows.insertEnded("ended"))
            )
            select notification_id, ordinal from ended where state = 'delivered'
            """
    }
}
