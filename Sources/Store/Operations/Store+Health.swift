public import TidingsCore
public import TidingsJSON
import TidingsPostgres

/// Readings that `tidings status` and `tidings doctor` judge. Each one comes from a view of `tidings_ops`, so that a member of
/// `tidings_ops_read` may ask.
extension Store.Operations {
    /// The database's time. The other readings are judged by it.
    public func readingTime() async throws -> Timestamp {
        try await pool.query(.value("select as_of from tidings_ops.schema_version"))
    }

    /// Deliveries that have been due for more than a minute. `is_saturated` is true if their queue has more than ``Store/releaseLimit``
    /// unfinished packs, so that it takes no more.
    public func overdue() async throws -> [JSON] {
        try await store.report(
            """
            select o.*, coalesce(q.packs, 0) > \(Int64(Store.releaseLimit)) as is_saturated
            from tidings_ops.overdue o
            left join tidings_ops.queues q on q.channel = o.channel and q.provider = o.provider and q.lane = o.lane
            order by o.oldest_at
            """)
    }

    public func openBreakers() async throws -> [JSON] {
        try await store.report("select * from tidings_ops.open_breakers order by channel, provider")
    }

    /// Deliveries that failed, or were suppressed because they had no provider, within the last 15 minutes, by provider and reason.
    public func recentFailures() async throws -> [JSON] {
        try await store.report("select * from tidings_ops.recent_failures order by deliveries desc, channel, provider, reason_code, state")
    }

    /// The number of intents that were rejected, and of messages that died, within the last day and are still open. Of each it looks at the
    /// newest ``openRefusedCounted``.
    public func refusedToday() async throws -> JSON {
        try await store.onlyReport(
            """
            select (select count(*) from (select r.last_at as at from tidings_ops.rejected r where r.state = 'open'
                    order by r.rejected_id desc limit \(Store.openRefusedCounted)) r where r.at > v.as_of - interval '1 day') as rejected,
                (select count(*) from (select d.at from tidings_ops.dead_letters d where d.state in ('open', 'quarantined', 'trying')
                    order by d.dead_id desc limit \(Store.openRefusedCounted)) d where d.at > v.as_of - interval '1 day') as dead
            from tidings_ops.schema_version v
            """)
    }

    /// Settings on which Tidings' promise to lose nothing rests: those of the server, of this session's role and of its database.
    /// `standbys_seen` is false if this user may not see the state of the standbys.
    public func durability() async throws -> JSON {
        try await store.onlyReport(
            """
            select current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
                current_setting('data_checksums') as data_checksums, pg_is_in_recovery() as in_recovery,
                (select reset_val from pg_settings where name = 'default_transaction_read_only') as read_only,
                (select reset_val from pg_settings where name = 'synchronous_commit') as synchronous_commit,
                (select coalesce(json_agg(coalesce(r.rolname, 'every role') || ', ' || coalesce(d.datname, 'every database') || ': ' || c.setting
                        order by r.rolname, d.datname), '[]')
                    from pg_db_role_setting s cross join lateral unnest(s.setconfig) as c(setting)
                    left join pg_roles r on r.oid = s.setrole left join pg_database d on d.oid = s.setdatabase
                    where (s.setdatabase = 0 or d.datname = current_database()) and c.setting in ('synchronous_commit=off', 'synchronous_commit=local')
                ) as weaker,
                \(Self.standbys)
            """)
    }

    /// The standbys that commits wait for. A login that may not see their state still gets a row for each.
    private static let standbys: SQL = """
        current_setting('synchronous_standby_names') as synchronous_standby_names,
        pg_has_role('pg_read_all_stats', 'usage') as standbys_seen,
        (select count(*) from pg_stat_replication s where coalesce(s.state, 'streaming') <> 'backup') as standbys,
        (select count(*) from pg_stat_replication s where s.sync_state in ('sync', 'quorum')) as synchronous_standbys
        """

    /// The standbys that commits wait for, and the number of commits that have waited for more than 5 s. A login sees the sessions of its own
    /// role, and with `pg_read_all_stats` all sessions.
    public func commitWaits() async throws -> JSON {
        try await store.onlyReport(
            """
            select \(Self.standbys), (select count(*) from pg_stat_activity a
                where a.wait_event = 'SyncRep' and a.query_start < clock_timestamp() - interval '5 seconds') as waiting
            """)
    }

    /// Whether a commit ends within `limit` and the grace of an answer. The commit changes no row: it writes an empty message into the log of
    /// the server, and waits for the disk and for the standbys as every commit does. Each login may do this.
    public func commitEnds(within limit: Duration) async throws -> Bool {
        do throws(PostgresError) {
            _ = try await pool.pipeline(["select pg_logical_emit_message(true, 'tidings.doctor', '')"], limit: limit)
            return true
        } catch {
            guard error.kind == .deadlineExceeded else { throw error }
            return false
        }
    }

    /// Packs that the broker has not confirmed for more than 5 s, by channel, provider and lane.
    public func unconfirmed() async throws -> [JSON] {
        try await store.report("select * from tidings_ops.unconfirmed_packs order by oldest_at")
    }
}
