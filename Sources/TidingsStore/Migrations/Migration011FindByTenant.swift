extension Migration {
    /// `tidings find` names the tenants first and then asks each by its index: a join of tenants with every partition of notifications took
    /// longer to plan than to run.
    static let findByTenant = Migration(
        number: 11, name: "find-by-tenant", kind: .expand,
        sql: #"""
            create or replace function tidings_ops.find(anything text)
                returns table (kind text, id text, matched_on text, at timestamptz) language plpgsql stable
                security definer set search_path = pg_catalog, pg_temp as $$
            declare
                owner text;
            begin
                if anything ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(/\d+)?$' then
                    return query select 'notification', n.id::text, 'notification_id', n.accepted_at
                        from tidings.notifications n where n.id = split_part(anything, '/', 1)::uuid;
                end if;
                return query
                    (select 'notification', n.id::text, 'idempotency_key', n.accepted_at from tidings.notifications n
                        where n.event_id = anything order by n.id desc limit 20);
                for owner in select r.tenant from tidings.recipients r where r.id = anything union select 'default' loop
                    return query
                        (select 'notification', n.id::text, 'recipient_id', n.accepted_at from tidings.notifications n
                            where n.tenant = owner and n.recipient_id = anything order by n.id desc limit 20);
                end loop;
                return query select 'recipient', r.tenant || '/' || r.id, 'recipient_id', r.changed_at from tidings.recipients r where r.id = anything;
                return query select 'rejected', r.id::text, 'event_id', r.last_at from tidings.rejected r
                    where r.event_id = anything order by r.id desc limit 20;
            end $$;
            """#)
}
