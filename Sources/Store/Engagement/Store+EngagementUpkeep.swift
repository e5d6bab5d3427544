import TidingsPostgres

extension Store {
    /// Rows of counts that one turn adds to the totals.
    package static let engagementTallyBatch: Int64 = 20_000
    /// The limit of totals of one day: ten tenants with a thousand combinations of event, type, provider and market each.
    package static let engagementTotalsPerDay: Int64 = 10_000
    /// The time for which totals are kept, so that a day can be compared with the same day of the year before. They are of no person.
    public static let engagementTotalsKept = Duration.seconds(400 * 86_400)
    /// Rows that one turn deletes of each table.
    package static let engagementPruneBatch: Int64 = 5_000
}

/// Counts and retention of the events of apps. Several processes may run every part at once.
extension Store.Engagement {
    /// Adds counts to their totals and deletes them. Skips rows that another process is moving.
    ///
    /// Producers choose the names of tenants, so the totals of a day have a limit of ``engagementTotalsPerDay``. One turn may exceed it by
    /// its own rows. Beyond the limit, a tenant without a total on that day counts in the totals without a tenant. The sums stay true.
    public func rollUp() async throws {
        _ = try await pool.query(
            """
            with moved as (
                delete from tidings.engagement_tally where ctid = any(array(
                    select ctid from tidings.engagement_tally limit \(Store.engagementTallyBatch) for update skip locked))
                returning day, tenant, event, type, provider, market, n
            ), room as materialized (
                select d.day,
                    (select count(*) from tidings.engagement_totals t where t.day = d.day) < \(Store.engagementTotalsPerDay) as is_left
                from (select distinct day from moved) d
            ), named as (
                select m.day,
                    case when r.is_left or exists (select from tidings.engagement_totals t where t.day = m.day and t.tenant = m.tenant)
                        then m.tenant else '' end as tenant,
                    m.event, m.type, m.provider, m.market, m.n
                from moved m join room r on r.day = m.day
            )
            insert into tidings.engagement_totals as total (day, tenant, event, type, provider, market, n)
            select day, tenant, event, type, provider, market, sum(n) from named group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
            on conflict (day, tenant, event, type, provider, market) do update set n = total.n + excluded.n
            """)
    }

    /// Deletes events past retention, and the counters of people who have sent none since yesterday. Leaves rows that another process or a
    /// person locks.
    ///
    /// - Returns: False if there were none.
    public func prune(retention: Duration) async throws -> Bool {
        let seconds = Double(retention.components.seconds)
        let deletions: [SQL] = [
            """
            with old as materialized (
                select e.tenant, e.recipient_id, e.notification_id, e.key from tidings.engagement e
                where e.received_at < (select tidings.clock() - make_interval(secs => \(seconds)))
                limit \(Store.engagementPruneBatch) for update skip locked
            )
            delete from tidings.engagement e using old
            where e.tenant = old.tenant and e.recipient_id = old.recipient_id and e.notification_id = old.notification_id
                and e.key = old.key
            """,
            """
            delete from tidings.engagement_days where ctid = any(array(
                select ctid from tidings.engagement_days where day < (select ((tidings.clock() at time zone 'UTC')::date - 1))
                limit \(Store.engagementPruneBatch) for update skip locked))
            """,
        ]
        return try await pool.transaction { transaction in
            var trip = RoundTrip(running: [Store.byIndex, Store.rowByRow])
            let counts = deletions.map { trip.ask(.count($0)) }
            let found = try await transaction.send(trip)
            return try counts.contains { try found[$0] > 0 }
        }
    }

    /// Deletes totals of days past ``engagementTotalsKept``.
    ///
    /// - Returns: False if there were none.
    public func pruneTotals(kept: Duration = Store.engagementTotalsKept) async throws -> Bool {
        let seconds = Double(kept.components.seconds)
        return try await store.deleteByIndex(
            """
            delete from tidings.engagement_totals where ctid = any(array(
                select ctid from tidings.engagement_totals
                where day < (select ((tidings.clock() - make_interval(secs => \(seconds))) at time zone 'UTC')::date)
                limit \(Store.engagementPruneBatch) for update skip locked))
            """)
    }
}
