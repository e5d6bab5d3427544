extension Migration {
    /// What a person got, of whatever tenant, is found by the person alone.
    static let byRecipient = Migration(
        number: 17, name: "byRecipient", kind: .expand,
        sql: #"""
            -- An index that begins with the tenant serves nobody who knows only the person: a list of theirs read every day whole.
            create index on tidings.notifications (recipient_id, id);

            -- In a new session nearly all of its time goes into opening each day's table and planning for it. One statement over all days costs less
            -- than one for each, and the second finds everything open. To open the days to come is cheaper than a bound, which would be planned for
            -- at each of the others.
            create or replace function tidings_ops.find(anything text)
                returns table (kind text, id text, matched_on text, at timestamptz) language plpgsql stable
                security definer set search_path = pg_catalog, pg_temp set jit = off as $$
            begin
                if anything ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(/\d+)?$' then
                    return query select 'notification', n.id::text, 'notification_id', n.accepted_at
                        from tidings.notifications n where n.id = split_part(anything, '/', 1)::uuid;
                    if found then return; end if;
                end if;
                -- Ordered by what has no index: a day without statistics must not be walked in the order of its ids.
                return query select 'notification', n.id::text, 'idempotency_key', n.accepted_at from tidings.notifications n
                    where n.event_id = anything order by n.accepted_at desc limit 20;
                -- The latest are enough, and their times are those of their ids, which saves reading the rows.
                return query select 'notification', n.id::text, 'recipient_id', tidings.id_time(n.id) from tidings.notifications n
                    where n.recipient_id = anything order by n.id desc limit 10;
                return query select 'recipient', r.tenant || '/' || r.id, 'recipient_id', r.changed_at from tidings.recipients r where r.id = anything;
                return query select 'device', e.id, 'device_id', e.changed_at from tidings.endpoints e where e.channel = 'push' and e.id = anything;
                return query select 'device', e.id, 'token', e.changed_at from tidings.endpoints e
                    where e.channel = 'push' and tidings.token_hash(e.address) = tidings.token_hash(anything);
                return query select 'rejected', r.id::text, 'event_id', r.last_at from tidings.rejected r
                    where r.event_id = anything order by r.id desc limit 20;
            end $$;
            """#)
}
