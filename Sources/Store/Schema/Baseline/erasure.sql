-- Erasure of people: the operations, the tombstones of erased people, and the ids of erased notifications.
-- A tombstone stays for twice the retention, as an idempotency key does: no queue and no replay keeps an intent longer.
-- No row names a person, except that of an operation that is not done: a releaser must know whom it erases.

-- The key of tidings.person_hash. Without the key, a reader of the tombstones cannot try names. The key never changes: with another key,
-- every tombstone would be lost.
create table tidings.erasure_key (
    only_row boolean primary key default true check (only_row),
    key      bytea   not null check (octet_length(key) = 32)
);
insert into tidings.erasure_key (key)
    select sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

-- The name of a tenant has no slash, so no two people give the same bytes. Two rounds: the hash of a name says nothing about a longer name.
-- Statements that look for many people spell the same hash out (Tombstones.swift).
create function tidings.person_hash(tenant text, recipient text) returns bytea language sql stable parallel safe
    as $$ select sha256(k.key || sha256(k.key || convert_to(tenant || '/' || recipient, 'UTF8'))) from tidings.erasure_key k $$;
comment on function tidings.person_hash(text, text) is 'The keyed hash of a person, by which a tombstone is found.';

-- One row for each erasure. A releaser takes the running operation with the earliest due_at, and writes the progress of a step in the
-- transaction of the step. So a process that dies loses nothing but its last step.
create table tidings.erasures (
    id           uuid        primary key,           -- UUIDv7 of the request
    tenant       text        not null,
    recipient_id text,                              -- null once the erasure is done
    state        text        not null default 'running' check (state in ('running', 'done')),
    step         text        not null,              -- word of ErasureStep
    requested_at timestamptz not null,
    requested_by text        not null,              -- key:<name> or the user of a command; never the person
    due_at       timestamptz not null,              -- the next turn
    barrier      xid8,                              -- older transactions may not have seen the tombstone; null: not set yet
    position     text        not null default '',   -- of the step: rows up to this one are done
    left_behind  integer     not null default 0,    -- deliveries that the step met in the hands of a worker
    waits_for    text,                              -- transactions, calls or failed; null: the step goes on
    counts       jsonb       not null default '{}', -- what was erased, by place
    finished_at  timestamptz,
    readmitted_at timestamptz,                      -- end of the tombstone before its time; null: not asked for
    readmitted_by text,                             -- like requested_by
    check ((state = 'done') = (recipient_id is null) and (state = 'done') = (finished_at is not null))
);
create index erasures_due on tidings.erasures (due_at) where state = 'running';

-- An intent, a pack or a registration of a person with a row here is dropped or refused.
create table tidings.erased_people (
    person_hash bytea       primary key,
    erasure     uuid        not null,  -- the latest one
    erased_at   timestamptz not null
);
create index erased_people_erased_at_idx on tidings.erased_people (erased_at);

-- Ids of erased notifications, and of notifications that intents of erased people asked for. Producers and providers still ask about them.
create table tidings.erased_notifications (
    id        uuid        primary key,
    tenant    text        not null,
    erased_at timestamptz not null
);
-- Retention finds old rows. A BRIN index would keep the oldest time of a page that was emptied and filled again, and find every page.
create index erased_notifications_erased_at_idx on tidings.erased_notifications (erased_at);

-- Notifications that name an erased person and belong to another person, until their erasure erases them too.
create table tidings.erasure_mentions (
    erasure         uuid not null,
    notification_id uuid not null,
    primary key (erasure, notification_id)
);

-- For operators -------------------------------------------------------------------------------------------------------------------------

create view tidings_ops.erasures as
    select id as erasure_id, tenant, state, step, waits_for, requested_at, requested_by, finished_at, counts,
        readmitted_at, readmitted_by
    from tidings.erasures;

comment on view tidings_ops.erasures is
    'Each erasure of a person: who asked for it, how far it is, and what was erased. No row of a finished erasure says who the person was. See '
    'tidings recipient erasure.';
comment on column tidings_ops.erasures.erasure_id is 'The id that the request got.';
comment on column tidings_ops.erasures.tenant is 'The tenant of the person.';
comment on column tidings_ops.erasures.state is
    'running, or done: nothing of the person is left in the database, and no worker can send anything to the person.';
comment on column tidings_ops.erasures.step is
    'The step that runs: transactions, mentions, notifications, devices, rows, enqueued, refused or dead. done for a finished erasure.';
comment on column tidings_ops.erasures.waits_for is
    'transactions: a transaction is open that began before the erasure. calls: a worker is sending to the person. '
    'failed: the last turn failed, and a release role has logged the reason. Null: the erasure goes on.';
comment on column tidings_ops.erasures.requested_at is 'Time of the first request. A repeated request of a running erasure changes nothing.';
comment on column tidings_ops.erasures.requested_by is 'The author of the request: key:<name> of an API key, or the user and host of a command.';
comment on column tidings_ops.erasures.finished_at is 'Time at which the erasure was done. Null while it runs.';
comment on column tidings_ops.erasures.counts is 'Number of erased rows and deliveries by place: a JSON object. It has no personal data.';
comment on column tidings_ops.erasures.readmitted_at is
    'Time from which the person may be stored again, because a request ended the tombstone. Null if there was none.';
comment on column tidings_ops.erasures.readmitted_by is 'The author of that request, in the form of requested_by.';
