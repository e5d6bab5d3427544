-- Unfinished deliveries: each one stands in exactly one pack (queued or in flight) or in exactly one due row (held or retrying).
-- Both tables are small and change all the time. Their storage settings keep updates in the page and vacuum frequent.
-- parallel_workers = 0, because starting parallel workers costs more than reading the whole table.

-- A row and a message for up to 50 deliveries. The arrays hold exactly the deliveries that are still to be settled here.
-- Settling or cancelling a delivery takes it out. The row is deleted with its last delivery.
-- A worker sends only the deliveries that its claim returned.
create table tidings.packs (
    id               uuid        primary key,
    channel          text        not null,
    provider         text        not null,
    lane             text        not null,
    notification_ids uuid[]      not null,
    ordinals         smallint[]  not null,  -- beside notification_ids
    attempts         smallint[]  not null,  -- number of the next call, beside notification_ids
    decided_at       timestamptz not null,
    confirmed_at     timestamptz,           -- when the broker confirmed the message; null: a releaser publishes the message again
    claimed_at       timestamptz,
    claimed_by       text,                  -- id of the worker
    lease_until      timestamptz,           -- afterwards a releaser recovers the deliveries
    claim            uuid
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
        autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000, parallel_workers = 0);
comment on column tidings.packs.claim is
    'Id of the claim that got the pack. A worker that repeats the same claim, because the answer was lost, gets the pack again. Any other '
    'claim gets nothing.';

-- Deliveries that wait for a time, a pause or an earlier channel. They are only in this table: no message in the broker waits for a time.
create table tidings.due (
    notification_id uuid        not null,
    ordinal         smallint    not null,
    lane            text        not null,
    due_at          timestamptz not null,  -- infinity: the end of an earlier channel or an operator decides
    -- The words of DueKind.
    kind            text        not null check (kind in ('held', 'retry', 'recover', 'escalation', 'failover', 'again')),
    tenant          text        not null,
    channel         text        not null,
    provider        text        not null,  -- empty: none is chosen yet
    endpoint        text,
    attempt         smallint    not null,  -- number of the next call
    reason          text        not null,
    since           timestamptz not null,
    pause_id        bigint,                -- the pause that the delivery waits for; due_at then only bounds the wait
    primary key (notification_id, ordinal)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, parallel_workers = 0);

create index due_lane_due_at_notification_id_ordinal_idx on tidings.due (lane, due_at, notification_id, ordinal);
-- A releaser takes due rows provider by provider, and passes over a provider that has no room without a look at its rows.
create index due_by_provider on tidings.due (lane, channel, provider, due_at, notification_id, ordinal);
-- The end of a pause writes nothing: a releaser looks up the rows of each pause that is over.
create index due_paused on tidings.due (pause_id, lane, channel, provider, notification_id, ordinal) where pause_id is not null;
