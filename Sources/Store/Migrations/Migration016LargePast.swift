extension Migration {
    /// Questions of people, asked of tens of millions of rows.
    static let largePast = Migration(
        number: 16, name: "largePast", kind: .expand,
        sql: #"""
            -- In a new session nearly all of its time goes into opening each day's table and planning for it. One statement over all days costs less
            -- than one for each, and the second finds everything open. To open the days to come is cheaper than a bound, which would be planned for
            -- at each of the others.
            create or replace function tidings_ops.find(anything text)
                returns table (kind text, id text, matched_on text, at timestamptz) language plpgsql stable
                security definer set search_path = pg_catalog, pg_temp set jit = off as $$
            declare
                owners text[];
            begin
                if anything ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(/\d+)?$' then
                    return query select 'notification', n.id::text, 'notification_id', n.accepted_at
                        from tidings.notifications n where n.id = split_part(anything, '/', 1)::uuid;
                    if found then return; end if;
                end if;
                -- Ordered by what has no index: a day without statistics must not be walked in the order of its ids.
                return query select 'notification', n.id::text, 'idempotency_key', n.accepted_at from tidings.notifications n
                    where n.event_id = anything order by n.accepted_at desc limit 20;
                -- Who has said nothing of themselves has no row, in whatever tenant they got something.
                select array_agg(t.tenant) into owners from (
                    select r.tenant from tidings.recipients r where r.id = anything
                    union select 'default'
                    union (select distinct tenant from tidings.tally_totals where tenant <> '' limit 100)
                    union (select distinct tenant from tidings.tally where tenant <> '' limit 100)) t;
                -- The latest are enough, and their times are those of their ids, which saves reading the rows.
                return query select 'notification', l.id::text, 'recipient_id', tidings.id_time(l.id)
                    from unnest(owners) o(tenant)
                    cross join lateral (select n.id from tidings.notifications n
                        where n.tenant = o.tenant and n.recipient_id = anything order by n.id desc limit 10) l
                    order by l.id desc limit 10;
                return query select 'recipient', r.tenant || '/' || r.id, 'recipient_id', r.changed_at from tidings.recipients r where r.id = anything;
                return query select 'device', e.id, 'device_id', e.changed_at from tidings.endpoints e where e.channel = 'push' and e.id = anything;
                return query select 'device', e.id, 'token', e.changed_at from tidings.endpoints e
                    where e.channel = 'push' and tidings.token_hash(e.address) = tidings.token_hash(anything);
                return query select 'rejected', r.id::text, 'event_id', r.last_at from tidings.rejected r
                    where r.event_id = anything order by r.id desc limit 20;
            end $$;

            -- Only what has ended is stored there. Said once more, it lets the planner leave out all of it for a question about what has not.
            create or replace view tidings_ops.deliveries as
                select n.id || '/' || d.ordinal as delivery_id, d.notification_id, d.ordinal, n.tenant, n.type, n.category, n.recipient_id,
                    d.channel, d.provider, d.endpoint, d.state, d.reason as reason_code, d.attempts, null::timestamptz as due_at,
                    d.provider_message_id, n.accepted_at as created_at, d.ended_at as finished_at, null::bigint as pause_id
                from tidings.deliveries d join tidings.notifications n on n.id = d.notification_id
                where d.state in ('sent', 'delivered', 'suppressed', 'cancelled', 'expired', 'failed')
                union all
                select n.id || '/' || w.ordinal, w.notification_id, w.ordinal, n.tenant, n.type, n.category, n.recipient_id,
                    w.channel, w.provider, w.endpoint, case when w.kind in ('held', 'escalation') then 'held' else 'retrying' end,
                    w.reason, (w.attempt - 1)::smallint, case when w.pause_id is null then nullif(w.due_at, 'infinity') end, null,
                    n.accepted_at, null, w.pause_id
                from tidings.due w join tidings.notifications n on n.id = w.notification_id
                union all
                select n.id || '/' || e.ordinal, e.notification_id, e.ordinal, n.tenant, n.type, n.category, n.recipient_id,
                    p.channel, p.provider, null, 'queued', case when p.claimed_at is null then 'inQueue' else 'inFlight' end,
                    (e.attempt - 1)::smallint, null, null, n.accepted_at, null, null
                from tidings.packs p
                cross join lateral unnest(p.notification_ids, p.ordinals, p.attempts) as e(notification_id, ordinal, attempt)
                join tidings.notifications n on n.id = e.notification_id;
            """#)
}
