-- For operators: everything that happened to one notification, the search for any id, and the comparison with the ids of a producer.
-- The functions run with the rights of the owner, so that a reader needs no right on private tables.

create view tidings_ops.timeline as
    select n.id as notification_id, null::smallint as ordinal, n.accepted_at as at, 'router' as actor, null::text as channel,
        'accepted' as event, null::text as reason_code, n.type || ' for ' || n.recipient_id || ' from ' || n.source as summary
    from tidings.notifications n
    union all
    select d.notification_id, d.ordinal, d.decided_at, 'router', d.channel, 'decided', d.reason_code,
        d.verdict || coalesce(' until ' || to_char(d.held_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), '')
    from tidings_ops.decisions d
    union all
    select d.notification_id, d.ordinal, d.decided_at, 'release', d.channel, 'moved', d.moved_because,
        'from ' || d.moved_from || ' to ' || d.provider
    from tidings_ops.decisions d where d.moved_from is not null
    union all
    select a.notification_id, a.ordinal, a.finished_at, coalesce(a.worker_id, 'deliver'), a.channel, 'attempt ' || a.attempt,
        a.reason_code, a.outcome || coalesce(' ' || a.provider_status, '') || coalesce(': ' || a.error_text, '')
    from tidings_ops.attempts a
    union all
    select d.notification_id, d.ordinal, d.ended_at, 'deliver', d.channel, d.state, d.reason, d.provider
    from tidings.ends_of_calls d
    union all
    select r.notification_id, r.ordinal, r.received_at, r.reporter, r.channel,
        case when r.moved then r.state_after else 'reported' end, r.reason,
        case r.reporter when 'device' then 'the device' else r.provider end || ' reports ' || r.outcome
            || coalesce(' at ' || to_char(r.told_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), '')
            || case when r.moved then '' else '; the delivery stays ' || r.state_before end
    from tidings.reports r
    union all
    -- The newest events of an app. A person may send many about one notification.
    select n.id, null, e.received_at, 'app', null, e.event, null,
        'the app reports ' || e.event || ' at ' || to_char(e.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
            || coalesce(' on device ' || e.device_id, '')
    from tidings.notifications n
    cross join lateral (
        select g.received_at, g.event, g.occurred_at, g.device_id from tidings.engagement g
        where g.tenant = n.tenant and g.recipient_id = n.recipient_id and g.notification_id = n.id
        order by g.received_at desc limit 50
    ) e
    union all
    select w.notification_id, w.ordinal, w.since, 'release', w.channel, 'waiting', w.reason,
        case when w.pause_id is null then w.kind || coalesce(' until '
                || to_char(nullif(w.due_at, 'infinity') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), '')
            else 'until ' || coalesce(p.scope || ' ' || p.name || ' is resumed: ' || p.reason, 'the next release') end
    from tidings.due w left join tidings.pauses p on p.id = w.pause_id;

comment on view tidings_ops.timeline is
    'Everything that happened to a notification. Sort the rows by the column at. Indexed filter: notification_id.';
comment on column tidings_ops.timeline.notification_id is 'The notification.';
comment on column tidings_ops.timeline.ordinal is
    'The delivery, by its number in the notification, from 0. Null for the notification as a whole.';
comment on column tidings_ops.timeline.at is 'Time of the step. For an event of an app, the time at which Tidings got it.';
comment on column tidings_ops.timeline.actor is
    'router, deliver, release, provider or device (a report), app (an event), or the worker that made a call.';
comment on column tidings_ops.timeline.channel is 'The channel. Null for the notification as a whole.';
comment on column tidings_ops.timeline.event is
    'accepted, decided, attempt N, waiting, reported (a report that changed nothing), the state in which the delivery ended, or an event of '
    'an app, such as opened. Only the newest 50 events of apps are shown.';
comment on column tidings_ops.timeline.reason_code is 'The reason: a code of tidings_ops.reason_codes, or null.';
comment on column tidings_ops.timeline.summary is
    'The step in words: the request, the verdict, the outcome, the report, the event, or the time until which the delivery waits.';

create function tidings_ops.explain(notification uuid)
    returns table (at timestamptz, actor text, channel text, verdict text, reason_code text, what_to_do text, detail text,
        ordinal smallint)
    language sql stable security definer set search_path = pg_catalog, pg_temp as $$
        select t.at, t.actor, t.channel, t.event, t.reason_code, r.what_to_do, t.summary, t.ordinal
        from tidings_ops.timeline t left join tidings.reason_codes r on r.code = t.reason_code
        where t.notification_id = notification
        order by t.at, t.ordinal nulls first
    $$;
comment on function tidings_ops.explain(uuid) is
    'Each step of one notification, in order, with its reason and the next step for an operator or a producer.';

create function tidings_ops.promised(notification uuid)
    returns table (notification_id uuid, tenant text, source text, idempotency_key text, reserved_at timestamptz, state text,
        reason_code text, cancelled_at timestamptz, rejected_id bigint, pointer text, message text, what_to_do text, decided_as uuid)
    language sql stable security definer set search_path = pg_catalog, pg_temp as $$
        select r.id, r.tenant, r.source, r.event_id, r.reserved_at,
            case when r.cancelled_at is not null then 'cancelled' when owner.notification_id is not null then 'decided'
                when refusal.id is not null then 'rejected' else 'accepted' end,
            coalesce(r.cancel_reason, refusal.reason), r.cancelled_at, refusal.id, refusal.pointer, refusal.message, code.what_to_do,
            owner.notification_id
        from tidings.reservations r
        -- The key may belong to an event with other content that came another way first. The router refused this one then.
        left join tidings.idempotency_keys owner
            on owner.key = r.key and owner.content_hash = r.content_hash and r.cancelled_at is null
        left join lateral (
            select k.id, k.reason, k.pointer, k.message from tidings.rejected k
            where k.event_id = r.event_id and k.source = r.source and (k.tenant is null or k.tenant = r.tenant)
                and k.last_at >= r.reserved_at and k.producer like 'key:%' and r.cancelled_at is null
            order by k.last_at desc, k.id desc limit 1
        ) refusal on true
        left join tidings.reason_codes code on code.code = coalesce(r.cancel_reason, refusal.reason)
        where r.id = notification
        union all
        select e.id, e.tenant, null, null, null, 'erased', code.code, null, null, null, null, code.what_to_do, null
        from tidings.erased_notifications e join tidings.reason_codes code on code.code = 'recipientErased'
        where e.id = notification
    $$;
comment on function tidings_ops.promised(uuid) is
    'The state of an id that the HTTP API promised: accepted, decided, cancelled or rejected. A refused or cancelled event has its reason '
    'and the next step. decided_as is the notification of a decided event, which may have another id. Also the id of any notification '
    'whose person was erased, with the state erased. No row: the API has not promised the id, or the row is past its retention.';

-- A new session spends nearly all of its time on opening the partition of each day and planning for it. One statement over all days costs
-- less than one statement for each day. A second statement finds the partitions open.
-- Opening the partitions of future days is cheaper than a bound on the id, which the planner would consider for every day.
create function tidings_ops.find(anything text)
    returns table (kind text, id text, matched_on text, at timestamptz) language plpgsql stable
    security definer set search_path = pg_catalog, pg_temp set jit = off as $$
declare
    named_tenant text;
    person text;
begin
    -- A notification, a delivery (notification/ordinal), or the key that a provider got (notification-ordinal).
    if anything ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}([/-]\d+)?$' then
        return query select 'notification', n.id::text,
                case when substr(anything, 37, 1) = '-' then 'attempts.idempotency_key' else 'notification_id' end, n.accepted_at
            from tidings.notifications n where n.id = left(anything, 36)::uuid;
        if found then return; end if;
        -- An id that the HTTP API promised. The notification of its event may have another id, or may not exist yet.
        return query select case when k.key is null then 'promised' else 'notification' end, coalesce(k.notification_id, r.id)::text,
                'promised id', r.reserved_at
            from tidings.reservations r
            left join tidings.idempotency_keys k on k.key = r.key and k.content_hash = r.content_hash and r.cancelled_at is null
            where r.id = left(anything, 36)::uuid limit 1;
        if found then return; end if;
        return query select 'erased', e.id::text, 'notification_id', e.erased_at from tidings.erased_notifications e
            where e.id = left(anything, 36)::uuid;
        if found then return; end if;
    end if;
    -- Ordered by a column without an index: PostgreSQL must not walk a day without statistics in the order of its ids.
    return query select 'notification', n.id::text, 'idempotency_key', n.accepted_at from tidings.notifications n
        where n.event_id = anything order by n.accepted_at desc limit 20;
    -- The latest notifications are enough. The time comes from the id, so that no row is read.
    return query select 'notification', n.id::text, 'recipient_id', tidings.id_time(n.id) from tidings.notifications n
        where n.recipient_id = anything order by n.id desc limit 10;
    return query select 'recipient', r.tenant || '/' || r.id, 'recipient_id', r.changed_at from tidings.recipients r where r.id = anything;
    -- tenant/recipient, as the line above prints it. The index has only the person, so the inner limit bounds the rows that are read.
    if strpos(anything, '/') > 1 then
        named_tenant := split_part(anything, '/', 1);
        person := substr(anything, strpos(anything, '/') + 1);
        return query select 'notification', l.id::text, 'recipient_id', tidings.id_time(l.id)
            from (select n.id, n.tenant from tidings.notifications n where n.recipient_id = person order by n.id desc limit 100) l
            where l.tenant = named_tenant order by l.id desc limit 10;
        return query select 'recipient', r.tenant || '/' || r.id, 'recipient_id', r.changed_at from tidings.recipients r
            where r.tenant = named_tenant and r.id = person;
        return query select 'rejected', l.id::text, 'recipient_id', l.last_at from (
                (select r.id, r.last_at, r.tenant from tidings.rejected r where r.recipients[1] = person order by r.id desc limit 100)
                union
                (select r.id, r.last_at, r.tenant from tidings.rejected r
                    where r.recipients @> array[person] and cardinality(r.recipients) > 1 limit 1000)
            ) l where coalesce(l.tenant, 'default') = named_tenant order by l.id desc limit 10;
    end if;
    return query select 'device', e.id, 'device_id', e.changed_at from tidings.endpoints e where e.channel = 'push' and e.id = anything;
    return query select 'device', e.id, 'token', e.changed_at from tidings.endpoints e
        where e.channel = 'push' and tidings.token_hash(coalesce(e.token_identity, e.address)) = tidings.token_hash(anything);
    return query select 'rejected', r.id::text, 'event_id', r.last_at from tidings.rejected r
        where r.event_id = anything order by r.id desc limit 20;
    -- Refused events of the person, newest first. Nearly every event names one person. An event that names several has an index without an
    -- order, so the inner limit bounds the rows that are read.
    return query select 'rejected', l.id::text, 'recipient_id', l.last_at from (
            (select r.id, r.last_at from tidings.rejected r where r.recipients[1] = anything order by r.id desc limit 10)
            union
            (select r.id, r.last_at from tidings.rejected r
                where r.recipients @> array[anything] and cardinality(r.recipients) > 1 limit 1000)
        ) l order by l.id desc limit 10;
end $$;
comment on function tidings_ops.find(text) is
    'Finds the record of any id: a notification, a delivery, an event, a provider''s idempotency key, a device or its token. A '
    'token is found in the form that is stored: of APNs in lower case, of a browser the endpoint alone. For a recipient, also as '
    'tenant/recipient, it returns the latest notifications and the latest refused events too. A trace id and a provider''s own message id '
    'have no index.';

-- Retention may keep an old day between dropped ones (tidings.kept_days), so the days are followed back from today.
create function tidings_ops.kept_since() returns timestamptz language sql stable
    security definer set search_path = pg_catalog, pg_temp as $$
    select max(d.day) filter (where not d.follows)::timestamp at time zone 'UTC' from (
        select k.day, coalesce(lag(k.day) over (order by k.day) = k.day - 1, false) as follows from (
            select to_date(right(c.relname, 8), 'YYYYMMDD') as day
            from pg_inherits i join pg_class c on c.oid = i.inhrelid
            where i.inhparent = 'tidings.notifications'::regclass and c.relname ~ '_p\d{8}$'
        ) k where k.day <= (tidings.clock() at time zone 'UTC')::date
    ) d
$$;
comment on function tidings_ops.kept_since() is
    'The time from which on every accepted notification is kept. Earlier days are past retention, or before the installation.';

-- count(*), and no limit: with a limit, PostgreSQL would walk a day without statistics, because it expects to meet an id early.
-- The outbox has no index on event_id, so it is read only if an id was not found elsewhere.
create function tidings_ops.reconcile(source text, event_ids text[], since timestamptz, tenant text default null)
    returns table (event_id text, state text, notifications bigint, rejected_id bigint, reason_code text)
    language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    with accepted as materialized (
        select e.event_id, e.place, a.found
        from unnest(reconcile.event_ids) with ordinality as e(event_id, place)
        cross join lateral (
            select count(*) as found from tidings.notifications n
            where n.event_id = e.event_id and n.source = reconcile.source and n.id >= tidings.first_id(reconcile.since)
                and (reconcile.tenant is null or n.tenant = reconcile.tenant)
        ) a
    ), enqueued as materialized (
        select distinct coalesce(o.event_id, o.event::json ->> 'id') as event_id from tidings.outgoing o
        where (select bool_or(a.found = 0) from accepted a)
            and coalesce(o.event_id, o.event::json ->> 'id') = any(reconcile.event_ids)
            and o.event::json ->> 'source' = reconcile.source
            and (reconcile.tenant is null or o.event::json -> 'data' ->> 'tenant' = reconcile.tenant)
    )
    select a.event_id,
        case when a.found > 0 then 'accepted' when q.event_id is not null then 'enqueued' when r.id is not null then 'rejected'
            else 'missing' end,
        a.found, r.id, r.reason
    from accepted a
    left join enqueued q on q.event_id = a.event_id
    -- A refusal whose event was published again says nothing about the event any more.
    left join lateral (
        select k.id, k.reason from tidings.rejected k
        where k.event_id = a.event_id and k.source = reconcile.source and k.last_at >= reconcile.since and k.state <> 'replayed'
            and (reconcile.tenant is null or coalesce(k.tenant, reconcile.tenant) = reconcile.tenant)
        order by k.last_at desc, k.id desc limit 1
    ) r on true
    order by a.place
$$;
comment on function tidings_ops.reconcile(text, text[], timestamptz, text) is
    'Compares event ids of a source with the records since a time. state is accepted (it has notifications, one for each recipient), '
    'enqueued (tidings_api.enqueue took it and no release role has published it yet), rejected (see rejected_id and reason_code) or '
    'missing. A missing event may still wait at the broker. Give at most some thousand ids at once. Null for any tenant.';
