-- Idempotency keys: the first intent of a key becomes a notification, every later one is a duplicate.
-- A key is 16 bytes of SHA-256 over tenant, source, event id and recipient. An intent claims its key in idempotency_recent.
-- A releaser moves keys of past days into idempotency, which intake only reads. Both tables are read through idempotency_keys.

-- All older keys. Keys come in no order, so in a single table each new key would change another page of a large index.
-- PostgreSQL would log that whole page of 8 KB for a row of 48 bytes. The move inserts many keys in their order, so that they share pages.
create table tidings.idempotency (
    key             uuid primary key,
    notification_id uuid not null,
    content_hash    uuid not null
) partition by hash (key);

-- The BRIN index finds keys past retention. autosummarize is on, because PostgreSQL seldom vacuums a table that only grows.
do $$ begin
    for i in 0..7 loop
        execute format('create table tidings.idempotency_%s partition of tidings.idempotency
            for values with (modulus 8, remainder %s)', i, i);
        execute format('create index idempotency_%s_notification_id_idx on tidings.idempotency_%1$s
            using brin (notification_id) with (autosummarize = on)', i);
    end loop;
end $$;

-- Keys that intents claimed since yesterday or the day before.
create table tidings.idempotency_recent (
    key             uuid primary key,
    notification_id uuid not null,
    content_hash    uuid not null
);

-- While a key is moved, both tables may hold it, with the same answer.
create view tidings.idempotency_keys as
    select key, notification_id, content_hash from tidings.idempotency_recent
    union all select key, notification_id, content_hash from tidings.idempotency;

-- Progress of the move; one row.
create table tidings.key_move (
    phase    text not null check (phase in ('waiting', 'copying', 'copied', 'deleting')),
    before   uuid not null,  -- keys of notifications before this id are moved
    position uuid not null   -- keys up to this one are done in this phase
);
create unique index key_move_expr_idx on tidings.key_move ((true));
insert into tidings.key_move values ('waiting', tidings.first_id('epoch'), '00000000-0000-0000-0000-000000000000');

-- Only the move may insert into idempotency: a key that is claimed there could be claimed a second time in idempotency_recent.
-- The SQLSTATE makes a router of an early build try again until it is stopped. Its messages then go to the next router.
create function tidings.refuse_claim() returns trigger language plpgsql as $$
begin
    if current_setting('tidings.moves_keys', true) is distinct from 'on' then
        raise exception 'keys are claimed in tidings.idempotency_recent: stop this router, it is of an earlier build'
            using errcode = 'serialization_failure';
    end if;
    return null;
end $$;
create trigger refuse_claim before insert on tidings.idempotency for each statement execute function tidings.refuse_claim();
