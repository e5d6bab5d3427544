-- The SQL outbox: events that producers enqueue in their own transaction, until a relay has published them.
-- tidings_api.enqueue (api.sql) inserts an event. A relay publishes the event and deletes it.
-- A relay notes its claims in a table of its own: a claim in the event's row would write the whole event again.

-- A row lives only seconds. Vacuum is frequent, because dead rows and their index entries slow the next turns.
create table tidings.outgoing (
    id         uuid        primary key default gen_random_uuid(),
    type       text        not null,
    event      text        not null,            -- structured CloudEvent, JSON
    created_at timestamptz not null,
    attempts   integer     not null default 0,  -- refusals of the broker; counted to 1,000
    producer   text,                            -- login that called tidings_api.enqueue
    event_id   text                             -- CloudEvents id
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000,
        autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 10000);
-- The order in which relays publish: a refused event goes behind events with fewer tries.
-- A turn reads as many index entries as it takes events, however many wait.
create index outgoing_turn on tidings.outgoing (attempts, created_at, id);

-- The events that each relay is publishing: one row for each relay, updated in place with each turn.
-- A row fills a third of a page, so that its next version fits beside it (HOT). Storage plain keeps the ids in the row.
create table tidings.outgoing_claims (
    relay       uuid        primary key,
    ids         uuid[]      not null,
    lease_until timestamptz not null
) with (fillfactor = 40, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
alter table tidings.outgoing_claims alter column ids set storage plain;

-- For operators -------------------------------------------------------------------------------------------------------------------------

-- 10 is Store.outboxTries. The recursion finds the oldest event of each count of tries with one look at the index.
-- There are at most 1,000 counts.
-- Counting ends at 100,000 events. Beyond that, the planner's statistics are near enough.
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

comment on view tidings_ops.outbox is 'Events that tidings_api.enqueue has taken and no release role has published yet. Always one row.';
comment on column tidings_ops.outbox.waiting is 'Number of events that wait. Events of transactions that are not committed do not count.';
comment on column tidings_ops.outbox.is_estimate is 'True if waiting is an estimate. This is so from 100,000 events on.';
comment on column tidings_ops.outbox.oldest_at is 'Time at which the oldest waiting event was enqueued. Null if no event waits.';
comment on column tidings_ops.outbox.oldest_seconds is
    'Age of the oldest waiting event in seconds. If the age is more than some seconds, no release role runs, or the broker does not take '
    'events.';
comment on column tidings_ops.outbox.refused is
    'Number of events that the broker has refused more than ten times. A release role tries these events every ten seconds, and its log '
    'has the reason.';
comment on column tidings_ops.outbox.most_attempts is
    'The largest number of times that the broker refused one event. Counting stops at 1000.';

-- Events have no index on event_id: producers would pay for it with every event.
create function tidings_ops.find_enqueued(anything text)
    returns table (id text, type text, producer text, enqueued_at timestamptz, attempts integer) language sql stable
    security definer set search_path = pg_catalog, pg_temp as $$
    select o.id::text, o.type, o.producer, o.created_at, o.attempts from tidings.outgoing o
    where o.event_id = anything or (o.event_id is null and o.event::json ->> 'id' = anything)
    order by o.created_at limit 20
$$;
comment on function tidings_ops.find_enqueued(text) is
    'The events with this event id that tidings_api.enqueue has taken and that no release role has published yet. Reads the whole outbox.';
