-- For operators: queues, counts of states, pauses, and deliveries that wait too long.
-- The views read roll-ups, samples and the small tables of pending deliveries. No view here reads a table that
-- is partitioned by day (notifications.sql).

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
    'Number of deliveries in each state, by reason. The view reads stored counts, so it is fast at any size. The tenant is empty for '
    'queued deliveries.';
comment on column tidings_ops.state_counts.channel is 'push, local, inApp, email, sms, webPush or webhook.';
comment on column tidings_ops.state_counts.tenant is
    'The tenant. Empty for queued deliveries. Also empty for ended deliveries beyond the first 10,000 counts, and for counts that did not '
    'change for 60 days.';
comment on column tidings_ops.state_counts.state is 'The state, as in tidings_ops.deliveries.';
comment on column tidings_ops.state_counts.reason_code is 'The reason, as in tidings_ops.deliveries.';
comment on column tidings_ops.state_counts.n is 'Number of deliveries. Deliveries that retention has deleted count too.';
comment on column tidings_ops.state_counts.as_of is 'Time of the count.';

create view tidings_ops.queues as
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

comment on view tidings_ops.queues is
    'One row for each queue. The ready messages and the consumers are those of the last sample of the broker. The unfinished packs and '
    'deliveries are those of now.';
comment on column tidings_ops.queues.queue is 'The name of the queue on the broker.';
comment on column tidings_ops.queues.channel is 'The channel of a delivery queue with unfinished packs. Null otherwise.';
comment on column tidings_ops.queues.provider is 'The provider of a delivery queue with unfinished packs. Null otherwise.';
comment on column tidings_ops.queues.lane is 'urgent or bulk, for a delivery queue with unfinished packs. Null otherwise.';
comment on column tidings_ops.queues.ready is 'Messages that no consumer held at the last sample. Null before the first sample.';
comment on column tidings_ops.queues.consumers is 'Number of consumers at the last sample. Null before the first sample.';
comment on column tidings_ops.queues.sampled_at is 'Time of the last sample. A release role takes one every 5 seconds.';
comment on column tidings_ops.queues.packs is
    'Number of packs that are not settled now. A pack is up to 50 deliveries in one message. Null if there is none.';
comment on column tidings_ops.queues.deliveries is 'Number of deliveries in these packs. Null if there is no pack.';
comment on column tidings_ops.queues.in_flight is 'Number of these deliveries that a worker has claimed.';
comment on column tidings_ops.queues.unconfirmed is
    'Number of these packs that the broker has not confirmed yet. A releaser publishes them again.';
comment on column tidings_ops.queues.oldest_at is 'Time at which the oldest of these packs was decided. Null if there is no pack.';
comment on column tidings_ops.queues.drained_per_second is
    'Number of messages a second by which the queue shrank between the last two samples. Negative while the queue grows.';
comment on column tidings_ops.queues.clears_at is
    'Time at which the queue will be empty at the speed of drained_per_second. Null while the queue does not shrink.';
comment on column tidings_ops.queues.waiting_since is
    'Time of the first sample since which every sample found messages in the queue. Null while the queue is empty. Samples are five '
    'seconds apart.';

-- Reads at most the newest 10,000 packs: ids are in the order of time, so the primary key has the packs in their order.
-- A pack is left out if its confirm was forgotten on purpose, which sets decided_at back. A releaser publishes it again at once.
create view tidings_ops.unconfirmed_packs as
    select p.channel, p.provider, p.lane, count(*) as packs, min(p.decided_at) as oldest_at
    from (
        select id, channel, provider, lane, decided_at, confirmed_at, claimed_at from tidings.packs
        where id < tidings.first_id(tidings.clock() - interval '5 seconds') order by id desc limit 10000
    ) p
    where p.confirmed_at is null and p.claimed_at is null and p.id < tidings.first_id(p.decided_at + interval '1 minute')
    group by p.channel, p.provider, p.lane;

comment on view tidings_ops.unconfirmed_packs is
    'Packs that were decided more than 5 seconds ago, that the broker has not confirmed, and that no worker has claimed. Looks at the newest '
    '10,000 packs. Packs stay here while the broker takes nothing, and for 35 seconds after a process died before it published them.';
comment on column tidings_ops.unconfirmed_packs.channel is 'The channel of the packs.';
comment on column tidings_ops.unconfirmed_packs.provider is 'The provider of the packs.';
comment on column tidings_ops.unconfirmed_packs.lane is 'urgent or bulk.';
comment on column tidings_ops.unconfirmed_packs.packs is 'Number of these packs.';
comment on column tidings_ops.unconfirmed_packs.oldest_at is 'Time at which the first of these packs was decided.';

create view tidings_ops.pauses as
    select p.id as pause_id, p.scope, p.name as target, p.reason, p.paused_by, p.since as since_at, p.until as until_at,
        case when p.resumed_at is not null or p.until <= tidings.clock() then 'over' else 'paused' end as state,
        coalesce(p.resumed_at, case when p.until <= tidings.clock() then p.until end) as ended_at, p.resumed_by,
        (select count(*) from tidings.due w where w.pause_id = p.id) as deliveries
    from tidings.pauses p;

comment on view tidings_ops.pauses is
    'Pauses that operators made, in force or over. A pause is kept for as long as notifications are. See tidings pause.';
comment on column tidings_ops.pauses.pause_id is 'The id of the pause, as in tidings_ops.deliveries.';
comment on column tidings_ops.pauses.scope is 'The property of a delivery that the pause compares: channel, provider, type or tenant.';
comment on column tidings_ops.pauses.target is 'The channel, provider, type or tenant that is paused.';
comment on column tidings_ops.pauses.reason is 'The reason, in the words of the operator.';
comment on column tidings_ops.pauses.paused_by is 'The operator who made the pause, or who last changed its reason or end.';
comment on column tidings_ops.pauses.since_at is 'Time at which the pause began.';
comment on column tidings_ops.pauses.until_at is 'Time at which the pause ends by itself. Null: the pause lasts until an operator ends it.';
comment on column tidings_ops.pauses.state is 'paused, or over.';
comment on column tidings_ops.pauses.ended_at is
    'Time at which an operator ended the pause, or at which it ended by itself. Null while the pause is in force.';
comment on column tidings_ops.pauses.resumed_by is
    'The operator who ended the pause. Null while the pause is in force, and if it ended by itself.';
comment on column tidings_ops.pauses.deliveries is 'Number of deliveries that wait for the pause now.';

-- The view counts at most 10,000 deliveries of each lane: the deliveries that have waited longest, by the index on (lane, due_at).
create view tidings_ops.overdue as
    select w.lane, w.channel, w.provider, count(*) as deliveries, min(w.due_at) as oldest_at
    from (values ('urgent'), ('bulk')) as l(lane) cross join lateral (
        select w.lane, w.channel, w.provider, w.due_at from tidings.due w
        where w.lane = l.lane and w.due_at < tidings.clock() - interval '1 minute' and w.pause_id is null
        order by w.due_at limit 10000) w
    group by w.lane, w.channel, w.provider;

comment on view tidings_ops.overdue is
    'Deliveries that were due more than a minute ago and that no releaser has taken. Paused deliveries are left out. Counts at most '
    '10,000 deliveries of each lane. A provider with 2,000 unfinished packs gets no more deliveries until some packs are finished.';
comment on column tidings_ops.overdue.lane is 'urgent or bulk.';
comment on column tidings_ops.overdue.channel is 'The channel of the deliveries.';
comment on column tidings_ops.overdue.provider is 'The provider in the catalogue. Empty before a provider is chosen.';
comment on column tidings_ops.overdue.deliveries is 'Number of overdue deliveries.';
comment on column tidings_ops.overdue.oldest_at is 'Time at which the first of these deliveries was due.';

-- A circuit breaker stops calls for a minute at most, so the deliveries that it turned away are due within the next minute.
create view tidings_ops.open_breakers as
    select w.channel, w.provider, count(*) as deliveries, min(w.since) as since_at
    from (values ('urgent'), ('bulk')) as l(lane) cross join lateral (
        select w.channel, w.provider, w.since, w.reason from tidings.due w
        where w.lane = l.lane and w.due_at between tidings.clock() - interval '1 minute' and tidings.clock() + interval '2 minutes'
        order by w.due_at limit 10000) w
    where w.reason = 'breakerOpen'
    group by w.channel, w.provider;

comment on view tidings_ops.open_breakers is
    'Providers with an open circuit breaker for which deliveries wait. Reads at most 10,000 deliveries of each lane.';
comment on column tidings_ops.open_breakers.channel is 'The channel of the deliveries.';
comment on column tidings_ops.open_breakers.provider is 'The provider. At least one of its hosts or endpoints fails.';
comment on column tidings_ops.open_breakers.deliveries is 'Number of deliveries that wait because the circuit breaker was open.';
comment on column tidings_ops.open_breakers.since_at is 'Time since which the first of these deliveries waits.';
