public import TidingsContracts
public import TidingsCore
import TidingsPostgres

extension Store.Outbox {
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
            return InboxArrivals(of: packs, delivered: Set(try await pool.write(statement)))
        }
        return try await pool.transaction(retryAmbiguous: true) { transaction in
            let delivered = Set(try await transaction.query(statement))
            try await escalate(ends.filter { delivered.contains($0.key) }, in: transaction)
            return InboxArrivals(of: packs, delivered: delivered)
        }
    }

    /// Answers with the deliveries whose entries are in the inbox now.
    private static func inboxStatement(_ packs: [Pack], pauses: Pauses, now: Timestamp) -> Statement<[DeliveryKey]> {
        let entries = packs.flatMap { pack in pack.entries.map { (pack: pack, entry: $0) } }
        let columns: [Column<(pack: Pack, entry: PackEntry)>] = [
            Column("pack", \.pack.id), Column("notification_id", \.entry.notificationID), Column(smallint: "ordinal", \.entry.ordinal),
            Column("tenant", \.entry.tenant), Column("recipient_id", \.entry.recipient), Column(smallint: "attempt", \.entry.attempt),
            Column("created_at", \.entry.createdAt), Column("decided_at", \.entry.decidedAt), Column("valid_until", \.entry.validUntil),
            Column("paused") { pauses.hold($0.entry, of: $0.pack, at: now) }, Column("type", \.entry.type),
            Column("category", \.entry.category), Column("title", \.entry.title), Column("body", \.entry.body),
            Column("data", \.entry.data), Column("image_url", \.entry.imageURL), Column("group_key", \.entry.groupKey),
        ]
        let delivering: SQL = """
            with \(UnclaimedPacks.take(packs)), judged as (
                select member.*, told.tenant, told.recipient_id, told.attempt, told.created_at, told.paused, told.type, told.category,
                    told.title, told.body, told.data, told.image_url, told.group_key, t.is_erased, not t.is_erased
                        and (told.paused or told.valid_until <= (select tidings.clock()) or coalesce(r.changed_at > told.decided_at, false))
                        as again
                from \(entries.relation("told", columns))
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
                \(InboxRow.count(from: "arriving"))
            ), stored as (
                \(InboxRow.insert(
                    arriving: "arriving",
                    setting: [.scheduledFor: "(select n.scheduled_for from tidings.notifications n where n.id = a.notification_id)"]))
            ), ended as (
                \(EndedRow.insert(
                    from: "judged where not again",
                    setting: [
                        .channel: "'inApp'", .endpoint: "null", .state: "case when is_erased then 'suppressed' else 'delivered' end",
                        .reason: "case when is_erased then 'recipientErased' else 'delivered' end",
                        .attempts: "case when is_erased then attempt - 1 else attempt end",
                    ]))
                on conflict do nothing returning notification_id, ordinal, tenant, channel, state, reason
            ), waiting as (
                \(DueRow.insert(
                    from: "judged where again",
                    setting: [
                        .time: DueRow.now, .kind: "case when paused then 'held' else 'recover' end", .channel: "'inApp'", .endpoint: "null",
                        .reason: "case when paused then 'paused' else 'afterValidity' end",
                    ]))
                on conflict do nothing
            ), counted as (
                \(TallyRows.insertEnded("ended"))
            )
            select notification_id, ordinal from ended where state = 'delivered'
            """
        return .rows(delivering) { try DeliveryKey($0) }
    }
}

extension Pauses {
    /// Whether a pause holds a delivery of a pack.
    func hold(_ entry: PackEntry, of pack: Pack, at now: Timestamp) -> Bool {
        holding(channel: pack.channel, provider: pack.provider, type: entry.type, tenant: entry.tenant, at: now) != nil
    }
}
