-- For operators: notifications and deliveries, in any state.
-- A pending delivery is read from tidings.due or tidings.packs, an ended one from tidings.deliveries.
-- Filter by a column that the comment of the view names: every other filter reads all days. The id of a notification begins with its time,
-- so it is also the order of time. No other column of time has an index.

create view tidings_ops.notifications as
    select n.id as notification_id, n.tenant, n.type, n.category, n.recipient_id, n.lane, n.source,
        n.event_id as idempotency_key, n.traceparent as trace_id, n.accepted_at, n.scheduled_for as send_at, n.expires_at,
        case when e.ended = n.planned then 'done' else 'pending' end as state,
        n.planned as deliveries, e.delivered, e.sent, e.failed, e.not_sent,
        case when e.ended = n.planned then e.finished_at end as finished_at, n.catalogue, n.event_id
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
    'One row for each accepted intent and recipient. Indexed filters: notification_id, recipient_id, event_id. Indexed order: '
    'notification_id.';
comment on column tidings_ops.notifications.notification_id is 'UUIDv7: its first 48 bits are the time of acceptance in milliseconds.';
comment on column tidings_ops.notifications.tenant is 'The tenant of the notification: default unless the producer named another.';
comment on column tidings_ops.notifications.type is 'The type in the catalogue: the CloudEvents type of the intent.';
comment on column tidings_ops.notifications.category is
    'The category of the type at acceptance: transactional, marketing, social or system.';
comment on column tidings_ops.notifications.recipient_id is 'The person, under the name that the producer uses.';
comment on column tidings_ops.notifications.lane is 'urgent or bulk. Each lane has its own queues from intake to the provider.';
comment on column tidings_ops.notifications.source is 'The producer: the CloudEvents source.';
comment on column tidings_ops.notifications.idempotency_key is
    'The older name of event_id, with the same value. The idempotency_key of tidings_ops.attempts is another key: it goes to the '
    'provider.';
comment on column tidings_ops.notifications.trace_id is 'The whole W3C traceparent that came with the event. Null if the event had none.';
comment on column tidings_ops.notifications.accepted_at is 'Time at which the decision was made and committed.';
comment on column tidings_ops.notifications.send_at is
    'Time for which the producer scheduled the notification. Null if the producer gave no time.';
comment on column tidings_ops.notifications.expires_at is
    'Time from which no delivery of the notification is sent. A delivery that still waits then ends as expired.';
comment on column tidings_ops.notifications.state is 'pending until every delivery has ended, then done.';
comment on column tidings_ops.notifications.deliveries is 'Number of planned deliveries: one for each channel and endpoint.';
comment on column tidings_ops.notifications.delivered is 'Number of deliveries that are known to have arrived.';
comment on column tidings_ops.notifications.sent is 'Number of deliveries that a provider accepted without saying that they arrived.';
comment on column tidings_ops.notifications.failed is 'Number of deliveries that ended as failed or expired.';
comment on column tidings_ops.notifications.not_sent is
    'Number of deliveries that ended as suppressed or cancelled. These deliveries do not count as failed.';
comment on column tidings_ops.notifications.finished_at is 'Time at which the last delivery ended. Null while the notification is pending.';
comment on column tidings_ops.notifications.catalogue is 'The hash of the catalogue that was in force at acceptance.';
comment on column tidings_ops.notifications.event_id is
    'The producer''s event id: the CloudEvents id. An intent is accepted once for each tenant, source, event id and recipient.';

-- Two views of their own, because a list of the newest rows reads each in its own order. The planner would sort all rows of a union.
-- Only ended deliveries are stored in tidings.deliveries. The condition on the state repeats that. So the planner leaves the table out if a
-- query asks for pending deliveries.
create view tidings_ops.ended_deliveries as
    select n.id || '/' || d.ordinal as delivery_id, d.notification_id, d.ordinal, n.tenant, n.type, n.category, n.recipient_id,
        d.channel, d.provider, d.endpoint, d.state, d.reason as reason_code, d.attempts, null::timestamptz as due_at,
        d.provider_message_id, n.accepted_at as created_at, d.ended_at as finished_at, null::bigint as pause_id
    from tidings.deliveries d join tidings.notifications n on n.id = d.notification_id
    where d.state in ('sent', 'delivered', 'suppressed', 'cancelled', 'expired', 'failed');

create view tidings_ops.pending_deliveries as
    select n.id || '/' || w.ordinal as delivery_id, w.notification_id, w.ordinal, n.tenant, n.type, n.category, n.recipient_id,
        w.channel, w.provider, w.endpoint, case when w.kind in ('held', 'escalation') then 'held' else 'retrying' end as state,
        w.reason as reason_code, (w.attempt - 1)::smallint as attempts,
        case when w.pause_id is null then nullif(w.due_at, 'infinity') end as due_at, null::text as provider_message_id,
        n.accepted_at as created_at, null::timestamptz as finished_at, w.pause_id
    from tidings.due w join tidings.notifications n on n.id = w.notification_id
    union all
    select n.id || '/' || e.ordinal, e.notification_id, e.ordinal, n.tenant, n.type, n.category, n.recipient_id,
        p.channel, p.provider, null, 'queued', case when p.claimed_at is null then 'inQueue' else 'inFlight' end,
        (e.attempt - 1)::smallint, null, null, n.accepted_at, null, null
    from tidings.packs p
    cross join lateral unnest(p.notification_ids, p.ordinals, p.attempts) as e(notification_id, ordinal, attempt)
    join tidings.notifications n on n.id = e.notification_id;

create view tidings_ops.deliveries as
    select * from tidings_ops.ended_deliveries union all select * from tidings_ops.pending_deliveries;

comment on view tidings_ops.deliveries is
    'One row for each channel and endpoint of a notification. The delivery has ended, waits for its time (due_at), or is in a queue. '
    'Indexed filters: notification_id, recipient_id. For the newest ones see ended_deliveries.';
comment on column tidings_ops.deliveries.delivery_id is 'notification_id/ordinal: the id for tidings delivery show and retry.';
comment on column tidings_ops.deliveries.notification_id is 'The notification of the delivery.';
comment on column tidings_ops.deliveries.ordinal is 'The place of the delivery in the decision of the notification, from 0.';
comment on column tidings_ops.deliveries.tenant is 'The tenant of the notification.';
comment on column tidings_ops.deliveries.type is 'The type of the notification in the catalogue.';
comment on column tidings_ops.deliveries.category is 'transactional, marketing, social or system.';
comment on column tidings_ops.deliveries.recipient_id is 'The person, under the name that the producer uses.';
comment on column tidings_ops.deliveries.channel is 'push, local, inApp, email, sms, webPush or webhook.';
comment on column tidings_ops.deliveries.provider is
    'The provider that carries the delivery: its name in the catalogue. Empty if none was chosen.';
comment on column tidings_ops.deliveries.endpoint is
    'The id of the person''s device or address, never the token. Null if the channel needs no endpoint, and while the delivery is queued.';
comment on column tidings_ops.deliveries.state is
    'held (waits for a time or an earlier channel), queued, retrying, sent (the provider took the delivery), delivered (the delivery is '
    'known to have arrived), suppressed (Tidings decided not to send), cancelled, expired or failed. A delivery that is held, queued or '
    'retrying continues without an operator. Every other state is final.';
comment on column tidings_ops.deliveries.reason_code is
    'The reason for the state: a code of tidings_ops.reason_codes. For a queued delivery: inQueue, or inFlight after a worker has claimed '
    'it.';
comment on column tidings_ops.deliveries.attempts is 'Number of calls to the provider so far. 0 before the first call.';
comment on column tidings_ops.deliveries.due_at is
    'Time at which a held or retrying delivery continues. Null for any other state, for a paused delivery, and for a delivery that waits '
    'for the end of an earlier channel.';
comment on column tidings_ops.deliveries.provider_message_id is
    'The id that the provider gave the delivery. Null if the provider gave none.';
comment on column tidings_ops.deliveries.created_at is 'Time at which the notification was accepted.';
comment on column tidings_ops.deliveries.finished_at is 'Time at which the delivery ended. Null before its end.';
comment on column tidings_ops.deliveries.pause_id is
    'The pause that the delivery waits for, as in tidings_ops.pauses. Null unless its reason_code is paused.';

comment on view tidings_ops.ended_deliveries is
    'The ended rows of deliveries, with the same columns. Indexed filters: notification_id, recipient_id. Indexed order: notification_id.';
comment on view tidings_ops.pending_deliveries is
    'The rows of deliveries that are held, queued or retrying, with the same columns. Reads only these deliveries, so it is fast at any '
    'number of ended ones.';
do $$
declare
    part text;
    described record;
begin
    foreach part in array array['ended_deliveries', 'pending_deliveries'] loop
        for described in
            select a.attname as name, col_description(a.attrelid, a.attnum) as text from pg_attribute a
            where a.attrelid = 'tidings_ops.deliveries'::regclass and a.attnum > 0
        loop
            execute format('comment on column tidings_ops.%I.%I is %L', part, described.name, described.text);
        end loop;
    end loop;
end $$;
