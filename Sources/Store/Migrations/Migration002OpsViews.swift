extension Migration {
    /// `tidings_ops`: what operators read. Additive only; every view and column carries a comment.
    static let opsViews = Migration(
        number: 2, name: "ops views", kind: .expand,
        sql: #"""
            create schema tidings_ops;
            comment on schema tidings_ops is 'What happened, and why: the contract for operators. Columns are only ever added.';

            create view tidings_ops.reason_codes as
                select code, states, meaning, what_to_do, retryable, since from tidings.reason_codes;
            comment on view tidings_ops.reason_codes is 'The closed list of reasons. Every reason_code elsewhere is one of these.';

            create view tidings_ops.deliveries as
                select n.id || '/' || d.ordinal as delivery_id, d.notification_id, d.ordinal, n.tenant, n.type, n.category, n.recipient_id,
                    d.channel, d.provider, d.endpoint, d.state, d.reason as reason_code, d.attempts, null::timestamptz as due_at,
                    d.provider_message_id, n.accepted_at as created_at, d.ended_at as finished_at
                from tidings.deliveries d join tidings.notifications n on n.id = d.notification_id
                union all
                select n.id || '/' || w.ordinal, w.notification_id, w.ordinal, n.tenant, n.type, n.category, n.recipient_id,
                    w.channel, w.provider, w.endpoint, case when w.kind in ('held', 'escalation') then 'held' else 'retrying' end,
                    w.reason, (w.attempt - 1)::smallint, nullif(w.due_at, 'infinity'), null, n.accepted_at, null
                from tidings.due w join tidings.notifications n on n.id = w.notification_id
                union all
                select n.id || '/' || e.ordinal, e.notification_id, e.ordinal, n.tenant, n.type, n.category, n.recipient_id,
                    p.channel, p.provider, null, 'queued', case when p.claimed_at is null then 'inQueue' else 'inFlight' end,
                    (e.attempt - 1)::smallint, null, null, n.accepted_at, null
                from tidings.packs p
                cross join lateral unnest(p.notification_ids, p.ordinals, p.attempts) as e(notification_id, ordinal, attempt)
                join tidings.notifications n on n.id = e.notification_id;
            comment on view tidings_ops.deliveries is
                'One row for each channel and endpoint of a notification: ended, waiting (due_at) or in a queue. Indexed filter: notification_id.';

            create view tidings_ops.notifications as
                select n.id as notification_id, n.tenant, n.type, n.category, n.recipient_id, n.lane, n.source,
                    n.event_id as idempotency_key, n.traceparent as trace_id, n.accepted_at, n.scheduled_for as send_at, n.expires_at,
                    case when e.ended = n.planned then 'done' else 'pending' end as state,
                    n.planned as deliveries, e.delivered, e.sent, e.failed, e.not_sent,
                    case when e.ended = n.planned then e.finished_at end as finished_at, n.catalogue
                from tidings.notifications n
                cross join lateral (
                    select count(*)::smallint as ended, max(ended_at) as finished_at,
                        count(*) filter (where state = 'delivered') as delivered,
                        count(*) filter (where state = 'sent') as sent,
                        count(*) filter (where state in ('failed', 'expired')) as failed,
                        count(*) filter (where state in ('suppressed', 'cancelled')) as not_sent
                    from tidings.deliveries d where d.notification_id = n.id
                ) e;
            comment on view tidings_ops.notifications is
                'One row for each accepted intent and recipient. Indexed filters: notification_id, recipient_id with tenant, idempotency_key.';

            create view tidings_ops.decisions as
                select n.id as notification_id, (p.position - 1)::smallint as ordinal, n.accepted_at as decided_at,
                    p.planned ->> 'channel' as channel, p.planned ->> 'provider' as provider, p.planned ->> 'verdict' as verdict,
                    p.planned ->> 'reason' as reason_code, (p.planned ->> 'until')::timestamptz as held_until,
                    n.decision::json ->> 'strategy' as strategy, n.catalogue, n.decision::json -> 'rules' as rules,
                    n.decision::json -> 'notes' as notes
                from tidings.notifications n
                cross join lateral json_array_elements(n.decision::json -> 'deliveries') with ordinality as p(planned, position)
                union all
                select d.notification_id, d.ordinal, d.at, d.decision::json ->> 'channel', d.decision::json ->> 'provider',
                    d.decision::json ->> 'verdict', d.decision::json ->> 'reason', (d.decision::json ->> 'until')::timestamptz,
                    null, d.catalogue, null, null
                from tidings.decisions d;
            comment on view tidings_ops.decisions is
                'What was decided for each channel and why: first at acceptance, again whenever a waiting delivery became due.';

            create view tidings_ops.attempts as
                select a.notification_id || '/' || a.ordinal as delivery_id, a.notification_id, a.ordinal, a.attempt, a.channel, a.provider,
                    a.outcome, a.reason as reason_code, a.status as provider_status, a.detail as error_text, a.possible_duplicate, a.late,
                    a.idempotency_key, a.worker as worker_id, a.started_at, a.finished_at,
                    round(extract(epoch from a.finished_at - a.started_at) * 1000)::integer as duration_ms
                from tidings.attempts a
                union all
                select d.notification_id || '/' || d.ordinal, d.notification_id, d.ordinal, d.attempts, d.channel, d.provider, 'accepted',
                    d.reason, null, null, false, false, d.notification_id || '-' || d.ordinal, null, null, d.ended_at, null
                from tidings.deliveries d
                where d.state in ('sent', 'delivered') and d.attempts = 1
                    and not exists (select from tidings.attempts a
                        where a.notification_id = d.notification_id and a.ordinal = d.ordinal and a.attempt = d.attempts);
            comment on view tidings_ops.attempts is
                'One row for each call to a provider. A delivery that succeeded at once has no stored attempt: its row is derived.';

            create view tidings_ops.possible_duplicates as
                select notification_id, ordinal, attempt, channel, provider, reason as reason_code, idempotency_key, worker as worker_id, started_at
                from tidings.attempts where possible_duplicate;
            comment on view tidings_ops.possible_duplicates is
                'Every send that a provider may have seen twice, why, and the idempotency key both sends carried.';

            create view tidings_ops.state_counts as
                select channel, tenant, state, reason as reason_code, sum(n)::bigint as n, tidings.clock() as as_of
                from (
                    select channel, tenant, state, reason, n from tidings.tally where kind = 'ended'
                    union all
                    select channel, tenant, state, reason, n from tidings.tally_totals where kind = 'ended'
                    union all
                    select channel, tenant, case when kind in ('held', 'escalation') then 'held' else 'retrying' end, reason, 1
                    from tidings.due
                    union all
                    select channel, '', 'queued', case when claimed_at is null then 'inQueue' else 'inFlight' end,
                        cardinality(notification_ids)
                    from tidings.packs
                ) counted
                group by channel, tenant, state, reason
                having sum(n) <> 0;
            comment on view tidings_ops.state_counts is
                'How many deliveries are in each state and why, from roll-ups: cheap at any size. tenant is empty for what is in a queue.';

            create view tidings_ops.queues as
                select q.queue, q.channel, q.provider, q.lane, s.ready, s.consumers, s.sampled_at, q.packs, q.deliveries, q.in_flight,
                    q.unconfirmed, q.oldest_at
                from (
                    select 'tidings.deliver.' || channel || '.' || provider || '.' || lane as queue, channel, provider, lane,
                        count(*) as packs, sum(cardinality(notification_ids)) as deliveries,
                        sum(cardinality(notification_ids)) filter (where claimed_at is not null) as in_flight,
                        count(*) filter (where confirmed_at is null) as unconfirmed, min(decided_at) as oldest_at
                    from tidings.packs group by channel, provider, lane
                ) q left join tidings.queue_samples s using (queue)
                union all
                select s.queue, null, null, null, s.ready, s.consumers, s.sampled_at, null, null, null, null, null
                from tidings.queue_samples s
                where not exists (select from tidings.packs p
                    where s.queue = 'tidings.deliver.' || p.channel || '.' || p.provider || '.' || p.lane);
            comment on view tidings_ops.queues is
                'Each queue: messages ready and consumers as last sampled from the broker, packs and deliveries unfinished as of now.';

            create view tidings_ops.rejected as
                select id as rejected_id, reason as reason_code, pointer, message, tenant, source, event_id, type, exchange, routing_key,
                    content_type, size, occurrences, replayable, state, at as first_at, last_at
                from tidings.rejected;
            comment on view tidings_ops.rejected is 'Intents that were refused, why, and whether they can be replayed. See tidings rejected.';

            create view tidings_ops.dead_letters as
                select id as dead_id, queue as origin_queue, reason as reason_code, message, deaths, exchange, routing_key, size, state, at
                from tidings.dead;
            comment on view tidings_ops.dead_letters is 'Messages that could not be processed: where they came from, how often they died, and why.';

            create view tidings_ops.timeline as
                select n.id as notification_id, null::smallint as ordinal, n.accepted_at as at, 'router' as actor, null::text as channel,
                    'accepted' as event, null::text as reason_code, n.type || ' for ' || n.recipient_id || ' from ' || n.source as summary
                from tidings.notifications n
                union all
                select d.notification_id, d.ordinal, d.decided_at, 'router', d.channel, 'decided', d.reason_code,
                    d.verdict || coalesce(' until ' || to_char(d.held_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), '')
                from tidings_ops.decisions d
                union all
                select a.notification_id, a.ordinal, a.finished_at, coalesce(a.worker_id, 'deliver'), a.channel, 'attempt ' || a.attempt,
                    a.reason_code, a.outcome || coalesce(' ' || a.provider_status, '') || coalesce(': ' || a.error_text, '')
                from tidings_ops.attempts a
                union all
                select d.notification_id, d.ordinal, d.ended_at, 'deliver', d.channel, d.state, d.reason, d.provider
                from tidings.deliveries d
                union all
                select w.notification_id, w.ordinal, w.since, 'release', w.channel, 'waiting', w.reason,
                    w.kind || coalesce(' until ' || to_char(nullif(w.due_at, 'infinity') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), '')
                from tidings.due w;
            comment on view tidings_ops.timeline is 'Everything that happened to a notification. Order by at. Indexed filter: notification_id.';

            create view tidings_ops.errors as
                select md5(channel || '|' || provider || '|' || reason || '|' || coalesce(status::text, '')) as error_fingerprint,
                    channel, provider, reason as reason_code, status as provider_status, max(detail) as sample,
                    min(finished_at) as first_seen_at, max(finished_at) as last_seen_at,
                    count(*) filter (where finished_at > tidings.clock() - interval '1 hour') as n_1h,
                    count(*) filter (where finished_at > tidings.clock() - interval '24 hours') as n_24h,
                    count(*) as n_7d
                from tidings.attempts
                where outcome <> 'accepted' and notification_id >= tidings.first_id(tidings.clock() - interval '7 days')
                group by channel, provider, reason, status;
            comment on view tidings_ops.errors is 'Failed provider calls of the last seven days, grouped by what went wrong.';

            create view tidings_ops.workers as
                select id as worker_id, role, host, pid, version, handled, started_at, heartbeat_at,
                    case when heartbeat_at > tidings.clock() - interval '30 seconds' then 'running' else 'lost' end as state
                from tidings.workers;
            comment on view tidings_ops.workers is 'Every process that announced itself; lost after 30 seconds without a heartbeat.';

            create view tidings_ops.storage as
                select coalesce(p.relname, c.relname) as table_name, count(*) as partitions,
                    sum(greatest(c.reltuples, 0))::bigint as rows_estimate, sum(pg_total_relation_size(c.oid))::bigint as bytes
                from pg_class c join pg_namespace s on s.oid = c.relnamespace
                left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
                where s.nspname = 'tidings' and c.relkind = 'r'
                group by 1;
            comment on view tidings_ops.storage is 'Size of each table with all its partitions.';

            create view tidings_ops.growth as
                -- Guarded, because a condition on the day may be asked of other tables' names first.
                select case when c.relname ~ '_p\d{8}$' then to_date(right(c.relname, 8), 'YYYYMMDD') end as day,
                    pg_total_relation_size(c.oid) as notifications_bytes,
                    greatest(c.reltuples, 0)::bigint as notifications_estimate
                from pg_inherits i join pg_class c on c.oid = i.inhrelid
                where i.inhparent = 'tidings.notifications'::regclass;
            comment on view tidings_ops.growth is 'Bytes and estimated rows of notifications for each day that is kept.';

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
                'Empty, or a bug: intents taken but not decided, deliveries neither ended nor in a pack nor due. tidings db verify finds the rows.';

            create function tidings_ops.explain(notification uuid)
                returns table (at timestamptz, actor text, channel text, verdict text, reason_code text, what_to_do text, detail text)
                language sql stable as $$
                    select t.at, t.actor, t.channel, t.event, t.reason_code, r.what_to_do, t.summary
                    from tidings_ops.timeline t left join tidings.reason_codes r on r.code = t.reason_code
                    where t.notification_id = notification
                    order by t.at, t.ordinal nulls first
                $$;
            comment on function tidings_ops.explain(uuid) is 'What happened to one notification, in order, each step with its reason and what to do.';

            create function tidings_ops.find(anything text)
                returns table (kind text, id text, matched_on text, at timestamptz) language plpgsql stable as $$
            begin
                if anything ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(/\d+)?$' then
                    return query select 'notification', n.id::text, 'notification_id', n.accepted_at
                        from tidings.notifications n where n.id = split_part(anything, '/', 1)::uuid;
                end if;
                return query
                    (select 'notification', n.id::text, 'idempotency_key', n.accepted_at from tidings.notifications n
                        where n.event_id = anything order by n.id desc limit 20);
                return query
                    (select 'notification', n.id::text, 'recipient_id', n.accepted_at
                        from (select distinct r.tenant from tidings.recipients r where r.id = anything union select 'default') r
                        join tidings.notifications n on n.tenant = r.tenant and n.recipient_id = anything
                        order by n.id desc limit 20);
                return query select 'recipient', r.tenant || '/' || r.id, 'recipient_id', r.changed_at from tidings.recipients r where r.id = anything;
                return query select 'rejected', r.id::text, 'event_id', r.last_at from tidings.rejected r
                    where r.event_id = anything order by r.id desc limit 20;
            end $$;
            comment on function tidings_ops.find(text) is
                'Finds the record of any id: a notification, a delivery, a producer''s event id, a recipient.';
            create index on tidings.rejected (event_id);
            """#)
}
