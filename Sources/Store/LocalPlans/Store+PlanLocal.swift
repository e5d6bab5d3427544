public import TidingsContracts
public import TidingsCore
import TidingsPostgres

/// Local notifications, which devices show by themselves.
///
/// Each notification that a device is to show is a row of `tidings.local_requests`. The version of the row belongs to the plan that the
/// device asks for, in `tidings.local_plans`. Only a sync changes this version, under the lock of the plan's row.
extension Store.LocalPlans {
    /// Takes local packs into their devices' plans. One statement writes both the request and the outcome. So a worker claims nothing
    /// first, and no outcome can be unknown.
    ///
    /// A planned delivery is `sent`. It becomes `delivered` once its device has confirmed a version with it.
    ///
    /// - A cancelled delivery has left its pack and is not touched.
    /// - A delivery goes back to `due`, to be routed again, if it is paused or past its validity. A change of its recipient since the
    ///   decision has the same effect.
    /// - A device that got the notification as a push, or may have got it, is skipped as `sameDevice`.
    /// - A delivery without content fails as `contentMissing`.
    /// - A delivery of an erased person ends as `recipientErased`.
    /// - A pack that is gone is settled already.
    ///
    /// - Returns: The number of deliveries that ended in each state.
    public func plan(_ packs: [Pack], pauses: Pauses, catalogue: Catalogue) async throws -> [DeliveryState: Int] {
        let statement = Self.planStatement(packs, pauses: pauses, catalogue: catalogue, now: clock.now())
        let escalating = Set(packs.flatMap { $0.entries.filter(\.escalates).map(\.key) })
        return try await pool.transaction(retryAmbiguous: true) { transaction in
            let ends = try await transaction.query(statement)
            guard !escalating.isEmpty else { return ends.counts }
            try await store.outbox.escalate(ends.keys.filter(escalating.contains).map { EscalationStep($0) }, in: transaction)
            return ends.counts
        }
    }

    /// The deliveries that ended, and their number in each state.
    private struct Ends: Sendable {
        var keys: [DeliveryKey] = []
        var counts: [DeliveryState: Int] = [:]

        init(_ rows: PostgresRows) throws {
            for row in rows {
                keys.append(try DeliveryKey(row))
                if let state = DeliveryState(rawValue: try row.decode("state")) { counts[state, default: 0] += 1 }
            }
        }
    }

    private static func columns(_ pauses: Pauses, at now: Timestamp) -> [Column<(pack: Pack, entry: PackEntry)>] {
        [
            Column("pack", \.pack.id), Column("notification_id", \.entry.notificationID), Column(smallint: "ordinal", \.entry.ordinal),
            Column("tenant", \.entry.tenant), Column("recipient_id", \.entry.recipient), Column("device_id") { $0.entry.endpoint ?? "" },
            Column("type", \.entry.type), Column("content") { LocalContent($0.entry)?.text }, Column("collapse_key", \.entry.collapseKey),
            Column(smallint: "attempt", \.entry.attempt), Column("expires_at", \.entry.expiresAt),
            Column("decided_at", \.entry.decidedAt), Column("valid_until", \.entry.validUntil),
            Column("paused") { pauses.hold($0.entry, of: $0.pack, at: now) },
        ]
    }

    private static func planStatement(
        _ packs: [Pack], pauses: Pauses, catalogue: Catalogue, now: Timestamp
    ) -> Statement<Ends> {
        let entries = packs.flatMap { pack in pack.entries.map { (pack: pack, entry: $0) } }
        let columns = Self.columns(pauses, at: now)
        let planning: SQL = """
            with \(UnclaimedPacks.take(packs)), judged as materialized (
                select member.*, told.tenant, told.recipient_id, told.device_id, told.type, told.content, told.collapse_key, told.attempt,
                    told.expires_at, told.paused, n.market, n.scheduled_for, n.accepted_at, d.pushed, t.is_erased, not t.is_erased
                        and (told.paused or told.valid_until <= (select tidings.clock()) or coalesce(r.changed_at > told.decided_at, false))
                        as again
                from \(entries.relation("told", columns))
                join member using (pack, notification_id, ordinal)
                join lateral (select n.market, n.scheduled_for, n.accepted_at from tidings.notifications n
                    where n.id = member.notification_id limit 1) n on true
                left join lateral (select r.changed_at from tidings.recipients r
                    where r.tenant = told.tenant and r.id = told.recipient_id limit 1) r on true
                left join lateral (select true as pushed from tidings.deliveries d
                    where d.notification_id = member.notification_id and d.channel = 'push'
                        and coalesce(d.endpoint, told.device_id) = told.device_id and d.provider <> all(\(copies(of: catalogue)))
                        and (d.state in ('sent', 'delivered') or d.reason = 'outcomeUnknown' or exists (select from tidings.attempts a
                            where a.notification_id = d.notification_id and a.ordinal = d.ordinal and a.outcome = 'unknown'))
                    limit 1) d on true
                cross join lateral (select \(Self.isErased) as is_erased offset 0) t
            ), settled as (
                select judged.*,
                    case when is_erased or pushed then 'suppressed' when content is null then 'failed' else 'sent' end as state,
                    case when is_erased then 'recipientErased' when pushed then 'sameDevice' when content is null then 'contentMissing'
                        else 'accepted' end as reason
                from judged where not again
            ), planned as (
                insert into tidings.local_requests (tenant, device_id, notification_id, ordinal, recipient_id, type, market, content, collapse_key,
                    scheduled_for, expires_at, accepted_at, planned_at)
                select tenant, device_id, notification_id, ordinal, recipient_id, type, market, content, collapse_key, scheduled_for, expires_at,
                    accepted_at, (select tidings.clock())
                from settled where state = 'sent' on conflict do nothing
            ), opened as (
                -- A take-back locks this row, so the row must exist before the device's first request.
                insert into tidings.local_plans (tenant, device_id)
                select distinct tenant, device_id from settled where state = 'sent' order by 1, 2 on conflict do nothing
            ), woken as (
                \(wake("select tenant, device_id from settled where state = 'sent'"))
            ), ended as (
                \(EndedRow.insert(
                    from: "settled",
                    setting: [
                        .channel: "'local'", .endpoint: "device_id", .attempts: "case when state = 'sent' then attempt else attempt - 1 end",
                    ]))
                on conflict do nothing returning notification_id, ordinal, tenant, channel, state, reason
            ), waiting as (
                \(DueRow.insert(
                    from: "judged where again",
                    setting: [
                        .time: DueRow.now, .kind: "case when paused then 'held' else 'recover' end", .channel: "'local'",
                        .endpoint: "device_id", .reason: "case when paused then 'paused' else 'afterValidity' end",
                    ]))
                on conflict do nothing
            ), counted as (
                \(TallyRows.insertEnded("ended"))
            )
            select notification_id, ordinal, state from ended
            """
        return Statement(planning) { try Ends($0.rows) }
    }

    /// Whether the person `told` is erased.
    private static let isErased = Tombstones.isErased(tenant: "told.tenant", recipient: "told.recipient_id")

    /// Providers whose pushes are copies and reach no person. A device with such a push has not got the notification.
    private static func copies(of catalogue: Catalogue) -> [String] {
        catalogue.providers.values.filter(\.copy).map(\.name).sorted()
    }
}
