extension Migration {
    /// `tidings find` looks at one day's partition after the other, newest first.
    static let findByDay = Migration(
        number: 15, name: "findByDay", kind: .expand,
        sql: #"""
            -- In a new session nearly all of its time goes into opening partitions and planning for them, and with a long past into reading one index
            -- for each day. So a notification's id ends the search, each day is planned for by itself, days to come are left out, and of a person the
            -- latest notifications are enough. Their times are those of their ids, which saves reading the rows.
            create or replace function tidings_ops.find(anything text)
                returns table (kind text, id text, matched_on text, at timestamptz) language plpgsql stable
                security definer set search_path = pg_catalog, pg_temp as $$
            declare
                owners text[];
                day text;
                of_events integer := 20;
                of_people integer := 10;
                found_now integer;
            begin
                if anything ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(/\d+)?$' then
                    return query select 'notification', n.id::text, 'notification_id', n.accepted_at
                        from tidings.notifications n where n.id = split_part(anything, '/', 1)::uuid;
                    if found then return; end if;
                end if;
                -- Who has said nothing of themselves has no row, in whatever tenant they got something.
                select array_agg(t.tenant) into owners from (
                    select r.tenant from tidings.recipients r where r.id = anything
                    union select 'default'
                    union (select distinct tenant from tidings.tally_totals where tenant <> '' limit 100)
                    union (select distinct tenant from tidings.tally where tenant <> '' limit 100)) t;
                for day in
                    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
                    where i.inhparent = 'tidings.notifications'::regclass
                        and c.relname <= 'notifications_p' || to_char((tidings.clock() + interval '1 hour') at time zone 'UTC', 'YYYYMMDD')
                    order by c.relname desc
                loop
                    if of_events > 0 then
                        return query execute format(
                            'select ''notification'', n.id::text, ''idempotency_key'', n.accepted_at from tidings.%I n
                            where n.event_id = $1 order by n.id desc limit $2', day) using anything, of_events;
                        get diagnostics found_now = row_count;
                        of_events := of_events - found_now;
                    end if;
                    if of_people > 0 then
                        return query execute format(
                            'select ''notification'', l.id::text, ''recipient_id'', tidings.id_time(l.id) from unnest($2) o(tenant)
                            cross join lateral (select n.id from tidings.%I n where n.tenant = o.tenant and n.recipient_id = $1
                                order by n.id desc limit $3) l order by l.id desc', day) using anything, owners, of_people;
                        get diagnostics found_now = row_count;
                        of_people := of_people - found_now;
                    end if;
                end loop;
                return query select 'recipient', r.tenant || '/' || r.id, 'recipient_id', r.changed_at from tidings.recipients r where r.id = anything;
                return query select 'device', e.id, 'device_id', e.changed_at from tidings.endpoints e where e.channel = 'push' and e.id = anything;
                return query select 'device', e.id, 'token', e.changed_at from tidings.endpoints e
                    where e.channel = 'push' and tidings.token_hash(e.address) = tidings.token_hash(anything);
                return query select 'rejected', r.id::text, 'event_id', r.last_at from tidings.rejected r
                    where r.event_id = anything order by r.id desc limit 20;
            end $$;
            comment on function tidings_ops.find(text) is
                'Finds the record of any id: a notification, a delivery, an event, a recipient with their latest notifications, a device or its token.';
            """#)
}
