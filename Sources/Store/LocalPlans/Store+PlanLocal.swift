public import TidingsContracts
public import TidingsCore
import TidingsPostgres

/// Local notifications, which devices show by themselves.
///
/// Each notification that a device is to show is a row of `tidings.local_requests`. The version of the row belongs to the plan that the
/// device asks for, in `tidings.local_plans`. Only a sync changes this version, under the lock of the plan's row.
extension Store {
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
    public func planLocal(_ packs: [Pack], pauses: Pauses, catalogue: Catalogue) async throws -> [DeliveryState: Int] {
        let statement = Self.planStatement(packs, pauses: pauses, catalogue: catalogue, now: clock.now())
        let escalating = Set(packs.flatMap { $0.entries.filter(\.escalates).map(\.key) })
        return try await pool.transaction(retryAmbiguous: true) { transaction in
            let ends = try Self.ends(try await transaction.query(statement))
            guard !escalating.isEmpty else { return ends.counts }
            try await escalate(ends.keys.filter(escalating.contains).map { EscalationStep($0) }, in: transaction)
            return ends.counts
        }
    }

    private static func ends(_ result: PostgresResult) throws -> (keys: [DeliveryKey], counts: [DeliveryState: Int]) {
        var (keys, counts): ([DeliveryKey], [DeliveryState: Int]) = ([], [:])
        for row in result.rows {
            let (id, ordinal, state) = try row.decode((PostgresUUID, Int16, String).self)
            keys.append(DeliveryKey(NotificationID(id), Int(ordinal)))
            if let state = DeliveryState(rawValue: state) { counts[state, default: 0] += 1 }
        }
        return (keys, counts)
    }

    private static func planStatement(_ packs: [Pack], pauses: Pauses, catalogue: Catalogue, now: Timestamp) -> SQL {
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
            ), judged as materialized (
                select member.*, told.tenant, told.recipient_id, told.device_id, told.type, told.content, told.collapse_key, told.attempt,
                    told.expires_at, told.paused, n.market, n.scheduled_for, n.accepted_at, d.pushed, t.is_erased, not t.is_erased
                        and (told.paused or told.valid_until <= (select tidings.clock()) or coalesce(r.changed_at > told.decided_at, false))
                        as again
                from unnest(\(entries.map(\.0.id).uuids), \(entries.map(\.1.notificationID).uuids), \(entries.map { Int16($0.1.ordinal) }),
                    \(entries.map(\.1.tenant)), \(entries.map(\.1.recipient)), \(entries.map { $0.1.endpoint ?? "" }),
                    \(entries.map(\.1.type)), \(entries.map { LocalContent($0.1)?.text }), \(entries.map(\.1.collapseKey)),
                    \(entries.map { Int16($0.1.attempt) }), \(entries.map(\.1.expiresAt.timestamptz)),
                    \(entries.map(\.1.decidedAt.timestamptz)), \(entries.map(\.1.validUntil.timestamptz)), \(paused))
                    as told(pack, notification_id, ordinal, tenant, recipient_id, device_id, type, content, collapse_key, attempt, expires_at,
                        decided_at, valid_until, paused)
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
                \(EndedRows.insert(
                    channel: "'local'", endpoint: "device_id", attempts: "case when state = 'sent' then attempt else attempt - 1 end",
                    from: "settled"))
                on conflict do nothing returning notification_id, ordinal, tenant, channel, state, reason
            ), waiting as (
                \(DueRows.insert(
                    at: DueRows.now, kind: "case when paused then 'held' else 'recover' end", channel: "'local'", endpoint: "device_id",
                    reason: "case when paused then 'paused' else 'afterValidity' end", from: "judged where again"))
                on conflict do nothing
            ), counted as (
                \(TallyRows.insertEnded("ended"))
            )
            select notification_id, ordinal, state from ended
            """
    }

    /// Whether the person `told` is erased.
    private static let isErased = Tombstones.isErased(tenant: "told.tenant", recipient: "told.recipient_id")

    /// Providers whose pushes are copies and reach no person. A device with such a push has not got the notification.
    private static func copies(of catalogue: Catalogue) -> [String] {
        catalogue.providers.values.filter(\.copy).map(\.name).sorted()
    }
}
