import TidingsPostgres
public import TidingsWire

extension Store {
    /// Row by row, partition by partition: every planned delivery must have ended, be in exactly one pack, or be in `due`; everything in a pack
    /// or in `due` must belong to a notification and not have ended. Empty when all is well; otherwise at most 100 rows.
    public func audit() async throws -> [JSON] {
        try await report(
            """
            with homes as (
                select notification_id, ordinal, 'ended' as home from tidings.deliveries
                union all select notification_id, ordinal, 'due' from tidings.due
                union all select m.notification_id, m.ordinal, 'pack' from tidings.packs p
                    cross join lateral unnest(p.notification_ids, p.ordinals) as m(notification_id, ordinal)
            ), counted as (
                select notification_id, ordinal, count(*) as n, string_agg(home, ' and ' order by home) as homes
                from homes group by notification_id, ordinal
            )
            select n.id as notification_id, o.ordinal::smallint as ordinal,
                case when c.n is null then 'planned, but neither ended nor in a pack nor due' else 'in several places: ' || c.homes end as problem
            from tidings.notifications n cross join lateral generate_series(0, n.planned - 1) as o(ordinal)
            left join counted c on c.notification_id = n.id and c.ordinal = o.ordinal
            where c.n is null or c.n > 1
            union all
            select c.notification_id, c.ordinal, 'no such planned delivery: ' || c.homes
            from counted c left join tidings.notifications n on n.id = c.notification_id
            where n.id is null or c.ordinal >= n.planned
            limit 100
            """)
    }
}
