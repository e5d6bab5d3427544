-- Events that apps send to POST /api/events: what a person did with a notification, and pushes that an app could not read.
-- Events are history: they move no delivery and no inbox entry.

-- The key is a hash of everything that the app told about an event. The same event has the same key when it comes again, so it is stored
-- once. Partitions by person, as of the inbox: a partition of a day could not see a repetition on the next day.
create table tidings.engagement (
    tenant          text        not null,
    recipient_id    text        not null,
    notification_id uuid        not null,  -- as told; all zeros: the event names no notification
    key             uuid        not null,
    event           text        not null,  -- received, displayed, opened, dismissed, action or unknownPayload
    occurred_at     timestamptz not null,  -- by the device's clock, or received_at if that clock cannot be right
    told_at         timestamptz,           -- by the device's clock; null: the event has no time
    received_at     timestamptz not null,
    device_id       text,                  -- null: the event names no device of the person
    type            text,                  -- null: the event names no notification or inbox entry of the person that is kept
    provider        text,                  -- of the delivery that the event is about; null: none arrived
    market          text        not null,
    detail          text,                  -- JSON: an object of texts
    primary key (tenant, recipient_id, notification_id, key)
) partition by hash (tenant, recipient_id);

do $$ begin
    for i in 0..7 loop
        execute format('create table tidings.engagement_%s partition of tidings.engagement
            for values with (modulus 8, remainder %s)', i, i);
    end loop;
end $$;
-- For retention. No BRIN index: new rows take the room of deleted ones, and the ranges of a BRIN index never forget their oldest time.
create index engagement_received_at_idx on tidings.engagement (received_at);

-- The number of stored events of each person on the last day of UTC on which the person sent any. It bounds the events of a day. The lock
-- on this row puts the requests of a person in sequence.
create table tidings.engagement_days (
    tenant       text    not null,
    recipient_id text    not null,
    day          date    not null,
    n            integer not null,
    primary key (tenant, recipient_id)
) with (fillfactor = 70);
create index engagement_days_day_idx on tidings.engagement_days (day);

-- A person's statements run as tidings_app, which sees only the rows of that person (grants.sql), as in the inbox.
do $$ declare
    name text;
begin
    foreach name in array array['engagement', 'engagement_days'] loop
        execute format('alter table tidings.%I enable row level security', name);
        execute format('alter table tidings.%I force row level security', name);
    end loop;
end $$;

-- Counts without people. Each transaction appends the counts of the events that it stored. A releaser adds these rows to the totals.
create table tidings.engagement_tally (
    day      date   not null,  -- of occurred_at, in UTC
    tenant   text   not null,
    event    text   not null,
    type     text   not null,
    provider text   not null,
    market   text   not null,
    n        bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

create table tidings.engagement_totals (
    day      date   not null,
    tenant   text   not null,  -- empty: tenants beyond the limit of totals of a day
    event    text   not null,
    type     text   not null,  -- empty: no notification
    provider text   not null,  -- empty: no delivery
    market   text   not null,
    n        bigint not null,
    primary key (day, tenant, event, type, provider, market)
) with (fillfactor = 50);

-- For operators -------------------------------------------------------------------------------------------------------------------------

create view tidings_ops.engagement as
    select tenant, recipient_id, nullif(notification_id, '00000000-0000-0000-0000-000000000000') as notification_id, event, occurred_at,
        received_at, device_id, type, provider, market,
        case when event = 'action' then detail::json ->> 'action' end as action,
        case when event = 'unknownPayload' then detail::json ->> 'reason' end as payload_reason,
        case when event = 'unknownPayload' then detail::json ->> 'type' end as payload_type
    from tidings.engagement;

comment on view tidings_ops.engagement is
    'Events that apps reported. For counts see engagement_counts. Indexed filter: tenant with recipient_id, also with notification_id.';
comment on column tidings_ops.engagement.tenant is 'The tenant of the person.';
comment on column tidings_ops.engagement.recipient_id is 'The person whose app reported the event.';
comment on column tidings_ops.engagement.notification_id is
    'The notification, as the app named it. Null if the event names none. If it is not kept, or not of this person, type is null.';
comment on column tidings_ops.engagement.event is
    'received, displayed, opened, dismissed, action, or unknownPayload (the app could not read a push).';
comment on column tidings_ops.engagement.occurred_at is
    'Time of the event by the clock of the device. The time in received_at if the app told none, or a time that cannot be right.';
comment on column tidings_ops.engagement.received_at is 'Time at which Tidings stored the event.';
comment on column tidings_ops.engagement.device_id is 'The device. Null if the event names no device of this person.';
comment on column tidings_ops.engagement.type is 'The type of the notification. Null if this person has no such notification.';
comment on column tidings_ops.engagement.provider is
    'The provider of the delivery that the event is about: the delivery to the device, else the first that arrived. Null if none arrived.';
comment on column tidings_ops.engagement.market is 'The market of that delivery, else of the device, else of the person.';
comment on column tidings_ops.engagement.action is
    'For action: the action that the person chose, as the app names it. Null if the app told none, and for any other event.';
comment on column tidings_ops.engagement.payload_reason is
    'For unknownPayload: missing, malformed or unknownType, as the app says. Null for any other event.';
comment on column tidings_ops.engagement.payload_type is
    'For unknownPayload: the type that the push named. Null if it named none, and for any other event.';

create view tidings_ops.engagement_counts as
    select day, tenant, event, type, provider, market, n from tidings.engagement_totals;

comment on view tidings_ops.engagement_counts is
    'Number of events that apps reported, by day, event, type, provider and market. Kept for longer than the events. A count is complete '
    'some seconds after its events. Indexed filter: day.';
comment on column tidings_ops.engagement_counts.day is 'The day of the events in UTC, by occurred_at.';
comment on column tidings_ops.engagement_counts.tenant is
    'The tenant. Empty: tenants without a count of their own, because a day has too many.';
comment on column tidings_ops.engagement_counts.event is 'received, displayed, opened, dismissed, action or unknownPayload.';
comment on column tidings_ops.engagement_counts.type is 'The type of the notification. Empty if the event names none that is kept.';
comment on column tidings_ops.engagement_counts.provider is
    'The provider of the delivery that the event is about. Empty if none arrived.';
comment on column tidings_ops.engagement_counts.market is 'The market of the delivery, the device or the person.';
comment on column tidings_ops.engagement_counts.n is 'Number of events. An event that came twice counts once.';
