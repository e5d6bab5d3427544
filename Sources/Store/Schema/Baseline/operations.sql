-- Tables of running the system: reason codes, pauses, processes, timelines of the database, samples of queues, and counts.
-- Views of these tables for operators are in ops-queues.sql and ops-system.sql.
-- tidings_ops.unaccounted (ops-system.sql) checks the counts: every planned delivery has ended or is pending.

-- The program's own list. db migrate copies it into this table each time.
create table tidings.reason_codes (
    code       text    primary key,
    states     text[]  not null,
    meaning    text    not null,
    what_to_do text    not null,
    retryable  boolean not null,
    since      text    not null
);

-- A pause is kept after its end for as long as notifications are.
create table tidings.pauses (
    id         bigint      generated always as identity primary key,
    scope      text        not null check (scope in ('channel', 'provider', 'type', 'tenant')),
    name       text        not null,
    reason     text        not null,
    paused_by  text        not null,
    since      timestamptz not null,
    until      timestamptz,  -- null: until an operator resumes it
    resumed_at timestamptz,
    resumed_by text
);
create unique index pauses_scope_name_idx on tidings.pauses (scope, name) where resumed_at is null;

-- One row for each process. The process writes it every 5 seconds.
create table tidings.workers (
    id             text        primary key,
    role           text        not null,
    host           text        not null,
    pid            integer     not null,
    version        text        not null,
    started_at     timestamptz not null,
    heartbeat_at   timestamptz not null,
    handled        bigint      not null default 0,
    bulk_pause_ms  integer     not null default 0,     -- wait before each batch of bulk work
    urgent_took_ms integer,                            -- duration of the urgent batch that caused the wait
    providers      text[]      not null default '{}',  -- called by the process; they share the provider's capacity
    catalogue      text,                               -- hash; a process with another catalogue counts as a caller of every provider
    obstacles      jsonb       not null default '[]',  -- objects with kind, subject, detail, since: WorkerObstacle
    stopped_at     timestamptz,                        -- last heartbeat of a clean stop
    broker_connections jsonb   not null default '{}',  -- host:port of each node and number
    broker_user    text                                -- AMQP user as which the process publishes
);

-- The timelines on which PostgreSQL has run this database. A promotion begins a new one. The first process that sees it writes the row.
create table tidings.database_timelines (
    system   bigint      not null,  -- system identifier of the cluster
    timeline bigint      not null,
    seen_at  timestamptz not null,
    seen_by  text        not null,  -- id of the process
    primary key (system, timeline)
);

-- The last sample of each queue. earlier_ready and earlier_at are the sample before: two samples give the speed.
create table tidings.queue_samples (
    queue         text        primary key,
    ready         bigint      not null,
    consumers     integer     not null,
    sampled_at    timestamptz not null,
    earlier_ready bigint,
    earlier_at    timestamptz,
    waiting_since timestamptz  -- the first sample since which no sample found the queue empty
);

-- Messages a second by which the queue shrank between its last two samples; negative while it grows.
create function tidings.drained_per_second(s tidings.queue_samples) returns numeric language sql immutable parallel safe
    as $$ select round((s.earlier_ready - s.ready) / nullif(extract(epoch from s.sampled_at - s.earlier_at), 0), 1) $$;

-- The time at which the queue is empty at that speed; null while it does not shrink.
create function tidings.clears_at(s tidings.queue_samples) returns timestamptz language sql immutable parallel safe
    as $$ select case when s.ready = 0 then s.sampled_at when tidings.drained_per_second(s) > 0
        then s.sampled_at + make_interval(secs => (s.ready / tidings.drained_per_second(s))::float8) end $$;

-- Conservation: each transaction appends the counts of what it took and what it ended. A releaser adds these rows to the totals.
create table tidings.tally (
    kind    text   not null,  -- taken, accepted, duplicate, rejected, planned or ended
    tenant  text   not null default '',
    channel text   not null default '',
    state   text   not null default '',
    reason  text   not null default '',
    n       bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

create table tidings.tally_totals (
    kind       text   not null,
    tenant     text   not null,  -- empty: kinds other than ended, and tenants without a total of their own
    channel    text   not null,
    state      text   not null,
    reason     text   not null,
    n          bigint not null,
    changed_on date   not null default (tidings.clock() at time zone 'UTC')::date,  -- retention folds totals that no longer change
    primary key (kind, tenant, channel, state, reason)
) with (fillfactor = 50);
