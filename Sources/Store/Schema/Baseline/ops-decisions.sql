-- For operators: decisions with their reasons, and the outcomes of each market.
-- A decision is JSON: the first one in tidings.notifications, later ones in tidings.decisions.

create view tidings_ops.decisions as
    select n.id as notification_id, (p.position - 1)::smallint as ordinal, n.accepted_at as decided_at,
        p.planned ->> 'channel' as channel, p.planned ->> 'provider' as provider, p.planned ->> 'verdict' as verdict,
        p.planned ->> 'reason' as reason_code, (p.planned ->> 'until')::timestamptz as held_until,
        n.decision::json ->> 'strategy' as strategy, n.catalogue, n.decision::json -> 'rules' as rules,
        n.decision::json -> 'notes' as notes,
        coalesce(p.planned ->> 'market', n.decision::json ->> 'market', 'default') as market,
        coalesce((p.planned ->> 'standby')::boolean, false) as has_standby,
        null::text as moved_from, null::text as moved_because
    from tidings.notifications n
    cross join lateral json_array_elements(n.decision::json -> 'deliveries') with ordinality as p(planned, position)
    union all
    select d.notification_id, d.ordinal, d.at, d.decision::json ->> 'channel', d.decision::json ->> 'provider',
        d.decision::json ->> 'verdict', d.decision::json ->> 'reason', (d.decision::json ->> 'until')::timestamptz,
        null, d.catalogue, null, null, coalesce(d.decision::json ->> 'market', 'default'),
        coalesce((d.decision::json ->> 'standby')::boolean, false), nullif(d.moved_from, ''),
        case when d.moved_from <> '' then d.moved_because end
    from tidings.decisions d;

comment on view tidings_ops.decisions is
    'Each decision about a channel, with its reason. The first decision is made at acceptance. A later decision is made each time that a '
    'waiting delivery becomes due.';
comment on column tidings_ops.decisions.notification_id is 'The notification.';
comment on column tidings_ops.decisions.ordinal is 'The delivery, by its number in the notification, from 0.';
comment on column tidings_ops.decisions.decided_at is 'Time of the decision: at acceptance, or when a waiting delivery was judged again.';
comment on column tidings_ops.decisions.channel is 'push, local, inApp, email, sms, webPush or webhook.';
comment on column tidings_ops.decisions.provider is 'The provider that was chosen. Empty if none was chosen.';
comment on column tidings_ops.decisions.verdict is
    'send, hold (until a time), awaitEscalation (until an earlier channel has failed) or notSent.';
comment on column tidings_ops.decisions.reason_code is 'The reason why the delivery was held or not sent. Null for send.';
comment on column tidings_ops.decisions.held_until is
    'For hold: the time until which the delivery waits. For send: the time until which the decision is valid. After that time a releaser '
    'decides again. Null otherwise.';
comment on column tidings_ops.decisions.strategy is
    'all (all channels), or escalate (one channel after the other). Null for a later decision.';
comment on column tidings_ops.decisions.catalogue is 'The hash of the catalogue that was in force.';
comment on column tidings_ops.decisions.rules is 'The rules that applied, in words and in order: a JSON array. Null for a later decision.';
comment on column tidings_ops.decisions.notes is
    'Reason codes that explain the decision and do not end the delivery: a JSON array. Null for a later decision.';
comment on column tidings_ops.decisions.market is
    'The market whose providers were considered: the market of the person, or the market of the device.';
comment on column tidings_ops.decisions.has_standby is
    'True if another provider of the market takes over when this provider is misconfigured, refuses the delivery, or is not called '
    'because it has been failing.';
comment on column tidings_ops.decisions.moved_from is
    'The provider that the delivery left because that provider could not deliver. Null if the delivery did not move.';
comment on column tidings_ops.decisions.moved_because is
    'The reason why the provider in moved_from could not deliver: a code of tidings_ops.reason_codes. Null if moved_from is null.';

create view tidings_ops.outcomes_by_market as
    with judged_last as (
        select distinct on (notification_id, ordinal) notification_id, ordinal, coalesce(decision::json ->> 'market', 'default') as market
        from tidings.decisions order by notification_id, ordinal, at desc
    ), outcomes as (
        select coalesce(j.market, n.decision::json #>> array['deliveries', d.ordinal::text, 'market'], n.decision::json ->> 'market',
                'default') as market,
            d.channel, d.provider, n.type, n.category, d.state as outcome, d.reason as reason_code, d.ended_at as at
        from tidings.deliveries d join tidings.notifications n on n.id = d.notification_id
        left join judged_last j on j.notification_id = d.notification_id and j.ordinal = d.ordinal
        union all
        select coalesce(m.decision::json ->> 'market', 'default'), m.decision::json ->> 'channel', m.moved_from, n.type, n.category,
            'gaveUp', m.moved_because, m.at
        from tidings.decisions m join tidings.notifications n on n.id = m.notification_id
        where m.moved_from <> ''
    )
    select market, channel, provider, type, category, outcome, reason_code, count(*) as n, max(at) as last_at
    from outcomes group by market, channel, provider, type, category, outcome, reason_code;

comment on view tidings_ops.outcomes_by_market is
    'Number of deliveries by market, provider, type and outcome. Reads everything that is kept: for reports, not for a dashboard.';
comment on column tidings_ops.outcomes_by_market.market is
    'The market whose providers carried the deliveries: the market of the person, or the market of the device.';
comment on column tidings_ops.outcomes_by_market.channel is 'The channel, as in tidings_ops.deliveries.';
comment on column tidings_ops.outcomes_by_market.provider is
    'The name of the provider in the catalogue. Empty if the delivery was refused before a provider was chosen.';
comment on column tidings_ops.outcomes_by_market.type is 'The type of the notification.';
comment on column tidings_ops.outcomes_by_market.category is 'The category of the type at acceptance.';
comment on column tidings_ops.outcomes_by_market.outcome is
    'The state in which the deliveries ended, or gaveUp: the provider could not deliver, and the next provider took over.';
comment on column tidings_ops.outcomes_by_market.reason_code is 'The reason: a code of tidings_ops.reason_codes.';
comment on column tidings_ops.outcomes_by_market.n is 'Number of deliveries.';
comment on column tidings_ops.outcomes_by_market.last_at is
    'Time at which the last of these deliveries ended or moved to the next provider.';
