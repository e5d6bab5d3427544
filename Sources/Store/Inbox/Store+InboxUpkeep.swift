import TidingsCore
import TidingsPostgres

extension Store {
    /// The time for which an entry is kept after its acceptance, its scheduled time or the end of its snooze, whichever is latest.
    public static let inboxRetention = Duration.seconds(90 * 86_400)
    /// The time for which a deleted entry keeps its row after ``inboxUndoLimit``, so that an app that is away for a day learns of the
    /// deletion.
    package static let inboxDeletedKept = Duration.seconds(86_400)
    /// Entries that one turn changes for each of the two steps of retention. Routers that have something for these people wait meanwhile.
    package static let inboxPruneBatch: Int64 = 1_000
    /// People whose snoozed entries one turn wakes.
    package static let inboxWakeBatch: Int64 = 500
    /// Entries of one person that one turn wakes.
    package static let inboxWakesPerPerson: Int64 = 100

    /// Makes PostgreSQL look each row up by its primary key. The planner expects a full batch, for which it may read a whole index.
    static let rowByRow: SQL = "select set_config('enable_mergejoin', 'off', true), set_config('enable_hashjoin', 'off', true)"
}

/// Retention of inboxes, and the end of snoozes. Several processes may run both at once: no step waits for an inbox that another transaction
/// has locked.
extension Store.Inbox {
    // MARK: Retention

    /// Deletes entries past retention as if their people had done it, and removes the rows of deleted entries after their time.
    ///
    /// An entry therefore leaves in two steps. Between them, an app learns of the deletion by the id.
    ///
    /// - Returns: False if there were none.
    public func prune(retention: Duration = Store.inboxRetention) async throws -> Bool {
        let oldest: SQL = "(select tidings.clock() - make_interval(secs => \(Double(retention.components.seconds))))"
        // As the index has it.
        let isOld: SQL = """
            greatest(i.created_at, i.scheduled_for, i.woken_at) < \(oldest) and i.deleted_at is null and i.snoozed_until is null
            """
        let hasExpired = try await tendEntries(where: isOld) { entries in
            [InboxWrite(entries: entries, assignments: InboxChange.delete.assignments).statement(answering: "select count(*) from changed")]
        }
        let deleted = Double((Store.inboxUndoLimit + Store.inboxDeletedKept).components.seconds)
        let isGone: SQL = "i.deleted_at < (select tidings.clock() - make_interval(secs => \(deleted)))"
        let wasRemoved = try await tendEntries(where: isGone) { entries in [InboxWrite.deletion(of: entries)] }
        return hasExpired || wasRemoved
    }

    /// Locks the inboxes of some entries that satisfy a condition, and runs statements about these entries. Passes over inboxes that are
    /// locked. Afterwards removes the inboxes that have no entry left.
    ///
    /// - Parameter statements: gets the entries as ``InboxWrite/entries``.
    /// - Returns: False if there was no such entry.
    private func tendEntries(where condition: SQL, _ statements: (SQL) -> [SQL]) async throws -> Bool {
        try await pool.transaction(isolation: .readCommitted) { transaction in
            var look = RoundTrip(running: [Store.byIndex, Store.rowByRow])
            let locked = look.ask(.rows(Self.lockInboxes(of: condition), EntryKey.init))
            let keys = try await transaction.send(look)[locked]
            guard !keys.isEmpty else { return false }
            // The condition again: until the lock, a person may have changed the entry.
            let entries: SQL = """
                \(keys.relation("found", EntryKey.columns))
                join tidings.inbox i on i.tenant = found.tenant and i.recipient_id = found.recipient_id
                    and i.notification_id = found.notification_id
                where \(condition)
                """
            try await transaction.pipeline(statements(entries) + [Self.removeEmpty(among: keys.map(\.person))])
            return true
        }
    }

    private static func lockInboxes(of condition: SQL) -> SQL {
        """
        with old as materialized (
            select i.tenant, i.recipient_id, i.notification_id from tidings.inbox i where \(condition) limit \(Store.inboxPruneBatch)
        )
        select old.tenant, old.recipient_id, old.notification_id from old
        join tidings.inboxes b on b.tenant = old.tenant and b.recipient_id = old.recipient_id
        for update of b skip locked
        """
    }

    /// Removes the inboxes of these people that have no entry left. Producers choose the names of people, so such rows have no other bound.
    static func removeEmpty(among people: [RecipientKey]) -> SQL {
        """
        with empty as materialized (
            select found.tenant, found.recipient_id from (
                select distinct tenant, recipient_id from \(people.relation("told"))
            ) found
            left join lateral (select true as is_there from tidings.inbox i
                where i.tenant = found.tenant and i.recipient_id = found.recipient_id limit 1) entry on true
            where entry.is_there is null
        )
        delete from tidings.inboxes b using empty where b.tenant = empty.tenant and b.recipient_id = empty.recipient_id
        """
    }

    // MARK: Snoozes

    /// Lets snoozed entries arrive anew whose time has come, the earliest first.
    ///
    /// - Returns: The entries. Nil if no snooze was over.
    public func wakeSnoozed() async throws -> InboxArrivals? {
        try await pool.transaction(isolation: .readCommitted) { transaction in
            let people = try await transaction.query(
                .rows(Self.lockWaking) { RecipientKey(tenant: try $0.decode("tenant"), id: try $0.decode("recipient_id")) })
            guard !people.isEmpty else { return nil }
            let write = InboxWrite(entries: Self.waking(among: people), assignments: InboxChange.wake.assignments, arrives: true)
            var trip = RoundTrip(running: [Store.rowByRow])
            let waking = write.statement(answering: "select tenant, recipient_id, notification_id from changed order by 1, 2")
            let woken = trip.ask(.rows(waking, EntryKey.init))
            trip.run(Self.noteNextWake(among: people))
            return InboxArrivals(try await transaction.send(trip)[woken])
        }
    }

    private static let lockWaking: SQL = """
        select b.tenant, b.recipient_id from tidings.inboxes b where b.wakes_at <= (select tidings.clock())
        order by b.wakes_at limit \(Store.inboxWakeBatch) for update skip locked
        """

    private static func waking(among people: [RecipientKey]) -> SQL {
        """
        \(people.relation("found")) cross join lateral (
            select * from tidings.inbox e where e.tenant = found.tenant and e.recipient_id = found.recipient_id
                and e.deleted_at is null and e.snoozed_until <= (select tidings.clock())
            order by e.snoozed_until, e.position limit \(Store.inboxWakesPerPerson)
        ) i
        """
    }

    /// Notes the ends of the snoozes that are left. A person may have deleted or woken the earliest one.
    private static func noteNextWake(among people: [RecipientKey]) -> SQL {
        """
        update tidings.inboxes b set wakes_at = (
            select e.snoozed_until from tidings.inbox e
            where e.tenant = b.tenant and e.recipient_id = b.recipient_id and e.deleted_at is null and e.snoozed_until is not null
            order by e.snoozed_until limit 1
        )
        from \(people.relation("found"))
        where b.tenant = found.tenant and b.recipient_id = found.recipient_id
        """
    }
}
