import TidingsPostgres

extension Store {
    /// Days for which partitions are made ahead, so that a week without any releaser loses nothing.
    public static let partitionDaysAhead = 7
    /// Tally rows that one turn adds to the totals.
    package static let tallyBatch: Int64 = 20_000
    /// Idempotency rows that one turn deletes.
    package static let pruneBatch: Int64 = 5_000

    /// Turns sequential scans off. PostgreSQL may keep a plan from a time when a table was small, and such a plan would read a large table
    /// whole.
    static let byIndex: SQL = "set local enable_seqscan = off"

    /// Deletes a part of the old rows of a table, without a sequential scan.
    ///
    /// - Returns: False if there were none.
    func deleteByIndex(_ deletion: SQL) async throws -> Bool {
        try await pool.transaction { transaction in
            var trip = RoundTrip(running: [Self.byIndex])
            let deleted = trip.ask(.count(deletion))
            return try await transaction.send(trip)[deleted] > 0
        }
    }

    /// Whether a delivery of a notification has not ended, or ended within the retention. For notifications past retention: they were
    /// scheduled far ahead, or paused for long. False if the notification has been dropped.
    ///
    /// The condition is a scalar subquery, so PostgreSQL looks up one notification at a time, in its own day. `exists` might become a join
    /// with all days.
    static func endsLate(_ notification: SQL, retention: Duration) -> SQL {
        """
        coalesce((
            select (
                select count(*) < n.planned
                    or max(d.ended_at) > (select tidings.clock()) - make_interval(secs => \(Double(retention.components.seconds)))
                from tidings.deliveries d where d.notification_id = n.id)
            from tidings.notifications n where n.id = \(notification)), false)
        """
    }

    /// The shortest time between two samples of a queue in seconds, also by different processes. The drain rate needs two samples that are
    /// apart.
    package static let sampleSpacingSeconds = 2.5
}

/// Chores of releasers between their turns. Several processes may run every part at once.
extension Store.Upkeep {
    /// Adds tally rows to their totals and deletes them. Skips rows that another process is moving.
    ///
    /// Producers choose the names of tenants, so the number of totals has a limit of ``tallyTotals``. One turn may exceed it by its own
    /// rows. Beyond the limit a tenant without a total gets none: its deliveries count in the totals without a tenant. The sums stay true.
    public func rollUpTally() async throws {
        _ = try await pool.query(
            """
            with moved as (
                delete from tidings.tally where ctid = any(array(select ctid from tidings.tally limit \(Store.tallyBatch) for update skip locked))
                returning kind, tenant, channel, state, reason, n
            ), room as materialized (select count(*) < \(Store.tallyTotals) as is_left from tidings.tally_totals
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

    /// Makes the partitions of the coming days and drops those past retention. Returns the names of the dropped partitions.
    public func tendPartitions(retention: Duration) async throws -> [String] {
        try await makePartitions()
        return try await pool.transaction(retrying: 0) { transaction in
            var trip = RoundTrip(running: [Self.lockPatience])
            let dropped = trip.ask(
                .rows("select tidings.expire_partitions(make_interval(secs => \(Double(retention.components.seconds))))") {
                    try $0.decode(String.self)
                })
            return try await transaction.send(trip)[dropped]
        }
    }

    /// The wait for a lock on a whole table, to drop a day or to wait for claims. Later sessions queue behind this wait. So during a long
    /// backup the work is left for another turn and not repeated at once.
    static let lockPatience: SQL = "set local lock_timeout = '300ms'"

    /// Makes the partitions of the coming days. Does nothing for days that have partitions.
    public func makePartitions() async throws {
        _ = try await pool.query("select tidings.ensure_partitions(1, \(Int32(Store.partitionDaysAhead)))")
    }

    /// Deletes keys whose notification is older than twice the retention. No queue and no replay keeps an intent longer. A notification whose
    /// deliveries end late keeps its key for the retention after their end.
    ///
    /// Keys are spread by their hash, so only the BRIN index can find old ones. A sequential scan is ruled out: the planner would expect to
    /// meet old keys early, and the scan would find none.
    ///
    /// - Returns: False if no key was old.
    public func pruneIdempotency(retention: Duration) async throws -> Bool {
        try await store.deleteByIndex(
            """
            delete from tidings.idempotency where key = any(array(
                select key from tidings.idempotency k where notification_id <
                    (select tidings.first_id(tidings.clock() - make_interval(secs => \(Double(retention.components.seconds) * 2))))
                    and not \(Store.endsLate("k.notification_id", retention: retention))
                limit \(Store.pruneBatch)))
            """)
    }

    /// Records that a process is alive, with its work so far, whether its bulk work yields, the providers that it calls, and what keeps it
    /// from its work. Returns how many processes share each provider.
    ///
    /// The process counts the others that `tidings_ops.workers` shows as running. A heartbeat from before the clock was set back does not
    /// count.
    ///
    /// - Parameters:
    ///   - catalogue: The hash of the catalogue that the process follows. A process with another catalogue counts as a caller of every
    ///     provider, because its present providers are not known.
    ///   - brokerUser: The AMQP user as which the process publishes.
    ///   - isLast: Whether the process stops as it was asked to. A process that ends without this heartbeat counts as lost.
    ///   - deadline: Nil for the deadline of the pool.
    public func heartbeat(
        _ worker: WorkerIdentity, handled: Int, yielding: (pause: Duration, cause: Duration)?, providers: [String], catalogue: String,
        obstacles: [WorkerObstacle] = [], brokerUser: String? = nil, isLast: Bool = false, deadline: Duration? = nil
    ) async throws -> ProviderCallers {
        let result = try await pool.query(
            """
            with beat as (
                insert into tidings.workers (id, role, host, pid, version, started_at, heartbeat_at, handled, bulk_pause_ms, urgent_took_ms,
                    providers, catalogue, obstacles, broker_user, stopped_at)
                values (\(worker.id), \(worker.role), \(worker.host), \(worker.pid), \(worker.version), tidings.clock(), tidings.clock(),
                    \(Int64(handled)), \(Int32((yielding?.pause ?? .zero) / .milliseconds(1))),
                    \(yielding.map { Int32(($0.cause / .milliseconds(1)).rounded(.up)) }), \(providers), \(catalogue),
                    \(obstacles.json(now: clock.now()))::jsonb, \(brokerUser), case when \(isLast) then tidings.clock() end)
                on conflict (id) do update set heartbeat_at = excluded.heartbeat_at, handled = excluded.handled,
                    bulk_pause_ms = excluded.bulk_pause_ms, urgent_took_ms = excluded.urgent_took_ms, providers = excluded.providers,
                    obstacles = excluded.obstacles, broker_user = excluded.broker_user,
                    -- An earlier heartbeat may arrive after the last one, so keep the time of the stop.
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

    /// The AMQP users of the running processes with one of these roles, each once.
    public func brokerUsers(of roles: [String]) async throws -> [String] {
        try await pool.query(
            """
            select distinct broker_user from tidings.workers
            where role = any(\(roles)) and stopped_at is null and broker_user is not null
                and heartbeat_at between tidings.clock() - interval '30 seconds' and tidings.clock() + interval '5 seconds'
            order by 1
            """
        ).rows.map { try $0.decode(String.self) }
    }

    /// Deletes processes without a heartbeat for twice the retention, because no attempt that names them is kept.
    public func pruneWorkers(retention: Duration) async throws {
        _ = try await pool.query(
            """
            delete from tidings.workers where heartbeat_at
                < (select tidings.clock()) - make_interval(secs => \(Double(retention.components.seconds) * 2))
            """)
    }

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
            where abs(extract(epoch from excluded.sampled_at - last.sampled_at)) >= \(Store.sampleSpacingSeconds)
            """)
    }

    /// The delivery queues that were sampled once and that are none of these: their providers left the catalogue.
    public func sampledQueues(except names: [String]) async throws -> [String] {
        try await pool.query(
            "select queue from tidings.queue_samples where queue like 'tidings.deliver.%' and not queue = any(\(names)) order by queue"
        ).rows.map { try $0.decode(String.self) }
    }

    /// Forgets the sample of a queue that the broker does not have any more.
    public func forgetSample(of queue: String) async throws {
        _ = try await pool.query("delete from tidings.queue_samples where queue = \(queue)")
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

/// The number of live processes that share the capacity of providers. The asking process counts too.
public struct ProviderCallers: Sendable {
    /// The number for each provider that the process calls, by the provider's name.
    public var ofEach: [String: Int] = [:]
    /// The number of processes that call any provider.
    public var ofAny = 1

    public init() {}
}
