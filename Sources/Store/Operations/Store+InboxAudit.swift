public import TidingsJSON
import TidingsPostgres

extension Store {
    /// People whose inboxes one statement compares, about a second with fifty entries each.
    public static let inboxAuditSlice = 10_000
}

extension Store.Operations {
    /// Recounts the entries of each inbox, in the order of the people, and compares the result with the row of the inbox.
    ///
    /// A change writes the entries and the row in one transaction, and each slice is one statement. So an inbox that changes meanwhile is no
    /// problem.
    ///
    /// - Parameter progress: called after each slice with the number of inboxes compared so far.
    /// - Returns: The problems, at most ``auditLimit``. Empty if there are none.
    public func auditInboxes(slice: Int = Store.inboxAuditSlice, progress: (Int) -> Void = { _ in }) async throws -> [JSON] {
        var problems: [JSON] = []
        var compared = 0
        // Every name is greater than the empty text.
        var low: PersonName? = PersonName(tenant: "", recipient: "")
        while let after = low, problems.count < Store.auditLimit {
            let last: SQL = """
                select b.tenant, b.recipient_id from tidings.inboxes b where \(after.isBelow("b"))
                order by b.tenant, b.recipient_id offset \(Int64(slice) - 1) limit 1
                """
            low = try await pool.transaction(retrying: 0) { try await $0.query(.first(last) { try PersonName($0) }) }
            problems += try await store.report(Self.miscounted(after: after, upTo: low))
            compared += slice
            if low != nil { progress(compared) }
        }
        return Array(problems.prefix(Store.auditLimit))
    }

    /// The problems of the inboxes after `low`, up to and with `high`.
    private static func miscounted(after low: PersonName, upTo high: PersonName?) -> SQL {
        func isInSlice(_ alias: SQL) -> SQL {
            let isNotBeyond: SQL = high?.isNotBelow(alias) ?? "true"
            return low.isBelow(alias) + " and " + isNotBeyond
        }
        return """
            with counted as (
                select i.tenant, i.recipient_id, count(*) filter (where \(InboxItem.isListed)) as total,
                    count(*) filter (where \(InboxItem.isListed) and \(InboxItem.isUnread)) as unread,
                    count(*) filter (where \(InboxItem.isSnoozed)) as snoozed, max(greatest(i.position, i.changed)) as newest,
                    min(i.snoozed_until) filter (where \(InboxItem.isSnoozed)) as wakes_at
                from tidings.inbox i where \(isInSlice("i")) group by i.tenant, i.recipient_id
            ), kept as (
                select b.* from tidings.inboxes b where \(isInSlice("b"))
            )
            select coalesce(k.tenant, c.tenant) as tenant, coalesce(k.recipient_id, c.recipient_id) as recipient_id, case
                    when k.tenant is null then 'entries without an inbox'
                    when c.newest > k.position then format('position %s is beyond the newest one, %s', c.newest, k.position)
                    when c.wakes_at < coalesce(k.wakes_at, 'infinity') then format('the snooze until %s would not end', c.wakes_at)
                    else format('%s entries, %s unread, %s snoozed; a recount has %s, %s, %s', k.total, k.unread, k.snoozed,
                        coalesce(c.total, 0), coalesce(c.unread, 0), coalesce(c.snoozed, 0))
                end as problem
            from kept k full join counted c on c.tenant = k.tenant and c.recipient_id = k.recipient_id
            where k.tenant is null or c.newest > k.position or c.wakes_at < coalesce(k.wakes_at, 'infinity') or k.total <> coalesce(c.total, 0)
                or k.unread <> coalesce(c.unread, 0) or k.snoozed <> coalesce(c.snoozed, 0)
            limit \(Int64(Store.auditLimit))
            """
    }
}

/// A person as PostgreSQL orders them.
private struct PersonName {
    let tenant: String
    let recipient: String

    init(tenant: String, recipient: String) {
        self.tenant = tenant
        self.recipient = recipient
    }

    init(_ row: PostgresRow) throws {
        (tenant, recipient) = try row.decode((String, String).self)
    }

    /// A condition: the person of the table alias comes after this one.
    func isBelow(_ alias: SQL) -> SQL { "(\(alias).tenant, \(alias).recipient_id) > (\(tenant), \(recipient))" }

    /// A condition: the person of the table alias is this one, or comes before.
    func isNotBelow(_ alias: SQL) -> SQL { "(\(alias).tenant, \(alias).recipient_id) <= (\(tenant), \(recipient))" }
}
