public import TidingsJSON
import TidingsPostgres

extension Store {
    /// Notifications that one statement compares, in about two seconds. A statement over a large past as a whole would exceed its time
    /// limit.
    public static let auditSlice = 250_000
    /// The number of problems after which the audit ends.
    public static let auditLimit = 100
}

extension Store.Operations {
    /// Compares the rows of all notifications, in the order of the ids. Every planned delivery must have ended, be in exactly one pack, or
    /// be in `due`. Every member of a pack and every row of `due` must belong to a notification and must not have ended.
    ///
    /// A delivery changes its place in one transaction, and each slice is one statement. So the audit sees a delivery that moves meanwhile
    /// in exactly one place.
    ///
    /// - Parameter progress: called after each slice with the number of notifications compared so far.
    /// - Returns: The problems, at most ``auditLimit``. Empty if there are none.
    public func audit(slice: Int = Store.auditSlice, progress: (Int) -> Void = { _ in }) async throws -> [JSON] {
        var problems: [JSON] = []
        var compared = 0
        var from: PostgresUUID? = PostgresUUID(high: 0, low: 0)
        while let low = from, problems.count < Store.auditLimit {
            let next: SQL = "select id from tidings.notifications where id >= \(low) order by id offset \(Int64(slice)) limit 1"
            from = try await pool.transaction(retrying: 0) { try await $0.query(.first(next) { try $0.decode(PostgresUUID.self) }) }
            problems += try await store.report(Self.misplaced(from: low, to: from ?? PostgresUUID(high: .max, low: .max)))
            compared += slice
            if from != nil { progress(compared) }
        }
        return Array(problems.prefix(Store.auditLimit))
    }

    /// The problems of the notifications from `low` up to, but not including, `high`.
    private static func misplaced(from low: PostgresUUID, to high: PostgresUUID) -> SQL {
        """
        with homes as (
            select notification_id, ordinal, 'ended' as home from tidings.deliveries where notification_id >= \(low) and notification_id < \(high)
            union all select notification_id, ordinal, 'due' from tidings.due where notification_id >= \(low) and notification_id < \(high)
            union all select m.notification_id, m.ordinal, 'pack' from tidings.packs p
                cross join lateral unnest(p.notification_ids, p.ordinals) as m(notification_id, ordinal)
                where m.notification_id >= \(low) and m.notification_id < \(high)
        ), counted as (
            select notification_id, ordinal, count(*) as n, string_agg(home, ' and ' order by home) as homes
            from homes group by notification_id, ordinal
        ), planned as (
            select id, planned from tidings.notifications where id >= \(low) and id < \(high)
        )
        select n.id as notification_id, o.ordinal::smallint as ordinal,
            case when c.n is null then 'planned, but neither ended nor in a pack nor due' else 'in several places: ' || c.homes end as problem
        from planned n cross join lateral generate_series(0, n.planned - 1) as o(ordinal)
        left join counted c on c.notification_id = n.id and c.ordinal = o.ordinal
        where c.n is null or c.n > 1
        union all
        select c.notification_id, c.ordinal, 'no such planned delivery: ' || c.homes
        from counted c left join planned n on n.id = c.notification_id
        where n.id is null or c.ordinal >= n.planned
        limit \(Int64(Store.auditLimit))
        """
    }
}
