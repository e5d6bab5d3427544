import TidingsCore
public import TidingsJSON
public import TidingsPostgres

/// The timelines on which PostgreSQL runs the database.
extension Store {
    /// The timeline of the server that answers. Nil if the server is in recovery, or does not let this user ask.
    public func timeline() async throws -> PostgresTimeline? { try await pool.timeline() }

    /// The clock of the database. Transactions that decide something ask for it, and learn the timeline of the server in the same row.
    ///
    /// The answer throws a ``PostgresError/oldTimeline(_:)`` if the server is not on the timeline that was judged: a pooler has changed the
    /// server. The transaction must then end without a commit. Without a readable timeline, the second column is null: the functions may
    /// be missing on this server.
    var databaseClock: Statement<Timestamp> {
        let timeline: SQL = timelines?.current == nil ? "null::bigint" : PostgresTimeline.expression
        return .one("select tidings.clock(), \(timeline)") { [timelines] row in
            let (now, number) = try row.decode((Timestamp, Int?).self)
            if let number, let timelines, !timelines.isCurrent(UInt32(truncatingIfNeeded: number)) {
                throw PostgresError.oldTimeline("the server is on timeline \(number), which was not judged yet")
            }
            return now
        }
    }

    /// Records that a process has seen a timeline. Only the first record of a timeline counts.
    ///
    /// - Returns: False if there was a record already.
    @discardableResult
    public func noteTimeline(_ timeline: PostgresTimeline, seenBy worker: String) async throws -> Bool {
        try await pool.query(
            """
            insert into tidings.database_timelines (system, timeline, seen_at, seen_by)
            values (\(Int64(bitPattern: timeline.system)), \(Int64(timeline.number)), tidings.clock(), \(worker)) on conflict do nothing
            """
        ).affectedRows > 0
    }

    /// The latest timeline, if it began within the last day and another one was before it.
    public func lastFailover() async throws -> JSON? {
        try await report(
            """
            select t.* from tidings_ops.database_timelines t, tidings_ops.schema_version v
            where t.previous_timeline is not null and t.seen_at > v.as_of - interval '1 day' order by t.seen_at desc limit 1
            """
        ).first
    }
}
