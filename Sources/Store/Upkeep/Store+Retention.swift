import TidingsPostgres

extension Store {
    /// Rejected or dead rows that one turn looks at. With 256 KiB each, one transaction deletes 128 MiB of bytes.
    package static let refusedPruneBatch: Int64 = 500
    /// The limit of totals by kind, tenant, channel, state and reason. Some hundred tenants fit with all their totals, and `status` reads
    /// them in milliseconds.
    package static let tallyTotals: Int64 = 10_000
    /// Totals of tenants that one turn folds.
    package static let tallyFoldBatch: Int64 = 5_000
    /// The largest count of open rows for a gauge and for `tidings status`, which show this number if there are more.
    package static let openRefusedCounted: Int64 = 100_000
}

/// Retention of rows that are not dropped with the partition of their day. Several processes may run every part at once.
extension Store.Upkeep {
    /// Deletes a closed row when the retention has passed since it was closed. Deletes an open row when twice the retention has passed
    /// since its last refusal.
    ///
    /// After twice the retention the idempotency keys are gone too, and a replay could send a second notification. So no row is kept longer
    /// than that after its last refusal, except for one day after it was closed.
    ///
    /// - Returns: False if there was no row to look at.
    public func pruneRefused(_ table: RefusedTable, retention: Duration) async throws -> Bool {
        let seconds = Double(retention.components.seconds)
        return try await pool.transaction { transaction in
            var trip = RoundTrip(running: [Store.byIndex])
            let deletion: SQL = """
                with looked_at as materialized (
                    select r.id, case when r.acted_at is null or \(table.isOpen) then \(table.lastTime) + make_interval(secs => \(seconds * 2))
                        else least(r.acted_at + make_interval(secs => \(seconds)),
                            greatest(\(table.lastTime) + make_interval(secs => \(seconds * 2)), r.acted_at + interval '1 day')) end as ends_at
                    from \(table.name) r where r.look_on <= (select (tidings.clock() at time zone 'UTC')::date)
                    order by r.look_on limit \(Store.refusedPruneBatch) for update skip locked
                ), deleted as (
                    delete from \(table.name) where id = any(array(select l.id from looked_at l where l.ends_at <= tidings.clock()))
                ), later as (
                    -- Look again within the retention, because an operator may close the row meanwhile.
                    update \(table.name) r set look_on = least((l.ends_at at time zone 'UTC')::date,
                        ((tidings.clock() + make_interval(secs => \(seconds))) at time zone 'UTC')::date) + 1
                    from looked_at l where r.id = l.id and l.ends_at > tidings.clock()
                )
                select count(*) from looked_at
                """
            let count = trip.ask(.value(deletion, as: Int.self))
            return try await transaction.send(trip)[count] > 0
        }
    }

    /// Deletes the counters of rejected bytes for days past retention.
    public func pruneRejectedDays(retention: Duration) async throws {
        _ = try await pool.query(
            """
            delete from tidings.rejected_days where day
                < ((tidings.clock() - make_interval(secs => \(Double(retention.components.seconds)))) at time zone 'UTC')::date
            """)
    }

    /// Folds the totals of tenants for which no delivery has ended within twice the retention into the totals without a tenant. The sums
    /// stay true.
    ///
    /// - Returns: False if there were none.
    public func foldTallyTotals(retention: Duration) async throws -> Bool {
        try await pool.transaction { transaction in
            try await transaction.query(
                """
                with gone as (
                    delete from tidings.tally_totals where ctid = any(array(
                        select ctid from tidings.tally_totals where tenant <> '' and changed_on
                            < ((tidings.clock() - make_interval(secs => \(Double(retention.components.seconds) * 2))) at time zone 'UTC')::date
                        limit \(Store.tallyFoldBatch) for update skip locked))
                    returning kind, channel, state, reason, n
                )
                insert into tidings.tally_totals as total (kind, tenant, channel, state, reason, n)
                select kind, '', channel, state, reason, sum(n) from gone group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
                on conflict (kind, tenant, channel, state, reason) do update set n = total.n + excluded.n, changed_on = excluded.changed_on
                """
            ).affectedRows > 0
        }
    }

    /// Deletes catalogues that no process has followed within twice the retention, because no decision that names them is kept. The active
    /// catalogue and the one that it replaced stay.
    public func pruneCatalogues(retention: Duration) async throws {
        let age = Double(retention.components.seconds) * 2
        _ = try await pool.pipeline([
            """
            update tidings.catalogues c set used_at = tidings.clock() where c.used_at < tidings.clock() - interval '1 hour' and c.hash in (
                select hash from tidings.active_catalogue
                union select catalogue from tidings.workers where heartbeat_at > tidings.clock() - interval '1 hour')
            """,
            // Keep the replaced catalogue: a rollback makes it active again, however long ago it was replaced.
            """
            delete from tidings.catalogues c where c.used_at < tidings.clock() - make_interval(secs => \(age))
                and not exists (select from tidings.active_catalogue a where a.hash = c.hash)
                and not exists (select from tidings.active_catalogue a join tidings.catalogue_history h on h.hash = a.hash
                    where h.replaced = c.hash)
            """,
        ])
    }

    /// The number of rows that wait for an operator, and the used part of today's ``RejectedBudget``.
    public func refusedFigures() async throws -> RefusedFigures {
        let query: SQL = """
            select (select count(*) from (select from tidings.rejected r where \(RefusedTable.rejected.isOpen) limit \(Store.openRefusedCounted)) o),
                (select count(*) from (select from tidings.dead r where \(RefusedTable.dead.isOpen) limit \(Store.openRefusedCounted)) o),
                coalesce(sum(d.kept_bytes), 0)::bigint, coalesce(sum(d.without_bytes), 0)::bigint
            from tidings.rejected_days d where d.day = (tidings.clock() at time zone 'UTC')::date
            """
        let (rejected, dead, keptBytes, withoutBytes) = try await pool.query(.one(query) { try $0.decode((Int, Int, Int, Int).self) })
        return RefusedFigures(rejected: rejected, dead: dead, keptBytes: keptBytes, withoutBytes: withoutBytes)
    }
}

public struct RefusedFigures: Sendable {
    public let rejected: Int
    public let dead: Int
    /// Kept bytes of the events that were refused today.
    public let keptBytes: Int
    /// Events that were refused today and of which no bytes were kept.
    public let withoutBytes: Int
}
