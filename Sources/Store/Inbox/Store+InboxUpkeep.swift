import TidingsPostgres

/// Retention of inboxes. Several processes may run it at once.
extension Store {
    /// The time for which an entry is kept after its acceptance, its scheduled time or the end of its snooze, whichever is latest.
    public static let inboxRetention = Duration.seconds(90 * 86_400)
    /// The time for which a deleted entry keeps its row after ``inboxUndoLimit``, so that a client that is late learns of the deletion.
    package static let inboxDeletedKept = Duration.seconds(86_400)
    /// Rows that one turn deletes for each of the two reasons.
    package static let inboxPruneBatch: Int64 = 5_000

    /// Deletes entries past retention, and deleted entries after their time. Leaves rows that another process or a person locks.
    ///
    /// - Returns: False if there were none.
    public func pruneInbox(retention: Duration = inboxRetention) async throws -> Bool {
        let oldest: SQL = "(select tidings.clock() - make_interval(secs => \(Double(retention.components.seconds))))"
        let deleted = Double((Self.inboxUndoLimit + Self.inboxDeletedKept).components.seconds)
        return try await pool.transaction { transaction in
            let answers = try await transaction.pipeline([
                Self.byIndex,
                Self.rowByRow,
                // The id selects by index. An entry that was scheduled or snoozed may be younger than its id.
                Self.deleteEntries(
                    """
                    i.notification_id < (select tidings.first_id(\(oldest)))
                        and greatest(i.created_at, i.scheduled_for, i.snoozed_until) < \(oldest)
                    """),
                Self.deleteEntries("i.deleted_at < (select tidings.clock() - make_interval(secs => \(deleted)))"),
            ])
            return answers[2].affectedRows + answers[3].affectedRows > 0
        }
    }

    /// Makes PostgreSQL look each row up by its primary key. The planner expects a full batch, for which it may read a whole index.
    static let rowByRow: SQL = "select set_config('enable_mergejoin', 'off', true), set_config('enable_hashjoin', 'off', true)"

    private static func deleteEntries(_ condition: SQL) -> SQL {
        """
        with old as materialized (
            select i.tenant, i.recipient_id, i.notification_id from tidings.inbox i where \(condition)
            limit \(inboxPruneBatch) for update skip locked
        )
        delete from tidings.inbox i using old
        where i.tenant = old.tenant and i.recipient_id = old.recipient_id and i.notification_id = old.notification_id
        """
    }
}
