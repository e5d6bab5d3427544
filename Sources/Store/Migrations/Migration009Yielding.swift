extension Migration {
    /// Why bulk work is slow, and when it is done.
    static let yielding = Migration(
        number: 9, name: "yielding", kind: .expand,
        sql: #"""
            alter table tidings.workers add column bulk_pause_ms integer not null default 0, add column urgent_took_ms integer;
            -- The sample before the last: from the two, how fast a queue drains.
            alter table tidings.queue_samples add column earlier_ready bigint, add column earlier_at timestamptz;

            create function tidings.drained_per_second(s tidings.queue_samples) returns numeric language sql immutable parallel safe
                as $$ select round((s.earlier_ready - s.ready) / nullif(extract(epoch from s.sampled_at - s.earlier_at), 0), 1) $$;
            create function tidings.clears_at(s tidings.queue_samples) returns timestamptz language sql immutable parallel safe
                as $$ select case when s.ready = 0 then s.sampled_at when tidings.drained_per_second(s) > 0
                    then s.sampled_at + make_interval(secs => (s.ready / tidings.drained_per_second(s))::float8) end $$;

            create or replace view tidings_ops.queues as
                select q.queue, q.channel, q.provider, q.lane, s.ready, s.consumers, s.sampled_at, q.packs, q.deliveries, q.in_flight,
                    q.unconfirmed, q.oldest_at, tidings.drained_per_second(s) as drained_per_second, tidings.clears_at(s) as clears_at
                from (
                    select 'tidings.deliver.' || channel || '.' || provider || '.' || lane as queue, channel, provider, lane,
                        count(*) as packs, sum(cardinality(notification_ids)) as deliveries,
                        sum(cardinality(notification_ids)) filter (where claimed_at is not null) as in_flight,
                        count(*) filter (where confirmed_at is null) as unconfirmed, min(decided_at) as oldest_at
                    from tidings.packs group by channel, provider, lane
                ) q left join tidings.queue_samples s using (queue)
                union all
                select s.queue, null, null, null, s.ready, s.consumers, s.sampled_at, null, null, null, null, null,
                    tidings.drained_per_second(s), tidings.clears_at(s)
                from tidings.queue_samples s
                where not exists (select from tidings.packs p
                    where s.queue = 'tidings.deliver.' || p.channel || '.' || p.provider || '.' || p.lane);
            comment on column tidings_ops.queues.drained_per_second is
                'By how many messages a second it shrank between the last two samples; negative while it grows.';
            comment on column tidings_ops.queues.clears_at is 'When it is empty at that pace; null while it does not shrink.';

            create or replace view tidings_ops.workers as
                select id as worker_id, role, host, pid, version, handled, started_at, heartbeat_at,
                    case when heartbeat_at > tidings.clock() - interval '30 seconds' then 'running' else 'lost' end as state,
                    bulk_pause_ms, urgent_took_ms
                from tidings.workers;
            comment on column tidings_ops.workers.bulk_pause_ms is
                'Before each batch of bulk work, because urgent work took too long; 0 for none. As of its heartbeat.';
            comment on column tidings_ops.workers.urgent_took_ms is
                'What the last urgent batch took that was too slow; null while bulk work does not yield.';

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
                'Processes that hold bulk work back for the sake of urgent work, why, and when the bulk that waits is done at this pace.';
            comment on column tidings_ops.bulk_yields.worker_id is 'As in tidings_ops.workers.';
            comment on column tidings_ops.bulk_yields.role is 'router, deliver, release, or all for a process with every role.';
            comment on column tidings_ops.bulk_yields.bulk_pause_ms is 'Before each batch of bulk work.';
            comment on column tidings_ops.bulk_yields.urgent_took_ms is 'What the last urgent batch took that was too slow.';
            comment on column tidings_ops.bulk_yields.bulk_ready is
                'Messages in all bulk queues together, as last sampled: intents and packs of up to 50 deliveries.';
            comment on column tidings_ops.bulk_yields.drained_per_second is 'By how many messages a second they shrink together.';
            comment on column tidings_ops.bulk_yields.clears_at is 'When the last of these queues is empty at this pace; null while one grows.';

            do $$ begin
                if to_regrole('tidings_run') is not null then
                    grant select on tidings_ops.bulk_yields to tidings_run;
                end if;
                if to_regrole('tidings_ops_read') is not null then
                    grant select on tidings_ops.bulk_yields to tidings_ops_read;
                end if;
            end $$;
            """#)
}
