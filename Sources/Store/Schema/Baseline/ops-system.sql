-- For operators: processes, timelines of the database, sizes, reason codes, and the check that no delivery was lost.
-- A process without a heartbeat for 30 seconds counts as lost. Numbers of rows are estimates of the last analyze.

create view tidings_ops.workers as
    select id as worker_id, role, host, pid, version, handled, started_at, heartbeat_at,
        case when stopped_at is not null then 'stopped'
            when heartbeat_at > tidings.clock() - interval '30 seconds' then 'running' else 'lost' end as state,
        bulk_pause_ms, urgent_took_ms, providers, stopped_at, obstacles, broker_connections, broker_user
    from tidings.workers;

comment on view tidings_ops.workers is
    'Each process that has sent a heartbeat: running, stopped (it ended when it was asked to), or lost (30 seconds without a heartbeat).';
comment on column tidings_ops.workers.worker_id is 'Role, host, process id and a random part.';
comment on column tidings_ops.workers.role is
    'router, deliver, release, api, or all for a process of tidings run all. Such a process serves the API if TIDINGS_API_LISTEN is set.';
comment on column tidings_ops.workers.host is 'The host on which the process runs.';
comment on column tidings_ops.workers.pid is 'The process id on that host.';
comment on column tidings_ops.workers.version is 'The version of the binary of the process.';
comment on column tidings_ops.workers.handled is
    'Count since the start of the process: routed recipients, deliveries taken for sending, and released deliveries.';
comment on column tidings_ops.workers.started_at is 'Time of its first heartbeat.';
comment on column tidings_ops.workers.heartbeat_at is 'Time of its last heartbeat. A process sends one every 5 seconds.';
comment on column tidings_ops.workers.state is 'running, stopped or lost.';
comment on column tidings_ops.workers.bulk_pause_ms is
    'Milliseconds that the process waits before each batch of bulk work, because urgent work took too long. 0 for no wait. Reported by its '
    'last heartbeat.';
comment on column tidings_ops.workers.urgent_took_ms is
    'Milliseconds of the last urgent batch that was too slow. Null while bulk work does not yield.';
comment on column tidings_ops.workers.providers is
    'The providers that the process calls, by their names in the catalogue. The running processes that call a provider share its capacity '
    'equally.';
comment on column tidings_ops.workers.stopped_at is 'Time at which the process stopped cleanly. Null while it runs, and after a crash.';
comment on column tidings_ops.workers.obstacles is
    'Obstacles to its work at its last heartbeat: an array of objects with kind (blocked, unconfirmed, refused, commitsRefused, commitsWait '
    'or unfinished), subject (the link to the broker), detail (the reason in the words of the server) and since. Empty if it can work.';
comment on column tidings_ops.workers.broker_connections is
    'Number of connections of the process on each node of RabbitMQ, by the host and port of the node. Empty if the process knows only one '
    'node. The processes even out the sums of the nodes.';
comment on column tidings_ops.workers.broker_user is
    'The AMQP user of the process. Routers believe the ids and the producers that the roles api and release name only if their user is that '
    'of the routers, or vouches in the catalogue.';

create view tidings_ops.bulk_yields as
    select w.worker_id, w.role, w.bulk_pause_ms, w.urgent_took_ms, b.ready as bulk_ready, b.drained_per_second, b.clears_at
    from tidings_ops.workers w
    cross join (
        select coalesce(sum(ready), 0)::bigint as ready, sum(tidings.drained_per_second(s)) as drained_per_second,
            case when count(*) filter (where tidings.clears_at(s) is null) = 0 then max(tidings.clears_at(s)) end as clears_at
        from tidings.queue_samples s where queue like '%.bulk' and sampled_at > tidings.clock() - interval '30 seconds'
    ) b
    where w.state = 'running' and w.bulk_pause_ms > 0;

comment on view tidings_ops.bulk_yields is
    'Processes that delay bulk work in favour of urgent work. Each row has the delay, its cause, and the time at which all waiting bulk '
    'work is done at the present pace.';
comment on column tidings_ops.bulk_yields.worker_id is 'The process, as in tidings_ops.workers.';
comment on column tidings_ops.bulk_yields.role is 'router, deliver, release, or all for a process with every role.';
comment on column tidings_ops.bulk_yields.bulk_pause_ms is 'Milliseconds that the process waits before each batch of bulk work.';
comment on column tidings_ops.bulk_yields.urgent_took_ms is
    'Milliseconds of the last urgent batch that was too slow. Null if the process has named none.';
comment on column tidings_ops.bulk_yields.bulk_ready is
    'Messages in all bulk queues together at the last sample: intents and packs of up to 50 deliveries.';
comment on column tidings_ops.bulk_yields.drained_per_second is 'Number of messages a second by which all bulk queues together shrink.';
comment on column tidings_ops.bulk_yields.clears_at is
    'Time at which the last of the bulk queues will be empty at this speed. Null while a bulk queue grows.';

create view tidings_ops.database_timelines as
    select system as system_identifier, timeline, seen_at, seen_by,
        lag(system) over (order by seen_at, system, timeline) as previous_system_identifier,
        lag(timeline) over (order by seen_at, system, timeline) as previous_timeline
    from tidings.database_timelines;

comment on view tidings_ops.database_timelines is
    'The timelines on which PostgreSQL has run this database. A new one begins with each failover, switch-over and restore. Commits of the '
    'moments before it are missing if the standby was asynchronous: tidings reconcile finds the events of a producer among them.';
comment on column tidings_ops.database_timelines.system_identifier is
    'The system identifier of the cluster of PostgreSQL. A standby has the one of its primary.';
comment on column tidings_ops.database_timelines.timeline is 'The number of the timeline. A promotion raises it.';
comment on column tidings_ops.database_timelines.seen_at is 'Time at which the first process of Tidings saw the timeline.';
comment on column tidings_ops.database_timelines.seen_by is 'That process, as in tidings_ops.workers.';
comment on column tidings_ops.database_timelines.previous_system_identifier is
    'The cluster before. Another number than system_identifier means an upgrade, or a restore from a dump. Null in the first row.';
comment on column tidings_ops.database_timelines.previous_timeline is 'The timeline before. Null in the first row.';

create view tidings_ops.reason_codes as
    select code, states, meaning, what_to_do, retryable, since from tidings.reason_codes;

comment on view tidings_ops.reason_codes is
    'The closed list of reasons. Every reason_code elsewhere is one of these. Exception: a queued delivery has inQueue or inFlight.';
comment on column tidings_ops.reason_codes.code is 'The code, as in every reason_code column. Its meaning never changes.';
comment on column tidings_ops.reason_codes.states is
    'The delivery states that the reason can explain, sorted. Empty for a reason of a rejected intent or a dead message.';
comment on column tidings_ops.reason_codes.meaning is 'One sentence in plain words.';
comment on column tidings_ops.reason_codes.what_to_do is
    'The next step for an operator or a producer. The text is "Nothing." if no step is needed.';
comment on column tidings_ops.reason_codes.retryable is 'True if another try with the same message can end differently.';
comment on column tidings_ops.reason_codes.since is 'The first version with this code.';

create view tidings_ops.storage as
    select coalesce(p.relname, c.relname) as table_name, count(*) as partitions,
        sum(greatest(c.reltuples, 0))::bigint as rows_estimate, sum(pg_total_relation_size(c.oid))::bigint as bytes
    from pg_class c join pg_namespace s on s.oid = c.relnamespace
    left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
    where s.nspname = 'tidings' and c.relkind = 'r'
    group by 1;

comment on view tidings_ops.storage is 'Size of each table with all its partitions.';
comment on column tidings_ops.storage.table_name is 'A table of the private schema. Its partitions count as part of it.';
comment on column tidings_ops.storage.partitions is 'Number of partitions. 1 for a table without partitions.';
comment on column tidings_ops.storage.rows_estimate is 'Estimated rows as of the last analyze of PostgreSQL. 0 before the first analyze.';
comment on column tidings_ops.storage.bytes is 'Bytes on disk, with indexes.';

create view tidings_ops.growth as
    -- The case guards to_date: PostgreSQL may evaluate a condition on the day for the names of other tables first.
    select case when c.relname ~ '_p\d{8}$' then to_date(right(c.relname, 8), 'YYYYMMDD') end as day,
        pg_total_relation_size(c.oid) as notifications_bytes,
        greatest(c.reltuples, 0)::bigint as notifications_estimate
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'tidings.notifications'::regclass;

comment on view tidings_ops.growth is 'Bytes and estimated rows of notifications for each day that is kept.';
comment on column tidings_ops.growth.day is 'A day in UTC.';
comment on column tidings_ops.growth.notifications_bytes is 'Bytes on disk of the notifications of the day, with indexes.';
comment on column tidings_ops.growth.notifications_estimate is
    'Estimated notifications of the day as of the last analyze of PostgreSQL. 0 before the first analyze.';

-- Every intent that was taken is accepted, a duplicate or rejected. Every planned delivery has ended, or stands in a pack or a due row.
create view tidings_ops.unaccounted as
    with counted as (
        select kind, sum(n)::bigint as n
        from (select kind, n from tidings.tally union all select kind, n from tidings.tally_totals) t group by kind
    ), figures as (
        select coalesce(sum(n) filter (where kind = 'taken'), 0)
                - coalesce(sum(n) filter (where kind in ('accepted', 'duplicate', 'rejected')), 0) as undecided,
            coalesce(sum(n) filter (where kind = 'planned'), 0) - coalesce(sum(n) filter (where kind = 'ended'), 0)
                - (select coalesce(sum(cardinality(notification_ids)), 0) from tidings.packs)
                - (select count(*) from tidings.due) as homeless
        from counted
    )
    select 'takenNotDecided' as kind, undecided::bigint as n, null::timestamptz as oldest_at, null::uuid as sample_id
    from figures where undecided <> 0
    union all
    select 'pendingWithoutHome', homeless::bigint, null, null from figures where homeless <> 0;

comment on view tidings_ops.unaccounted is
    'Empty unless there is a bug. A row counts intents that were taken and not decided, or deliveries that have not ended and are neither '
    'in a pack nor waiting. tidings db verify finds the rows.';
comment on column tidings_ops.unaccounted.kind is
    'takenNotDecided: intents that were taken from the broker and became no notification, duplicate or rejection. pendingWithoutHome: '
    'deliveries that have not ended, are in no pack and do not wait.';
comment on column tidings_ops.unaccounted.n is
    'Number of missing intents or deliveries, as a difference of sums. Less than 0 if deliveries are in more than one place.';
comment on column tidings_ops.unaccounted.oldest_at is 'Always null here: tidings db verify finds the rows.';
comment on column tidings_ops.unaccounted.sample_id is 'Always null here: tidings db verify finds the rows.';
