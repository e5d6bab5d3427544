extension Migration {
    /// Who calls which provider, so that each of them keeps to its share of what that takes.
    static let shares = Migration(
        number: 14, name: "shares", kind: .expand,
        sql: #"""
            -- catalogue: which one it follows; those that follow another have not said yet whom they call now.
            alter table tidings.workers add column providers text[] not null default '{}', add column catalogue text;

            create or replace view tidings_ops.workers as
                select id as worker_id, role, host, pid, version, handled, started_at, heartbeat_at,
                    case when heartbeat_at > tidings.clock() - interval '30 seconds' then 'running' else 'lost' end as state,
                    bulk_pause_ms, urgent_took_ms, providers
                from tidings.workers;
            comment on column tidings_ops.workers.providers is
                'Whom it calls, by their names in the catalogue. What one of them takes is divided equally among the running processes that call it.';
            """#)
}
