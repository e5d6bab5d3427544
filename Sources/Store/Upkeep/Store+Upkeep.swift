import TidingsPostgres

/// What releasers do between their turns; every part may run in several processes at once.
extension Store {
    /// Days of partitions made ahead, so that a week without any releaser loses nothing.
    public static let partitionDaysAhead = 7
    /// Tally rows rolled up in one turn.
    package static let tallyBatch: Int64 = 20_000
    /// Idempotency rows pruned in one turn.
    package static let pruneBatch: Int64 = 5_000

    /// Moves tally rows into their totals. Rows another process is moving are left to it.
    ///
    /// Producers choose the names of tenants. With ``tallyTotals`` totals, or up to a turn's rows more, a tenant without a total gets none of its
    /// own: its deliveries count for no tenant. The sums stay true.
    public func rollUpTally() async throws {
        _ = try await pool.query(
            """
            with moved as (
                delete from tidings.tally where ctid = any(array(select ctid from tidings.tally limit \(Self.tallyBatch) for update skip locked))
                returning kind, tenant, channel, state, reason, n
            ), room as materialized (select count(*) < \(Self.tallyTotals) as is_left from tidings.tally_totals
            ), named as (
                select kind, case when tenant = '' or (select is_left from room) or exists (
                    select from tidings.tally_totals t where t.kind = moved.kind and t.tenant = moved.tenant) then tenant else '' end as tenant,
                    channel, state, reason, n
                from moved
            )
            insert into tidings.tally_totals as total (kind, tenant, channel, state, reason, n, changed_on)
            select kind, tenant, channel, state, reason, sum(n), (tidings.clock() at time zone 'UTC')::date
            from named group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
            on conflict (kind, tenant, channel, state, reason) do update set n = total.n + excluded.n, changed_on = excluded.changed_on
            """)
    }

    /// Makes the partitions of the coming days and drops those past retention. Returns the names of what was dropped.
    public func tendPartitions(retention: Duration) async throws -> [String] {
        try await makePartitions()
        return try await pool.transaction(retrying: 0) { transaction in
            let answers = try await transaction.pipeline([
                Self.lockPatience, "select tidings.expire_partitions(make_interval(secs => \(Double(retention.components.seconds))))",
            ])
            return try answers[1].rows.map { try $0.decode(String.self) }
        }
    }

    /// A plan that was made for small tables, and is kept, may read them whole when they are large.
    static let byIndex: SQL = "set local enable_seqscan = off"

    /// Dropping a day, or seeing claims end, locks a table whole. Whoever waits for that lock holds up all who come after it, so beside a long backup
    /// it is left for another turn, not tried again at once.
    static let lockPatience: SQL = "set local lock_timeout = '300ms'"

    /// Makes the partitions of the coming days; does nothing where they exist.
    public func makePartitions() async throws {
        _ = try await pool.query("select tidings.ensure_partitions(1, \(Int32(Self.partitionDaysAhead)))")
    }

    /// Forgets keys whose notification is older than twice the retention: longer than any queue or replay keeps an intent.
    ///
    /// Keys are spread by their hash, so only the BRIN index tells where the old ones are. A scan of the whole table is ruled out, because the
    /// planner expects to meet old keys early and finds none. False when none was old.
    public func pruneIdempotency(retention: Duration) async throws -> Bool {
        try await pool.transaction { transaction in
            let answers = try await transaction.pipeline([
                Self.byIndex,
                """
                delete from tidings.idempotency where key = any(array(
                    select key from tidings.idempotency where notification_id <
                        (select tidings.first_id(tidings.clock() - make_interval(secs => \(Double(retention.components.seconds) * 2))))
                    limit \(Self.pruneBatch)))
                """,
            ])
            return answers[1].affectedRows > 0
        }
    }

    /// A process says that it is alive, what it has handled, whether its bulk work yields, and which providers it calls. Others count that
    /// `tidings_ops.workers` shows as running, but not those from before the clock was set back.
    ///
    /// - Parameters:
    ///   - catalogue: the hash of the catalogue that it follows. Processes that follow another have not said yet whom they call now.
    ///   - isLast: the process has stopped as it was asked to. A process that ends without it counts as lost.
    ///   - deadline: nil for the pool's own.
    public func heartbeat(
        _ worker: WorkerIdentity, handled: Int, yielding: (pause: Duration, cause: Duration)?, providers: [String], catalogue: String,
        isLast: Bool = false, deadline: Duration? = nil
    ) async throws -> ProviderCallers {
        let result = try await pool.query(
            """
            with beat as (
                insert into tidings.workers (id, role, host, pid, version, started_at, heartbeat_at, handled, bulk_pause_ms, urgent_took_ms,
                    providers, catalogue, stopped_at)
                values (\(worker.id), \(worker.role), \(worker.host), \(worker.pid), \(worker.version), tidings.clock(), tidings.clock(),
                    \(Int64(handled)), \(Int32((yielding?.pause ?? .zero) / .milliseconds(1))),
                    \(yielding.map { Int32($0.cause / .milliseconds(1)) }), \(providers), \(catalogue),
                    case when \(isLast) then tidings.clock() end)
                on conflict (id) do update set heartbeat_at = excluded.heartbeat_at, handled = excluded.handled,
                    bulk_pause_ms = excluded.bulk_pause_ms, urgent_took_ms = excluded.urgent_took_ms, providers = excluded.providers,
                    -- An earlier heartbeat may arrive after the last one.
                    catalogue = excluded.catalogue, stopped_at = coalesce(excluded.stopped_at, workers.stopped_at)
            ), others as (
                select providers, catalogue from tidings.workers
                where heartbeat_at between tidings.clock() - interval '30 seconds' and tidings.clock() + interval '5 seconds'
                    and id <> \(worker.id) and providers <> '{}' and stopped_at is null
            )
            select p.name, 1 + (select count(*) from others o where p.name = any(o.providers) or o.catalogue is distinct from \(catalogue)),
                1 + (select count(*) from others)
            from unnest(array_append(\(providers)::text[], null)) p(name)
            """, deadline: deadline)
        var callers = ProviderCallers()
        for row in result.rows {
            let (name, count, all) = try row.decode((String?, Int64, Int64).self)
            if let name { callers.ofEach[name] = Int(count) }
            callers.ofAny = Int(all)
        }
        return callers
    }

    /// Forgets processes that have said nothing for twice the retention: no attempt that names them is kept any more.
    public func pruneWorkers(retention: Duration) async throws {
        _ = try await pool.query(
            """
            delete from tidings.workers where heartbeat_at
                < (select tidings.clock()) - make_interval(secs => \(Double(retention.components.seconds) * 2))
            """)
    }

    /// A queue that another process sampled less long ago is not sampled again: how fast it drains is told from two samples.
    package static let sampleSpacingSeconds = 2.5

    public func sampleQueue(_ queue: String, ready: Int, consumers: Int) async throws {
        _ = try await pool.query(
            """
            insert into tidings.queue_samples as last (queue, ready, consumers, sampled_at, waiting_since)
            values (\(queue), \(Int64(ready)), \(Int32(clamping: consumers)), tidings.clock(),
                case when \(Int64(ready)) > 0 then tidings.clock() end)
            on conflict (queue) do update set ready = excluded.ready, consumers = excluded.consumers, sampled_at = excluded.sampled_at,
                earlier_ready = case when excluded.sampled_at > last.sampled_at then last.ready end,
                earlier_at = case when excluded.sampled_at > last.sampled_at then last.sampled_at end,
                waiting_since = case when excluded.ready > 0 then
                    coalesce(case when last.ready > 0 then last.waiting_since end, excluded.sampled_at) end
            where abs(extract(epoch from excluded.sampled_at - last.sampled_at)) >= \(Self.sampleSpacingSeconds)
            """)
    }

    /// Moves the business clock, for tests and `tidings dev` only.
    public func shiftClock(by shift: Duration) async throws {
        _ = try await pool.query(
            "update tidings.clock_offset set shift = make_interval(secs => \(Double(shift.components.seconds)))")
    }
}

/// One running process, as `tidings_ops.workers` shows it.
public struct WorkerIdentity: Sendable {
    public let id: String
    public let role: String
    public let host: String
    public let pid: Int32
    public let version: String

    public init(role: String, host: String, pid: Int32, version: String, instance: String) {
        id = "\(role)-\(host)-\(pid)-\(instance)"
        self.role = role
        self.host = host
        self.pid = pid
        self.version = version
    }
}

/// How many live processes share what providers take, the one that asks among them.
public struct ProviderCallers: Sendable {
    /// By the provider's name, of those that the process calls.
    public var ofEach: [String: Int] = [:]
    /// Processes that call any provider.
    public var ofAny = 1

    public init() {}
}
