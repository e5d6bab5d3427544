-- For operators: calls to providers, calls that a provider may have seen twice, and failures by kind.
-- A delivery that succeeded with its first call has no stored attempt. The view attempts derives the row from the delivery.

create view tidings_ops.attempts as
    select a.notification_id || '/' || a.ordinal as delivery_id, a.notification_id, a.ordinal, a.attempt, a.channel, a.provider,
        a.outcome, a.reason as reason_code, a.status as provider_status, a.detail as error_text, a.possible_duplicate, a.late,
        a.idempotency_key, a.worker as worker_id, a.started_at, a.finished_at,
        round(extract(epoch from a.finished_at - a.started_at) * 1000)::integer as duration_ms
    from tidings.attempts a
    union all
    select d.notification_id || '/' || d.ordinal, d.notification_id, d.ordinal, d.attempts, d.channel, d.provider, 'accepted',
        d.reason, null, null, false, false, d.notification_id || '-' || d.ordinal, null, null, d.ended_at, null
    from tidings.ends_of_calls d
    where d.state in ('sent', 'delivered') and d.attempts = 1
        and not exists (select from tidings.attempts a
            where a.notification_id = d.notification_id and a.ordinal = d.ordinal and a.attempt = d.attempts);

comment on view tidings_ops.attempts is
    'One row for each call to a provider. If the first call of a delivery succeeded and left no text, the view derives the row from the '
    'delivery.';
comment on column tidings_ops.attempts.delivery_id is 'The id of the delivery: notification_id/ordinal.';
comment on column tidings_ops.attempts.notification_id is 'The notification.';
comment on column tidings_ops.attempts.ordinal is 'The delivery, by its number in the notification, from 0.';
comment on column tidings_ops.attempts.attempt is 'Number of the call. The first call is 1.';
comment on column tidings_ops.attempts.channel is 'push, local, inApp, email, sms, webPush or webhook.';
comment on column tidings_ops.attempts.provider is 'The provider that was called.';
comment on column tidings_ops.attempts.outcome is
    'accepted, retry (the provider took nothing, and a later call may work), rejected (no call will work), endpointGone (the address no '
    'longer exists), misconfigured (the provider''s settings are wrong) or unknown (the call may have arrived).';
comment on column tidings_ops.attempts.reason_code is 'The result of the call: a code of tidings_ops.reason_codes.';
comment on column tidings_ops.attempts.provider_status is 'The HTTP status of the answer. Null if there was no answer, and for the inbox.';
comment on column tidings_ops.attempts.error_text is
    'The provider''s message, at most 500 bytes. If the content was shortened, this text says so first. Null if there is no text.';
comment on column tidings_ops.attempts.possible_duplicate is
    'True if this call may have arrived and the delivery is tried again: the provider may see the delivery twice.';
comment on column tidings_ops.attempts.late is
    'True if the outcome came after the worker''s lease had ended. Such an outcome changes the state only if no other attempt has begun.';
comment on column tidings_ops.attempts.idempotency_key is
    'The key that every attempt of the delivery carries to the provider, such as a webhook''s webhook-id: <notification_id>-<ordinal>. It '
    'is not the producer''s event id.';
comment on column tidings_ops.attempts.worker_id is
    'The worker that called: see tidings_ops.workers. Null for a first call that succeeded and left no text.';
comment on column tidings_ops.attempts.started_at is 'Time at which the call began. Null for a first call that succeeded and left no text.';
comment on column tidings_ops.attempts.finished_at is 'Time at which the outcome was known.';
comment on column tidings_ops.attempts.duration_ms is
    'Milliseconds from start to outcome. Null for a first call that succeeded and left no text.';

create view tidings_ops.possible_duplicates as
    select notification_id, ordinal, attempt, channel, provider, reason as reason_code, idempotency_key, worker as worker_id, started_at
    from tidings.attempts where possible_duplicate;

comment on view tidings_ops.possible_duplicates is
    'Each call that may have arrived, if the same delivery was sent again after it. Has the reason, and the idempotency key that both '
    'calls carried.';
comment on column tidings_ops.possible_duplicates.notification_id is 'The notification.';
comment on column tidings_ops.possible_duplicates.ordinal is 'The delivery, by its number in the notification, from 0.';
comment on column tidings_ops.possible_duplicates.attempt is 'Number of the call that may have arrived. A later call followed.';
comment on column tidings_ops.possible_duplicates.channel is 'push, local, inApp, email, sms, webPush or webhook.';
comment on column tidings_ops.possible_duplicates.provider is 'The provider that may have seen the delivery twice.';
comment on column tidings_ops.possible_duplicates.reason_code is
    'The reason why the outcome is not known: workerDied, timeout or outcomeUnknown.';
comment on column tidings_ops.possible_duplicates.idempotency_key is
    'The key that both calls carried to the provider: <notification_id>-<ordinal>. It is not the producer''s event id.';
comment on column tidings_ops.possible_duplicates.worker_id is 'The worker that called.';
comment on column tidings_ops.possible_duplicates.started_at is
    'Time at which the call began. If the worker died, the time at which it claimed the pack.';

create view tidings_ops.errors as
    select md5(channel || '|' || provider || '|' || reason || '|' || coalesce(status::text, '')) as error_fingerprint,
        channel, provider, reason as reason_code, status as provider_status, max(detail) as sample,
        min(finished_at) as first_seen_at, max(finished_at) as last_seen_at,
        count(*) filter (where finished_at > (select tidings.clock()) - interval '1 hour') as n_1h,
        count(*) filter (where finished_at > (select tidings.clock()) - interval '24 hours') as n_24h,
        count(*) as n_7d
    from tidings.attempts
    where outcome <> 'accepted' and notification_id >= (select tidings.first_id(tidings.clock() - interval '7 days'))
    group by channel, provider, reason, status;

comment on view tidings_ops.errors is 'Failed calls to providers of the last seven days, grouped by kind of failure.';
comment on column tidings_ops.errors.error_fingerprint is 'Hash of channel, provider, reason and status.';
comment on column tidings_ops.errors.channel is 'push, local, inApp, email, sms, webPush or webhook.';
comment on column tidings_ops.errors.provider is 'The provider that was called.';
comment on column tidings_ops.errors.reason_code is 'The result of the calls: a code of tidings_ops.reason_codes.';
comment on column tidings_ops.errors.provider_status is 'The HTTP status of the answers. Null if there was no answer.';
comment on column tidings_ops.errors.sample is 'The provider''s message in one of the calls.';
comment on column tidings_ops.errors.first_seen_at is 'Time of the first such call of the last seven days.';
comment on column tidings_ops.errors.last_seen_at is 'Time of the last such call.';
comment on column tidings_ops.errors.n_1h is 'Number of such calls in the last hour.';
comment on column tidings_ops.errors.n_24h is 'Number of such calls in the last 24 hours.';
comment on column tidings_ops.errors.n_7d is 'Number of such calls for notifications of the last seven days.';

-- The index of these deliveries by their end gives the newest 10,000 of each kind, however many deliveries there are.
create view tidings_ops.recent_failures as
    select d.channel, d.provider, d.reason as reason_code, count(*) as deliveries, min(d.ended_at) as first_at, max(d.ended_at) as last_at,
        (array_agg(d.notification_id || '/' || d.ordinal order by d.ended_at desc))[1] as sample_id, d.state
    from (
        (select channel, provider, reason, notification_id, ordinal, ended_at, state from tidings.deliveries
        where state = 'failed' and ended_at > tidings.clock() - interval '15 minutes'
        order by ended_at desc limit 10000)
        union all
        (select channel, provider, reason, notification_id, ordinal, ended_at, state from tidings.deliveries
        where state = 'suppressed' and reason = 'noProvider' and ended_at > tidings.clock() - interval '15 minutes'
        order by ended_at desc limit 10000)
    ) d
    group by d.channel, d.provider, d.reason, d.state;

comment on view tidings_ops.recent_failures is
    'Deliveries that ended within the last 15 minutes as failed, or as suppressed with the reason noProvider, by provider and reason. '
    'Counts at most the last 10,000 of each state.';
comment on column tidings_ops.recent_failures.channel is 'The channel of the deliveries.';
comment on column tidings_ops.recent_failures.provider is 'The provider that carried the deliveries. Empty if none was chosen.';
comment on column tidings_ops.recent_failures.reason_code is 'The reason: a code of tidings_ops.reason_codes.';
comment on column tidings_ops.recent_failures.deliveries is 'Number of such deliveries.';
comment on column tidings_ops.recent_failures.first_at is 'Time at which the first of these deliveries ended.';
comment on column tidings_ops.recent_failures.last_at is 'Time at which the last of these deliveries ended.';
comment on column tidings_ops.recent_failures.sample_id is 'The delivery that ended last: an id for tidings why and tidings delivery show.';
comment on column tidings_ops.recent_failures.state is 'failed, or suppressed for deliveries without a provider.';
