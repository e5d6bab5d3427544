-- Notifications, decisions, ended deliveries and attempts: tables that are partitioned by day.
-- A delivery gets its row when it has ended. Until then the delivery stands in exactly one pack or one due row
-- (packs-and-due.sql).
-- The usual path only inserts. A later change of a row is rare: a device's confirmation, a late outcome, a failover or an operator's retry.
-- Retention drops whole days (day-partitions.sql).

create table tidings.notifications (
    id            uuid        not null,  -- UUIDv7 of the acceptance
    tenant        text        not null,
    source        text        not null,  -- CloudEvents source
    event_id      text        not null,  -- CloudEvents id
    recipient_id  text        not null,
    type          text        not null,
    category      text        not null,  -- of the type at acceptance
    lane          text        not null,  -- urgent or bulk
    title         text,
    body          text,
    data          text        not null,  -- JSON
    group_key     text,
    collapse_key  text,
    content_fields text,                 -- JSON: content fields without a column of their own; null: none
    market        text,                  -- null: the market of the person
    critical      boolean     not null,
    channels      text[],                -- the producer's choice; null: the channels of the type
    scheduled_for timestamptz,
    expires_at    timestamptz not null,
    accepted_at   timestamptz not null,
    traceparent   text,
    planned       smallint    not null,  -- number of deliveries; a failover may add some
    decision      text        not null,  -- JSON: strategy, rules, notes and deliveries
    catalogue     text        not null,  -- hash of the catalogue in force
    primary key (id)
) partition by range (id);
create index notifications_event_id_idx on tidings.notifications (event_id);
-- The index does not begin with the tenant, so a search that knows only the person uses it too.
create index notifications_recipient_id_id_idx on tidings.notifications (recipient_id, id);

-- Later decisions about a delivery. The first decision is in tidings.notifications.
create table tidings.decisions (
    notification_id uuid        not null,
    ordinal         smallint    not null,  -- number of the delivery in the notification, from 0
    at              timestamptz not null,
    catalogue       text        not null,
    decision        text        not null,  -- JSON: one delivery
    moved_from      text,                  -- provider that the delivery left; empty: an operator's retry, and every provider counts again
    moved_because   text                   -- reason code
) partition by range (notification_id);
create index decisions_notification_id_idx on tidings.decisions (notification_id);

create table tidings.deliveries (
    notification_id     uuid        not null,
    ordinal             smallint    not null,
    tenant              text        not null,
    channel             text        not null,
    provider            text        not null,  -- empty: none was chosen
    endpoint            text,                  -- id, never the address
    state               text        not null,
    reason              text        not null,
    attempts            smallint    not null,  -- calls to a provider
    provider_message_id text,
    ended_at            timestamptz not null,
    primary key (notification_id, ordinal)
) partition by range (notification_id);
-- Failed deliveries, and deliveries without a provider, are few, so the usual insert does not touch this index.
-- tidings_ops.recent_failures reads it.
create index deliveries_state_ended_at_idx on tidings.deliveries (state, ended_at) where state = 'failed' or reason = 'noProvider';

-- A first call that succeeded has no row: tidings_ops.attempts derives it from the delivery.
create table tidings.attempts (
    notification_id    uuid        not null,
    ordinal            smallint    not null,
    attempt            smallint    not null,  -- the first call is 1
    channel            text        not null,
    provider           text        not null,
    outcome            text        not null,
    reason             text        not null,
    status             integer,               -- HTTP status
    detail             text,                  -- the provider's words
    possible_duplicate boolean     not null default false,
    late               boolean     not null default false,  -- the outcome came after the lease had ended
    idempotency_key    text        not null,  -- as the provider got it
    worker             text        not null,
    started_at         timestamptz not null,
    finished_at        timestamptz not null
) partition by range (notification_id);
create index attempts_notification_id_ordinal_idx on tidings.attempts (notification_id, ordinal);
-- tidings_ops.possible_duplicates reads it.
create index attempts_possible_duplicate_idx on tidings.attempts (notification_id) where possible_duplicate;
