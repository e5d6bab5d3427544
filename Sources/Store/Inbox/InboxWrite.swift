import TidingsCore
import TidingsPostgres

/// A change of entries with everything that follows from it: each changed entry notes a position, and the counts of its person change by the
/// difference that the change makes.
///
/// No other statement updates or deletes entries, so the counts are right whatever the reason of a change is. ``InboxRow`` has the only
/// INSERT.
///
/// An earlier statement of the transaction must have locked the inboxes of these people (``lock(of:)``). The change then has a snapshot that
/// is younger than the lock, and sees everything that other transactions have done to these inboxes. This requires the isolation level read
/// committed.
struct InboxWrite {
    /// The entries that change: the text after FROM, with the alias `i` for the entry. A WHERE clause may end it.
    var entries: SQL
    /// The columns that change. The alias `i` is the entry, `b` the inbox of its person, and `c.step` the number that a position is ahead of
    /// the inbox.
    var assignments: SQL
    /// A condition on the table alias `i` that all entries satisfy before their change. It selects the partition, if all are of one person.
    var scope: SQL = "true"
    /// Whether each entry arrives anew, in the order of the ends of their snoozes. Otherwise all entries of a person share one position,
    /// because they change together.
    var arrives = false

    /// The statement. It answers with `result` over the changed entries, as the common table expression `changed` with the columns `tenant`,
    /// `recipient_id`, `notification_id` and `position`.
    func statement(answering result: SQL) -> SQL {
        let step: SQL =
            arrives
            ? "row_number() over (partition by i.tenant, i.recipient_id order by i.snoozed_until, i.notification_id)" : "1::bigint"
        return """
            with chosen as materialized (
                select i.tenant, i.recipient_id, i.notification_id, \(step) as step, \(Self.counted) from \(entries)
            ), changed as (
                update tidings.inbox i set changed = b.position + c.step, \(assignments)
                from chosen c join tidings.inboxes b on b.tenant = c.tenant and b.recipient_id = c.recipient_id
                where i.tenant = c.tenant and i.recipient_id = c.recipient_id and i.notification_id = c.notification_id and \(scope)
                returning i.tenant, i.recipient_id, i.notification_id, i.position, c.step, \(Self.isListed) - c.total as total,
                    \(Self.isUnread) - c.unread as unread, \(Self.isSnoozed) - c.snoozed as snoozed,
                    case when i.deleted_at is null then i.snoozed_until end as wakes_at
            ), counted as (
                update tidings.inboxes b set position = b.position + s.steps, total = b.total + s.total, unread = b.unread + s.unread,
                    snoozed = b.snoozed + s.snoozed, wakes_at = least(b.wakes_at, s.wakes_at)
                from (
                    select tenant, recipient_id, max(step) as steps, sum(total) as total, sum(unread) as unread, sum(snoozed) as snoozed,
                        min(wakes_at) as wakes_at
                    from changed group by tenant, recipient_id
                ) s
                where b.tenant = s.tenant and b.recipient_id = s.recipient_id
            )
            \(result)
            """
    }

    /// Deletes rows of entries, and answers with their number. An app that was told of nothing after these changes can no longer learn of
    /// them by their ids, so the inbox forgets up to the newest of them.
    ///
    /// - Parameter entries: as ``entries``. The transaction must have locked their inboxes.
    static func deletion(of entries: SQL) -> SQL {
        """
        with chosen as materialized (
            select i.tenant, i.recipient_id, i.notification_id, \(counted) from \(entries)
        ), gone as (
            delete from tidings.inbox i using chosen c
            where i.tenant = c.tenant and i.recipient_id = c.recipient_id and i.notification_id = c.notification_id
            returning i.tenant, i.recipient_id, i.changed, c.total, c.unread, c.snoozed
        ), counted as (
            update tidings.inboxes b set position = b.position + s.news, forgotten = greatest(b.forgotten, s.changed, s.news * (b.position + 1)),
                total = b.total - s.total, unread = b.unread - s.unread, snoozed = b.snoozed - s.snoozed
            from (
                select tenant, recipient_id, max(changed) as changed, sum(total) as total, sum(unread) as unread, sum(snoozed) as snoozed,
                    -- An entry that still counted has no position for its end, so the end takes one.
                    case when sum(total + snoozed) > 0 then 1 else 0 end as news
                from gone group by tenant, recipient_id
            ) s
            where b.tenant = s.tenant and b.recipient_id = s.recipient_id
        )
        select count(*) from gone
        """
    }

    /// Locks the inbox of a person until the end of the transaction.
    static func lock(of person: RecipientKey) -> SQL {
        "select b.position from tidings.inboxes b where b.tenant = \(person.tenant) and b.recipient_id = \(person.id) for update"
    }

    /// Locks the inboxes of some people until the end of the transaction. Every transaction locks inboxes in the order of their keys.
    static func lock(of people: [RecipientKey]) -> SQL {
        """
        select b.position from (
            select distinct * from \(people.relation("told"))
        ) told join tidings.inboxes b on b.tenant = told.tenant and b.recipient_id = told.recipient_id
        order by b.tenant, b.recipient_id for update of b
        """
    }

    /// The part of an entry in each count of its person, 1 or 0.
    private static let counted: SQL = "\(isListed) as total, \(isUnread) as unread, \(isSnoozed) as snoozed"

    private static let isListed: SQL = "(\(InboxItem.isListed))::integer"
    private static let isUnread: SQL = "(\(InboxItem.isListed) and \(InboxItem.isUnread))::integer"
    private static let isSnoozed: SQL = "(\(InboxItem.isSnoozed))::integer"
}
