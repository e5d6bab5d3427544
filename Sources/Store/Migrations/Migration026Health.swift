extension Migration {
    /// Readings of the whole system that `tidings status` and `tidings doctor` judge, and a clean stop that is none of a crash.
    static let health = Migration(
        number: 26, name: "health", kind: .expand,
        sql: #"""
            -- Set by the last heartbeat of a process that stopped when it was asked to.
            alter table tidings.workers add column if not exists stopped_at timestamptz;
            -- The first sample since which no sample found the queue empty.
            alter table tidings.queue_samples add column if not exists waiting_since timestamptz;

            create or replace view tidings_ops.workers as
                select id as worker_id, role, host, pid, version, handled, started_at, heartbeat_at,
                    case when stopped_at is not null then 'stopped'
                        when heartbeat_at > tidings.clock() - interval '30 seconds' then 'running' else 'lost' end as state,
                    bulk_pause_ms, urgent_took_ms, providers, stopped_at
                from tidings.workers;
            comment on view tidings_ops.workers is
                'Every process that announced itself: running, stopped (it ended when it was asked to), or lost (30 seconds without a heartbeat).';
            comment on column tidings_ops.workers.state is 'running, stopped or lost.';
            comment on column tidings_ops.workers.stopped_at is 'When the process stopped cleanly; null while it runs, and after a crash.';

            create or replace view tidings_ops.queues as
                select q.queue, q.channel, q.provider, q.lane, s.ready, s.consumers, s.sampled_at, q.packs, q.deliveries, q.in_flight,
                    q.unconfirmed, q.oldest_at, tidings.drained_per_second(s) as drained_per_second, tidings.clears_at(s) as clears_at,
                    case when s.ready > 0 then s.waiting_since end as waiting_since
                from (
                    select 'tidings.deliver.' || channel || '.' || provider || '.' || lane as queue, channel, provider, lane,
                        count(*) as packs, sum(cardinality(notification_ids)) as deliveries,
                        sum(cardinality(notification_ids)) filter (where claimed_at is not null) as in_flight,
                        count(*) filter (where confirmed_at is null) as unconfirmed, min(decided_at) as oldest_at
                    from tidings.packs group by channel, provider, lane
                ) q left join tidings.queue_samples s using (queue)
                union all
                select s.queue, null, null, null, s.ready, s.consumers, s.sampled_at, null, null, null, null, null,
                    tidings.drained_per_second(s), tidings.clears_at(s), case when s.ready > 0 then s.waiting_since end
                from tidings.queue_samples s
                where not exists (select from tidings.packs p
                    where s.queue = 'tidings.deliver.' || p.channel || '.' || p.provider || '.' || p.lane);
            comment on column tidings_ops.queues.waiting_since is
                'The first sample since which no sample found the queue empty; null while it is empty. Samples are five seconds apart.';

            -- Bounded: of each lane the 10,000 deliveries that have waited longest, by the index on (lane, due_at).
            create or replace view tidings_ops.overdue as
                select w.lane, w.channel, w.provider, count(*) as deliveries, min(w.due_at) as oldest_at
                from (values ('urgent'), ('bulk')) as l(lane) cross join lateral (
                    select w.lane, w.channel, w.provider, w.due_at from tidings.due w
                    where w.lane = l.lane and w.due_at < tidings.clock() - interval '1 minute' and w.pause_id is null
                    order by w.due_at limit 10000) w
                group by w.lane, w.channel, w.provider;
            comment on view tidings_ops.overdue is
                'Deliveries whose time was more than a minute ago and that no releaser has taken. Paused ones are left out. '
                'Counts at most 10,000 of each lane. A provider with 2,000 unfinished packs gets no more until some are finished.';
            comment on column tidings_ops.overdue.lane is 'urgent or bulk.';
            comment on column tidings_ops.overdue.channel is 'The channel of the deliveries.';
            comment on column tidings_ops.overdue.provider is 'The provider in the catalogue; empty before one is chosen.';
            comment on column tidings_ops.overdue.deliveries is 'How many are overdue.';
            comment on column tidings_ops.overdue.oldest_at is 'When the first of them was due.';

            -- A breaker pauses for a minute at most, so what it turned away is due within the next minute.
            create or replace view tidings_ops.open_breakers as
                select w.channel, w.provider, count(*) as deliveries, min(w.since) as since_at
                from (values ('urgent'), ('bulk')) as l(lane) cross join lateral (
                    select w.channel, w.provider, w.since, w.reason from tidings.due w
                    where w.lane = l.lane and w.due_at between tidings.clock() - interval '1 minute' and tidings.clock() + interval '2 minutes'
                    order by w.due_at limit 10000) w
                where w.reason = 'breakerOpen'
                group by w.channel, w.provider;
            comment on view tidings_ops.open_breakers is
                'Providers with an open circuit breaker, as far as deliveries wait for it. Looks at 10,000 deliveries of each lane.';
            comment on column tidings_ops.open_breakers.channel is 'The channel of the deliveries.';
            comment on column tidings_ops.open_breakers.provider is 'The provider, one of whose hosts fails.';
            comment on column tidings_ops.open_breakers.deliveries is 'How many deliveries the open breaker sent back to wait.';
            comment on column tidings_ops.open_breakers.since_at is 'Since when the first of them waits.';

            create or replace view tidings_ops.recipients as
                select tenant, id as recipient_id, time_zone, market, changed_at from tidings.recipients;
            comment on view tidings_ops.recipients is 'People whose settings are known. Indexed filter: tenant with recipient_id.';
            comment on column tidings_ops.recipients.tenant is 'The tenant of the person.';
            comment on column tidings_ops.recipients.recipient_id is 'The name that producers use.';
            comment on column tidings_ops.recipients.time_zone is 'The zone in which the person reads times.';
            comment on column tidings_ops.recipients.market is 'The market of the person; null for the default market.';
            comment on column tidings_ops.recipients.changed_at is 'When these settings were last changed.';

            do $$ begin
                if to_regrole('tidings_run') is not null then
                    grant select on tidings_ops.overdue, tidings_ops.open_breakers, tidings_ops.recipients to tidings_run;
                end if;
                if to_regrole('tidings_ops_read') is not null then
                    grant select on tidings_ops.overdue, tidings_ops.open_breakers, tidings_ops.recipients to tidings_ops_read;
                end if;
            end $$;
            """#)
}
