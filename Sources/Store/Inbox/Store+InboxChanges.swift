public import TidingsCore
import TidingsPostgres

/// A change that a person makes to an entry. Each change may be repeated: the second time it finds nothing to change.
public enum InboxChange: Sendable, Hashable {
    /// A read entry also counts as seen.
    case read
    /// The entry counts as unread, even if it was dismissed.
    case unread
    case seen
    /// The entry stays in the listing and no longer counts as unread.
    case dismiss
    case delete
    /// Takes a deletion and a dismissal back, each within ``Store/inboxUndoLimit``.
    case undo
    /// Hides the entry until a time. It is then unread, whatever it was before. A time in the past ends an earlier snooze.
    case snooze(until: Timestamp)
}

/// The result of a change of many entries.
public struct InboxSweep: Sendable, Hashable {
    /// The number of entries that this call changed.
    public let changed: Int
    /// The newest of these, at most ``Store/inboxSweepNames``.
    public let newest: [NotificationID]
    public let counts: InboxCounts
}

/// Changes by people. Each takes one round trip and one transaction, in which the counts are read after the change.
extension Store {
    /// The time in which a person can take a deletion or a dismissal back.
    public static let inboxUndoLimit = Duration.seconds(600)
    /// The largest number of ids that the result of a sweep names.
    public static let inboxSweepNames = 50

    /// Changes an entry and answers it as it is then.
    ///
    /// - Returns: Nil if the person has no such entry. A deleted entry exists only for `delete`, and for `undo` within its limit.
    public func mark(_ change: InboxChange, notification id: NotificationID, of person: RecipientKey) async throws -> InboxAnswer? {
        let answers = try await asPerson(
            person,
            [
                """
                update tidings.inbox i set \(change.assignments)
                where \(InboxItem.isOf(person)) and i.notification_id = \(id.uuid) and \(change.condition)
                """,
                Self.entry(id, of: person, evenDeleted: change == .delete),
            ], asProof: true)
        return try InboxAnswer(answers[1], isChanged: answers[0].affectedRows > 0)
    }

    /// Marks each unread or dismissed entry of the listing as read.
    ///
    /// - Parameter before: the newest id that is marked; nil for all.
    public func markAllRead(before newest: NotificationID? = nil, of person: RecipientKey) async throws -> InboxSweep {
        try await sweep(person, .read, before: newest, where: "i.read_at is null")
    }

    /// Deletes each entry of the listing. Each can be taken back by `undo`. Snoozed entries stay.
    ///
    /// - Parameter before: the newest id that is deleted; nil for all.
    public func clearInbox(before newest: NotificationID? = nil, of person: RecipientKey) async throws -> InboxSweep {
        try await sweep(person, .delete, before: newest, where: "true")
    }

    private func sweep(
        _ person: RecipientKey, _ change: InboxChange, before newest: NotificationID?, where condition: SQL
    ) async throws -> InboxSweep {
        let bound: SQL = newest.map { "and i.notification_id <= \($0.uuid)" } ?? ""
        let answers = try await asPerson(
            person,
            [
                // Lock in the order of the ids: two sweeps of one person then wait for each other and never deadlock.
                """
                with listed as materialized (
                    select i.notification_id from tidings.inbox i
                    where \(InboxItem.isOf(person)) and \(InboxItem.isListed) and \(condition) \(bound)
                    order by i.notification_id for update
                ), changed as (
                    update tidings.inbox i set \(change.assignments) from listed
                    where \(InboxItem.isOf(person)) and i.notification_id = listed.notification_id returning i.notification_id
                )
                select count(*), (array_agg(notification_id order by notification_id desc))[1:\(Int32(Self.inboxSweepNames))] from changed
                """,
                InboxCounts.query(where: InboxItem.isOf(person)),
            ], asProof: true)
        let (count, ids) = try answers[0].rows[0].decode((Int, [NotificationID]?).self)
        return InboxSweep(changed: count, newest: ids ?? [], counts: try InboxCounts(answers[1].rows[0]))
    }
}

// MARK: - SQL

extension InboxChange {
    private static let now: SQL = "(select tidings.clock())"

    /// The oldest time of an act that can still be taken back.
    private static let undoable: SQL = """
        (select tidings.clock() - make_interval(secs => \(Double(Store.inboxUndoLimit.components.seconds))))
        """

    /// The columns that change.
    fileprivate var assignments: SQL {
        switch self {
        case .read: "read_at = \(Self.now), seen_at = coalesce(i.seen_at, \(Self.now))"
        case .unread: "read_at = null, dismissed_at = null"
        case .seen: "seen_at = \(Self.now)"
        case .dismiss: "dismissed_at = \(Self.now)"
        case .delete: "deleted_at = \(Self.now)"
        case .undo:
            """
            deleted_at = null, dismissed_at = case when i.dismissed_at >= \(Self.undoable) then null else i.dismissed_at end
            """
        case .snooze(let until): "snoozed_until = \(until.timestamptz), seen_at = null, read_at = null, dismissed_at = null"
        }
    }

    /// A condition on the table alias `i`: the entry may change, and is not yet as asked. The first time of an act stays.
    fileprivate var condition: SQL {
        switch self {
        case .read: "i.deleted_at is null and i.read_at is null"
        case .unread: "i.deleted_at is null and (i.read_at is not null or i.dismissed_at is not null)"
        case .seen: "i.deleted_at is null and i.seen_at is null"
        case .dismiss: "i.deleted_at is null and i.dismissed_at is null"
        case .delete: "i.deleted_at is null"
        case .undo:
            """
            (i.deleted_at >= \(Self.undoable) or i.deleted_at is null and i.dismissed_at >= \(Self.undoable))
            """
        case .snooze(let until):
            """
            i.deleted_at is null and (i.snoozed_until is distinct from \(until.timestamptz) or i.seen_at is not null
                or i.read_at is not null or i.dismissed_at is not null)
            """
        }
    }
}
