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
    /// Takes a deletion and a dismissal back, each within ``Store/inboxUndoLimit``. The entry is again at the place that it had.
    case undo
    /// Hides the entry until a time. It is then unread, whatever it was before.
    case snooze(until: Timestamp)
    /// Ends a snooze. The entry arrives anew, on top of the listing.
    case wake
}

/// The newest entry that a change of many takes.
public enum InboxBound: Sendable, Hashable {
    /// The entry with this position and all below it, see ``InboxItem/position``.
    case position(Int64)
    /// This entry, at the place where it is now, and all below it.
    case entry(NotificationID)
}

/// The result of a change of many entries.
public struct InboxSweep: Sendable, Hashable {
    /// The number of entries that this call changed.
    public let changed: Int
    /// The uppermost of these, at most ``Store/inboxSweepNames``.
    public let newest: [NotificationID]
    public let counts: InboxCounts
}

extension Store {
    /// The time in which a person can take a deletion or a dismissal back.
    public static let inboxUndoLimit = Duration.seconds(600)
    /// The largest number of ids that the result of a sweep names.
    public static let inboxSweepNames = 50
    /// Entries of the listing that one step of a sweep looks at. Routers that have something for the person wait for the end of a step, and
    /// others wait for these routers.
    package static let inboxSweepStep: Int64 = 1_000
}

/// Changes by people. Each takes one round trip and one transaction, in which the counts are read after the change. A change of many takes
/// one of both for each ``Store/inboxSweepStep`` entries of the listing.
extension Store.Inbox {
    /// Changes an entry and answers it as it is then.
    ///
    /// - Returns: Nil if the person has no such entry. A deleted entry exists only for `delete`, and for `undo` within its limit.
    public func mark(_ change: InboxChange, notification id: NotificationID, of person: RecipientKey) async throws -> InboxAnswer? {
        let entry: SQL = """
            tidings.inbox i where \(InboxItem.isOf(person)) and i.notification_id = \(id.uuid) and \(change.condition)
            """
        let write = InboxWrite(
            entries: entry, assignments: change.assignments, scope: InboxItem.isOf(person), arrives: change == .wake)
        var trip = RoundTrip(running: [InboxWrite.lock(of: person)])
        let isChanged = trip.ask(.exists(write.statement(answering: "select notification_id from changed")))
        let entryAfter = trip.ask(Self.entry(id, of: person, evenDeleted: change == .delete))
        let found = try await store.asPerson(person, trip, asProof: true)
        guard var answer = try found[entryAfter] else { return nil }
        answer.isChanged = try found[isChanged]
        return answer
    }

    /// Marks each unread entry of the listing as read. A dismissed entry is not unread, and stays dismissed.
    ///
    /// - Parameter bound: nil for all entries.
    /// - Returns: Nil if the person has no entry of the bound.
    public func markAllRead(before bound: InboxBound? = nil, of person: RecipientKey) async throws -> InboxSweep? {
        try await sweep(person, .read, before: bound, where: InboxItem.isUnread)
    }

    /// Deletes each entry of the listing. Each can be taken back by `undo`. Snoozed entries stay.
    ///
    /// - Parameter bound: nil for all entries.
    /// - Returns: Nil if the person has no entry of the bound.
    public func clear(before bound: InboxBound? = nil, of person: RecipientKey) async throws -> InboxSweep? {
        try await sweep(person, .delete, before: bound, where: "true")
    }

    /// Goes down the listing from the bound. A process that dies leaves the lower entries as they are, and the same call goes on with them.
    private func sweep(
        _ person: RecipientKey, _ change: InboxChange, before bound: InboxBound?, where condition: SQL
    ) async throws -> InboxSweep? {
        var (upper, isKnown): (SQL, SQL) =
            switch bound {
            case nil: ("\(Int64.max)", "select true")
            case .position(let position)?: ("\(position)", "select true")
            case .entry(let id)?:
                ("(\(Self.position(of: id, of: person)))", "select exists (\(Self.position(of: id, of: person)))")
            }
        var (changed, newest) = (0, [NotificationID]())
        while true {
            var trip = RoundTrip(running: [InboxWrite.lock(of: person)])
            let boundIsKnown = trip.ask(.value(isKnown, as: Bool.self))
            let step = trip.ask(Self.sweepStep(person, change, from: upper, where: condition))
            let counts = trip.ask(InboxCounts.statement(of: person))
            let found = try await store.asPerson(person, trip, asProof: true)
            guard try found[boundIsKnown] else { return nil }
            let done = try found[step]
            changed += done.changed
            newest += done.newest.prefix(Store.inboxSweepNames - newest.count)
            guard let lowest = done.lowest else { return InboxSweep(changed: changed, newest: newest, counts: try found[counts]) }
            upper = "\(lowest - 1)"
            isKnown = "select true"
        }
    }

    /// Changes the entries of one step, from a position downwards.
    ///
    /// The change has the range of the step as well. Otherwise the planner might read all entries of the person for each changed one.
    private static func sweepStep(
        _ person: RecipientKey, _ change: InboxChange, from upper: SQL, where condition: SQL
    ) -> Statement<SweepStep> {
        let listed: SQL = "\(InboxItem.isOf(person)) and \(InboxItem.isListed)"
        let step: SQL = """
            select i.position from tidings.inbox i where \(listed) and i.position <= \(upper)
            order by i.position desc limit \(Store.inboxSweepStep)
            """
        let scope: SQL = "\(listed) and i.position <= \(upper) and i.position >= (select min(s.position) from (\(step)) s)"
        let write = InboxWrite(
            entries: "tidings.inbox i where \(scope) and \(condition)", assignments: change.assignments, scope: scope)
        let statement = write.statement(
            answering: """
                select count(*) as changed, (array_agg(notification_id order by position desc))[1:\(Int32(Store.inboxSweepNames))] as newest,
                    (select case when count(*) = \(Store.inboxSweepStep) then min(s.position) end from (\(step)) s) as lowest
                from changed
                """)
        return .one(statement, SweepStep.init)
    }

    /// The position of an entry, also of a deleted or snoozed one. No row if the person has no such entry.
    private static func position(of id: NotificationID, of person: RecipientKey) -> SQL {
        """
        select e.position from tidings.inbox e
        where e.tenant = \(person.tenant) and e.recipient_id = \(person.id) and e.notification_id = \(id.uuid)
        """
    }
}

// MARK: - SQL

/// The result of one step of a sweep.
private struct SweepStep: Sendable {
    let changed: Int
    /// The uppermost of the changed entries.
    let newest: [NotificationID]
    /// The lowest position of the step. Nil if the listing ends with it.
    let lowest: Int64?

    init(_ row: PostgresRow) throws {
        changed = try row.decode("changed")
        newest = try row.decode("newest", as: [NotificationID]?.self) ?? []
        lowest = try row.decode("lowest")
    }
}

extension InboxChange {
    private static let now: SQL = "(select tidings.clock())"

    /// The oldest time of an act that can still be taken back.
    private static let undoable: SQL = """
        (select tidings.clock() - make_interval(secs => \(Double(Store.inboxUndoLimit.components.seconds))))
        """

    /// The columns that change, as ``InboxWrite/assignments``.
    var assignments: SQL {
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
        case .wake: "position = b.position + c.step, snoozed_until = null, woken_at = \(Self.now)"
        }
    }

    /// A condition on the table alias `i`: the entry may change, and is not yet as asked. The first time of an act stays, unless the person
    /// has undone the act by another one meanwhile, see ``InboxItem/state``.
    fileprivate var condition: SQL {
        switch self {
        case .read: "i.deleted_at is null and (i.read_at is null or i.read_at < i.dismissed_at)"
        case .unread: "i.deleted_at is null and (i.read_at is not null or i.dismissed_at is not null)"
        case .seen: "i.deleted_at is null and i.seen_at is null"
        case .dismiss: "i.deleted_at is null and (i.dismissed_at is null or i.dismissed_at <= i.read_at)"
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
        case .wake: InboxItem.isSnoozed
        }
    }
}
