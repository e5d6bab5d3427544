-- Refused intents and dead messages: kept with their bytes, so that an operator can publish them again or discard them.
-- The same event refused for the same reason raises the counter of one row (fingerprint), so that a looping producer fills no disk.
-- The attributes of an event in headers are part of the fingerprint. Headers that a broker adds are not.
-- A budget for each day and tenant bounds the bytes that are kept. Retention looks at a row on the day look_on.

create table tidings.rejected (
    id           bigint      generated always as identity primary key,
    fingerprint  uuid        not null unique,
    at           timestamptz not null,
    last_at      timestamptz not null,
    occurrences  bigint      not null default 1,
    reason       text        not null,
    pointer      text        not null,  -- JSON pointer to the fault
    message      text        not null,
    tenant       text,                  -- null if it could not be read; so are source, event_id and type
    source       text,
    event_id     text,
    type         text,
    recipients   text[]      not null default '{}',  -- people that the event names, each once, at most 1,000; one beyond the budget
    names_others boolean     not null default false,  -- whether the bytes may name people that are not in recipients
    verified     boolean     not null default false,  -- whether the event was read whole, and its publisher may name tenant and source
    exchange     text        not null,
    routing_key  text        not null,
    content_type text,
    headers      text        not null,  -- JSON
    raw          bytea       not null,  -- empty beyond the budget of the day; the first 64 KiB of an event that was too large
    size         integer     not null,  -- bytes of the whole event
    sha256       bytea       not null,
    replayable   boolean     not null,
    state        text        not null default 'open' check (state in ('open', 'replayed', 'discarded')),
    acted_at     timestamptz,           -- when the row was closed
    producer     text,                  -- the first publisher, if it is proved; a replay names the same publisher
    replay_headers text default '{}',   -- JSON: the headers that a replay sends; null if not all of them are known
    -- The next day on which retention looks at the row. With an index on last_at instead, every refusal would write the index.
    -- A new row is kept for at least 30 days.
    look_on      date        not null default (tidings.clock() at time zone 'UTC')::date + 30
);
create index rejected_event_id_idx on tidings.rejected (event_id);
create index rejected_look_on on tidings.rejected (look_on);
create index rejected_open on tidings.rejected (id) where state = 'open';
-- tidings_api.rejected walks the newest refusals of one source.
create index rejected_source on tidings.rejected (source, id);
-- tidings_ops.find walks the newest refusals of one person. Nearly every event names one person. An array has no order by row, so events with
-- several people have an index of their own, and no other event makes it grow.
create index rejected_recipient on tidings.rejected ((recipients[1]), id);
create index rejected_recipients on tidings.rejected using gin (recipients) where cardinality(recipients) > 1;
-- An erasure reads the bytes of these events. Nearly every event lists all its people.
create index rejected_names_others on tidings.rejected (id) where names_others;

-- Bytes of refused events that were kept on a day.
create table tidings.rejected_days (
    day           date     not null,
    share         smallint not null,  -- hash of the tenant, so that the number of tenants adds no rows
    part          smallint not null,  -- spreads routers over rows, so that they seldom wait for each other's commit
    kept_bytes    bigint   not null,
    without_bytes bigint   not null,  -- number of events of which no bytes were kept
    primary key (day, share, part)
) with (fillfactor = 50);

create table tidings.dead (
    id           bigint      generated always as identity primary key,
    fingerprint  uuid        not null unique,
    at           timestamptz not null,
    queue        text        not null,
    reason       text        not null,
    message      text        not null,
    deaths       bigint      not null,
    exchange     text        not null,
    routing_key  text        not null,
    content_type text,
    headers      text        not null,  -- JSON
    raw          bytea       not null,
    size         integer     not null,
    state        text        not null default 'open'
        check (state in ('open', 'trying', 'replayed', 'resolved', 'quarantined', 'discarded')),
    acted_at     timestamptz,
    producer     text,
    replay_headers text default '{}',   -- as in tidings.rejected; null: the message cannot be replayed
    look_on      date        not null default (tidings.clock() at time zone 'UTC')::date + 30  -- as in tidings.rejected
);
create index dead_look_on on tidings.dead (look_on);
create index dead_open on tidings.dead (id) where state in ('open', 'quarantined', 'trying');

-- For operators -------------------------------------------------------------------------------------------------------------------------

create view tidings_ops.rejected as
    select id as rejected_id, reason as reason_code, pointer, message, tenant, source, event_id, type, recipients[1] as recipient_id,
        recipients, verified, exchange, routing_key, content_type, size, occurrences, replayable, state, at as first_at, last_at, octet_length(raw) as bytes_kept
    from tidings.rejected;

comment on view tidings_ops.rejected is 'Refused intents, the reason for each, and whether they can be replayed. See tidings rejected.';
comment on column tidings_ops.rejected.rejected_id is 'The id for tidings rejected show, replay and discard.';
comment on column tidings_ops.rejected.reason_code is 'The reason for the refusal: a code of tidings_ops.reason_codes.';
comment on column tidings_ops.rejected.pointer is 'The place in the event: a JSON pointer (RFC 6901). Empty for the event as a whole.';
comment on column tidings_ops.rejected.message is 'The reason in words, with the value at that place.';
comment on column tidings_ops.rejected.tenant is 'The tenant. Null if it could not be read.';
comment on column tidings_ops.rejected.source is 'The CloudEvents source. Null if it could not be read.';
comment on column tidings_ops.rejected.event_id is 'The CloudEvents id. Null if it could not be read.';
comment on column tidings_ops.rejected.type is 'The CloudEvents type. Null if it could not be read.';
comment on column tidings_ops.rejected.recipient_id is 'The first person that the event names. Null if none could be read.';
comment on column tidings_ops.rejected.recipients is
    'All people that the event names, as far as they could be read, at most 1,000. To look for one, use tidings_ops.find.';
comment on column tidings_ops.rejected.verified is
    'True if the event was read whole and its publisher may name this tenant and source. False: the event is broken, or the publisher is '
    'not known or has no such right. Then anybody may have written tenant, source, event_id, type and recipients.';
comment on column tidings_ops.rejected.exchange is 'The exchange to which the event was published. A replay publishes it there again.';
comment on column tidings_ops.rejected.routing_key is 'The routing key with which the event was published.';
comment on column tidings_ops.rejected.content_type is 'The content type of the kept bytes. Null if the message had none.';
comment on column tidings_ops.rejected.size is 'Bytes of the event, or of the message if the event could not be separated from it.';
comment on column tidings_ops.rejected.occurrences is 'Number of times that the same event was refused for the same reason.';
comment on column tidings_ops.rejected.replayable is
    'True if tidings rejected replay can publish the event again. All bytes of the event are kept then, and it may be accepted later, for '
    'example after a change of the catalogue. False if the same event would be refused again.';
comment on column tidings_ops.rejected.state is 'open, replayed or discarded.';
comment on column tidings_ops.rejected.first_at is 'Time of the first refusal.';
comment on column tidings_ops.rejected.last_at is 'Time of the last refusal.';
comment on column tidings_ops.rejected.bytes_kept is
    'Number of bytes that tidings rejected show prints. Of an event that was too large, these are the first 64 KiB. 0 beside a larger '
    'size: the bytes of refused events had reached the bound of the day.';

create view tidings_ops.dead_letters as
    select id as dead_id, queue as origin_queue, reason as reason_code, message, deaths, exchange, routing_key, size, state, at
    from tidings.dead;

comment on view tidings_ops.dead_letters is
    'Messages that could not be processed, each with its queue, its reason and the number of times it died.';
comment on column tidings_ops.dead_letters.dead_id is 'The id for tidings dead show, replay and discard.';
comment on column tidings_ops.dead_letters.origin_queue is 'The queue whose consumer could not process the message.';
comment on column tidings_ops.dead_letters.reason_code is
    'poison (requeued too often), evicted (taken out by the broker, because it expired or its queue was full) or '
    'undecodablePack (not a pack that the worker or router can read).';
comment on column tidings_ops.dead_letters.message is 'The reason in words.';
comment on column tidings_ops.dead_letters.deaths is
    'Number of times that the same message was set aside since it was last processed.';
comment on column tidings_ops.dead_letters.exchange is
    'The exchange to which the message was published. A replay publishes it there again.';
comment on column tidings_ops.dead_letters.routing_key is 'The routing key with which the message was published.';
comment on column tidings_ops.dead_letters.size is 'Bytes of the message.';
comment on column tidings_ops.dead_letters.state is
    'trying (a router tries the message alone), resolved (the trial worked), quarantined (the message ended its process again), open, '
    'replayed or discarded.';
comment on column tidings_ops.dead_letters.at is 'Time at which the message was last set aside.';
