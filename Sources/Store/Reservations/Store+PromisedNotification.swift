public import TidingsCore
import TidingsJSON
import TidingsPostgres

/// Lookups by ids that the HTTP API promised.
extension Store {
    /// The record of a notification, for a caller who may have the id before a router has decided.
    ///
    /// - The id of a notification gives its record.
    /// - A reserved id whose event became a notification with another id gives the record of that notification. This happens if the same
    ///   event also came another way.
    /// - A reserved id that was cancelled before a router had decided gives the state `cancelled`, with the reason.
    /// - A reserved id whose event was refused gives the state `rejected`, with the reason.
    /// - Any other reserved id gives the state `accepted`: the event waits for a router.
    ///
    /// - Parameter tenant: the tenant that the caller may see. Nil: every tenant.
    /// - Returns: Nil if nobody has the id, or if it belongs to another tenant.
    public func promisedNotification(_ id: NotificationID, tenant: String?) async throws -> NotificationRecord? {
        if let record = try await NotificationRecord(of: id, from: self) {
            return tenant == nil || record.notification["tenant"]?.stringValue == tenant ? record : nil
        }
        guard let promise = try await promise(id, tenant: tenant) else { return nil }
        if let owner = promise.owner { return try await NotificationRecord(of: owner, from: self) }
        return NotificationRecord(undecided: promise.row)
    }

    private func promise(_ id: NotificationID, tenant: String?) async throws -> (owner: NotificationID?, row: JSON)? {
        let rows = try await report(
            """
            select r.id as notification_id, r.tenant, r.source, r.event_id as idempotency_key, r.reserved_at,
                case when r.cancelled_at is not null then 'cancelled' when refusal.id is not null then 'rejected' else 'accepted' end as state,
                coalesce(r.cancel_reason, refusal.reason) as reason_code, r.cancelled_at, refusal.pointer, refusal.message, code.what_to_do,
                owner.notification_id as owner
            from tidings.reservations r
            -- The key may belong to an event with other content that came another way first. The router refused this one then.
            left join tidings.idempotency_keys owner
                on owner.key = r.key and owner.content_hash = r.content_hash and r.cancelled_at is null
            left join lateral (
                select k.id, k.reason, k.pointer, k.message from tidings.rejected k
                where k.event_id = r.event_id and k.source = r.source and (k.tenant is null or k.tenant = r.tenant)
                    and k.last_at >= r.reserved_at and k.producer like 'key:%' and r.cancelled_at is null
                order by k.last_at desc, k.id desc limit 1
            ) refusal on true
            left join tidings.reason_codes code on code.code = coalesce(r.cancel_reason, refusal.reason)
            where r.id = \(id.uuid) and (\(tenant) is null or r.tenant = \(tenant)) limit 1
            """)
        guard case .object(var row)? = rows.first else { return nil }
        let owner = row["owner"]?.stringValue.flatMap { NotificationID($0) }
        row["owner"] = nil
        return (owner, .object(row))
    }
}
