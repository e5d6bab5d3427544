extension Migration {
    /// What the planner must know of two tables.
    static let planner = Migration(
        number: 5, name: "planner", kind: .expand,
        sql: #"""
            -- Small and always changing: starting parallel workers costs more than reading all of it.
            alter table tidings.packs set (parallel_workers = 0);
            alter table tidings.due set (parallel_workers = 0);

            -- Ranges of keys are summarised as they fill up, not with the next vacuum, which a table that only grows rarely sees.
            do $$ declare index regclass; begin
                for index in select i.indexrelid from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
                    where a.amname = 'brin' and i.indrelid in (select inhrelid from pg_inherits where inhparent = 'tidings.idempotency'::regclass)
                loop
                    execute format('alter index %s set (autosummarize = on)', index);
                end loop;
            end $$;
            """#)
}
