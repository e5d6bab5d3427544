extension Migration {
    /// The SQL outbox is walked by index, claimed outside of the events' own rows, and shown; each event keeps who asked.
    static let outbox = Migration(
        number: 22, name: "outbox", kind: .expand,
        sql: #"""
            -- The role that called tidings_api.enqueue, and the event's id. Null in events from before.
            alter table tidings.outgoing add column producer text, add column event_id text;
            -- The order in which relays publish. A turn reads as many entries as it takes events, however many wait.
            create index outgoing_turn on tidings.outgoing (attempts, created_at, id);
            -- Every event is deleted soon after it came: its dead row and index entries are in the way of what comes later.
            alter table tidings.outgoing set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000,
                autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 10000);

            -- Which events a relay is publishing. One row for each relay, updated in place with each turn: a third of a page, so that the next
            -- version fits beside it (HOT), and never moved out of line.
            create table tidings.outgoing_claims (
                relay uuid primary key,
                ids uuid[] not null,
                lease_until timestamptz not null
            ) with (fillfactor = 40, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
            alter table tidings.outgoing_claims alter column ids set storage plain;

            -- The types of each catalogue that was activated since, for tidings_api.enqueue.
            create table tidings.catalogue_types (
                hash text primary key references tidings.catalogues (hash) on delete cascade,
                types text[] not null
            );

            -- The first publisher, if anybody had vouched for it: a replay goes out in that name.
            alter table tidings.rejected add column producer text;
            alter table tidings.dead add column producer text;

            create or replace function tidings_api.enqueue(
                type text, recipient text, data jsonb default '{}', key text default null, send_at timestamptz default null,
                title text default null, body text default null, channels text[] default null, source text default '/sql',
                tenant text default 'default'
            ) returns text language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
            declare
                event_id text := coalesce(enqueue.key, gen_random_uuid()::text);
                built text;
                problem text := case
                    when coalesce(enqueue.type, '') = '' then 'type is empty'
                    when octet_length(enqueue.type) > 200 then 'type has more than 200 bytes'
                    when coalesce(enqueue.recipient, '') = '' then 'recipient is empty'
                    when octet_length(enqueue.recipient) > 256 then 'recipient has more than 256 bytes'
                    when event_id = '' then 'key is empty'
                    when octet_length(event_id) > 256 then 'key has more than 256 bytes'
                    when coalesce(enqueue.source, '') = '' then 'source is empty'
                    when octet_length(enqueue.source) > 512 then 'source has more than 512 bytes'
                    when not isfinite(enqueue.send_at) then 'send_at is not a time'
                end;
            begin
                built :=
                    json_build_object('specversion', '1.0', 'id', event_id, 'source', enqueue.source, 'type', enqueue.type,
                        'data', (select json_object_agg(member, value) from (values
                            ('recipient', to_json(enqueue.recipient)), ('tenant', to_json(enqueue.tenant)),
                            ('title', to_json(enqueue.title)), ('body', to_json(enqueue.body)),
                            ('channels', to_json(enqueue.channels)), ('data', enqueue.data::json),
                            ('scheduledFor', to_json(to_char(enqueue.send_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')))
                        ) as members(member, value) where value is not null))::text;
                if octet_length(built) > 262144 then problem := coalesce(problem, 'the event has more than 256 KiB'); end if;
                if problem is not null then raise exception 'tidings_api.enqueue: %', problem using errcode = '22023'; end if;
                if exists (select from tidings.active_catalogue a join tidings.catalogue_types t on t.hash = a.hash
                    where not enqueue.type = any(t.types))
                then
                    raise exception 'tidings_api.enqueue: the catalogue has no type "%"', enqueue.type
                        using errcode = '22023', hint = 'Correct the name, or declare the type with "tidings catalogue apply".';
                end if;
                -- The login of the session: inside this function current_user is the owner's.
                insert into tidings.outgoing (type, event, created_at, producer, event_id)
                    values (enqueue.type, built, tidings.clock(), session_user::text, event_id);
                return event_id;
            end $$;

            -- Ten tries are Store.outboxTries. The oldest event of each count of tries is one look at the index; at most 1,000 counts are told apart.
            -- Counting goes to 100,000; beyond, the planner's statistics are near enough.
            create view tidings_ops.outbox as
                with recursive step as (
                    (select attempts, created_at from tidings.outgoing order by attempts, created_at, id limit 1)
                    union all
                    select n.attempts, n.created_at from step cross join lateral (
                        select o.attempts, o.created_at from tidings.outgoing o where o.attempts > step.attempts
                        order by o.attempts, o.created_at, o.id limit 1) n
                ), oldest as (
                    select min(created_at) as at, max(attempts) as most_attempts from step
                ), counted as (
                    select count(*) as n from (select from tidings.outgoing order by attempts, created_at, id limit 100000) few
                ), refused as (
                    select count(*) as n
                    from (select from tidings.outgoing where attempts > 10 order by attempts, created_at, id limit 100000) few
                ), estimated as (
                    select coalesce((c.reltuples / nullif(c.relpages, 0) * pg_relation_size(c.oid)
                        / current_setting('block_size')::integer)::bigint, 0) as n
                    from pg_class c where c.oid = 'tidings.outgoing'::regclass
                )
                select case when counted.n < 100000 then counted.n else greatest(counted.n, estimated.n) end as waiting,
                    counted.n >= 100000 as is_estimate, oldest.at as oldest_at,
                    extract(epoch from tidings.clock() - oldest.at)::double precision as oldest_seconds,
                    refused.n as refused, coalesce(oldest.most_attempts, 0) as most_attempts
                from oldest, counted, refused, estimated;
            comment on view tidings_ops.outbox is
                'Events that tidings_api.enqueue has taken and no release role has published yet. Always one row.';
            comment on column tidings_ops.outbox.waiting is 'How many wait. Those of transactions that are not committed do not count.';
            comment on column tidings_ops.outbox.is_estimate is 'True from 100,000 on: waiting is then about that many.';
            comment on column tidings_ops.outbox.oldest_at is 'When the oldest of them was enqueued; null when none waits.';
            comment on column tidings_ops.outbox.oldest_seconds is
                'Age of the oldest. More than some seconds: no release role runs, or the broker does not take events.';
            comment on column tidings_ops.outbox.refused is
                'How many the broker has refused more than ten times. They are tried every ten seconds; the log of the release role says why.';
            comment on column tidings_ops.outbox.most_attempts is 'How often the broker has refused the one that it refused most often; counted to 1000.';

            create function tidings_ops.find_enqueued(anything text)
                returns table (id text, type text, producer text, enqueued_at timestamptz, attempts integer) language sql stable
                security definer set search_path = pg_catalog, pg_temp as $$
                select o.id::text, o.type, o.producer, o.created_at, o.attempts from tidings.outgoing o
                where o.event_id = anything or (o.event_id is null and o.event::json ->> 'id' = anything)
                order by o.created_at limit 20
            $$;
            comment on function tidings_ops.find_enqueued(text) is
                'The events of an id that tidings_api.enqueue has taken and no release role has published yet. Reads the whole outbox.';
            revoke execute on function tidings_ops.find_enqueued(text) from public;

            do $$ begin
                if to_regrole('tidings_run') is not null then
                    grant select, insert, update, delete on tidings.outgoing_claims, tidings.catalogue_types to tidings_run;
                    grant select on tidings_ops.outbox to tidings_run;
                    grant execute on function tidings_ops.find_enqueued(text) to tidings_run;
                end if;
                if to_regrole('tidings_ops_read') is not null then
                    grant select on tidings_ops.outbox to tidings_ops_read;
                    grant execute on function tidings_ops.find_enqueued(text) to tidings_ops_read;
                end if;
            end $$;
            """#)
}
