-- Requests of producers over HTTP: the ids that were promised, and the requests that were named by an Idempotency-Key.
-- A row is written before the event goes to the broker, so an id that a producer has is always found (Store/Reservations).

-- The id of a notification that the router may not have decided yet. The first row of a key promises its id for good.
-- source and event_id find the refusal if the router refuses the event.
-- A cancel claims the key for a notification that will never be, so a router takes the event for a duplicate and sends nothing.
-- The index on id serves lookups, and retention walks along it: ids have the order of time.
create table tidings.reservations (
    key           uuid        primary key,  -- as in tidings.idempotency
    id            uuid        not null,
    tenant        text        not null,
    source        text        not null,
    event_id      text        not null,
    content_hash  uuid        not null,     -- as in tidings.idempotency
    reserved_at   timestamptz not null,
    cancelled_at  timestamptz,              -- before a router had decided; null: not cancelled
    cancel_reason text                      -- code of tidings.reason_codes
);
create index reservations_id on tidings.reservations (id);

-- A request with a known key and another fingerprint is refused. A request with the same fingerprint gets the ids of the first answer,
-- whatever the catalogue says by then.
create table tidings.idempotent_requests (
    caller           text        not null,  -- id of the API key
    key              text        not null,  -- the header Idempotency-Key
    fingerprint      bytea       not null,  -- SHA-256 of media type and body
    created_at       timestamptz not null,
    notification_ids uuid[]      not null,  -- in the order of the answer
    primary key (caller, key)
);
-- Retention finds old rows: rows arrive in the order of time.
create index idempotent_requests_created_at_idx on tidings.idempotent_requests using brin (created_at) with (autosummarize = on);
