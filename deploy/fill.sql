-- The functions of deploy/fill, which copies notifications, one day at a time. Each copy comes from a notification that Tidings itself
-- accepted, routed and delivered. Each has an id of that day and an event id of its own, and belongs to one of many people. A day is filled
-- in one transaction, so the day is complete or empty.
--
-- The tables are filled first and indexed afterwards. No other process may write meanwhile: run this while no role runs.
set check_function_bodies = off; -- the functions use tables that are made later
set client_min_messages = warning;
create schema if not exists tidings_fill;
comment on schema tidings_fill is 'The state of deploy/fill. Drop this schema when you no longer need it.';

create or replace function tidings_fill.key(tenant text, source text, event_id text, recipient text) returns uuid
    language sql immutable parallel safe as $$
    -- Makes the key like the router: four texts, each after its length in bytes, then the first half of their SHA-256.
    select left(encode(sha256(
        int4send(octet_length(tenant)) || convert_to(tenant, 'UTF8') || int4send(octet_length(source)) || convert_to(source, 'UTF8') ||
        int4send(octet_length(event_id)) || convert_to(event_id, 'UTF8') || int4send(octet_length(recipient)) || convert_to(recipient, 'UTF8')),
        'hex'), 32)::uuid
$$;

-- Chooses the notification that is copied: the newest one whose deliveries have all ended.
create or replace function tidings_fill.choose_model() returns text language plpgsql as $$
declare
    model tidings.notifications;
begin
    if to_regclass('tidings_fill.model') is null then
        select n.* into model from tidings.notifications n
        where n.planned = 2 and n.planned = (select count(*) from tidings.deliveries d where d.notification_id = n.id)
            and exists (select from tidings.inbox i where i.notification_id = n.id and i.tenant = n.tenant and i.recipient_id = n.recipient_id)
        order by n.id desc limit 1;
        if model.id is null then raise exception 'there is no notification to copy: none has two ended deliveries and an inbox entry'; end if;
        create table tidings_fill.model as select (model).*, i.content_hash, i.key,
            -- The salt separates the ids of this fill from those of another fill.
            left(md5(clock_timestamp()::text), 6) as salt from tidings.idempotency_keys i
            where i.notification_id = model.id limit 1;
        create table tidings_fill.model_deliveries as select * from tidings.deliveries where notification_id = model.id;
        create table tidings_fill.days (day date primary key, intents bigint not null, done_at timestamptz);
        -- Filled in the order of time and indexed at the end, because keys have no order.
        create table tidings_fill.idempotency (like tidings.idempotency) partition by hash (key);
        for i in 0..7 loop
            execute format('create table tidings_fill.idempotency_%s partition of tidings_fill.idempotency
                for values with (modulus 8, remainder %s)', i, i);
        end loop;
        -- Filled and indexed in the same way, because people have no order either.
        create table tidings_fill.inbox (like tidings.inbox) partition by hash (tenant, recipient_id);
        for i in 0..15 loop
            execute format('create table tidings_fill.inbox_%s partition of tidings_fill.inbox
                for values with (modulus 16, remainder %s) with (fillfactor = 90)', i, i);
        end loop;
    end if;
    if exists (select from tidings_fill.model where key <> tidings_fill.key(tenant, source, event_id, recipient_id)) then
        raise exception 'the router now makes its idempotency keys in another way: correct tidings_fill.key';
    end if;
    return (select id::text from tidings_fill.model);
end $$;

-- Distributes the intents over the last 30 days; today ends at the current time. Later calls continue with the same days.
create or replace function tidings_fill.plan(total bigint) returns void language plpgsql as $$
declare
    today constant timestamptz := date_trunc('day', tidings.clock() at time zone 'UTC') at time zone 'UTC';
begin
    if exists (select from tidings_fill.days) then
        if (select sum(intents) from tidings_fill.days) <> total then
            raise exception 'an earlier run began with % deliveries', (select sum(intents) * 2 from tidings_fill.days)
                using hint = 'request the same number, or begin again: drop schema tidings_fill cascade';
        end if;
        return;
    end if;
    perform tidings.ensure_partitions(29, 7);
    insert into tidings_fill.days (day, intents)
    select (today at time zone 'UTC')::date - back, total / 30 + case when back < total % 30 then 1 else 0 end from generate_series(0, 29) back;
end $$;

-- Puts a filled table in the place of a partition. Rows of the old partition are copied into the new one.
create or replace function tidings_fill.put(parent text, suffix text, low uuid, high uuid) returns void language plpgsql as $$
declare
    child constant text := parent || '_p' || suffix;
begin
    execute format('lock table tidings.%I in access exclusive mode', parent);
    execute format('insert into tidings_fill.%I select * from tidings.%I', child, child);
    execute format('alter table tidings.%I detach partition tidings.%I', parent, child);
    execute format('drop table tidings.%I', child);
    execute format('alter table tidings_fill.%I set schema tidings', child);
    execute format('alter table tidings.%I attach partition tidings.%I for values from (%L) to (%L)', parent, child, low, high);
    execute format('alter table tidings.%I drop constraint in_its_day', child);
end $$;

create or replace function tidings_fill.index(parent text, suffix text) returns void language plpgsql as $$
declare
    child constant text := parent || '_p' || suffix;
    wanted record;
    built regclass;
begin
    for wanted in
        select coalesce(
                (select format('alter table tidings_fill.%I add %s', child, pg_get_constraintdef(c.oid))
                    from pg_constraint c where c.conindid = i.indexrelid and c.contype = 'p' and c.conrelid = i.indrelid),
                regexp_replace(pg_get_indexdef(i.indexrelid), ' INDEX .* USING ', format(' INDEX ON tidings_fill.%I USING ', child))) as definition,
            -- Only ids arrive in their order. Fill the remaining indexes only to 70 percent, as single inserts would leave them. A full
            -- index would split nearly every page during the next tenth of its size.
            case when a.attname in ('id', 'notification_id') then '' else ' with (fillfactor = 70)' end as fullness
        from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
        where i.indrelid = ('tidings.' || parent)::regclass
    loop
        execute wanted.definition || wanted.fullness;
    end loop;
    for built in select i.indexrelid::regclass from pg_index i where i.indrelid = format('tidings_fill.%I', child)::regclass loop
        execute format('alter index %s reset (fillfactor)', built);
    end loop;
end $$;

-- Makes the empty tables of a day, in a transaction of their own: "like" locks the original tables until the transaction ends.
create or replace function tidings_fill.prepare(day_ date) returns void language plpgsql as $$
declare
    low constant uuid := tidings.first_id(day_::timestamp at time zone 'UTC');
    high constant uuid := tidings.first_id((day_ + 1)::timestamp at time zone 'UTC');
    parent text;
    keyed_by text;
begin
    if exists (select from tidings_fill.days where day = day_ and done_at is not null) then return; end if;
    -- A run that continues much later may find the day past retention, without partitions.
    if to_regclass('tidings.notifications_p' || to_char(day_, 'YYYYMMDD')) is null then
        perform tidings.ensure_partitions((tidings.clock() at time zone 'UTC')::date - day_, 7);
    end if;
    foreach parent in array array['notifications', 'deliveries'] loop
        keyed_by := case parent when 'notifications' then 'id' else 'notification_id' end;
        execute format('create table if not exists tidings_fill.%I (like tidings.%I including defaults including storage,
            constraint in_its_day check (%I >= %L and %I < %L))', parent || '_p' || to_char(day_, 'YYYYMMDD'), parent, keyed_by, low, keyed_by, high);
    end loop;
end $$;

create or replace function tidings_fill.fill(day_ date, people bigint) returns void language plpgsql as $$
declare
    suffix constant text := to_char(day_, 'YYYYMMDD');
    starts constant timestamptz := day_::timestamp at time zone 'UTC';
    low constant uuid := tidings.first_id(starts);
    high constant uuid := tidings.first_id((day_ + 1)::timestamp at time zone 'UTC');
    seconds constant float8 := greatest(1, extract(epoch from least(starts + interval '1 day', tidings.clock() - interval '1 minute') - starts));
    total bigint;
    parent text;
begin
    select intents into total from tidings_fill.days where day = day_ and done_at is null for update;
    if total is null then return; end if;
    -- Delete the rows of an earlier, interrupted try.
    execute format('truncate tidings_fill.notifications_p%1$s, tidings_fill.deliveries_p%1$s', suffix);
    set local work_mem = '64MB';
    set local maintenance_work_mem = '512MB';
    set local synchronous_commit = off;
    execute format($sql$
        insert into tidings_fill.notifications_p%1$s (id, tenant, source, event_id, recipient_id, type, category, lane, title, body, data,
            group_key, collapse_key, content_fields, market, critical, channels, scheduled_for, expires_at, accepted_at, traceparent, planned,
            decision, catalogue)
        select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || right(to_hex(4096 + n %% 4096), 3)
                || '8' || left(md5(m.salt || %1$L || n), 15))::uuid,
            m.tenant, '/fill', %1$L || '-' || m.salt || '-' || n, 'person-' || (n::bigint * 7919) %% %2$s, m.type, m.category, m.lane, m.title, m.body, m.data,
            m.group_key, m.collapse_key, m.content_fields, m.market, m.critical, m.channels, m.scheduled_for, at + (m.expires_at - m.accepted_at), at,
            m.traceparent, m.planned, m.decision, m.catalogue
        from tidings_fill.model m, generate_series(0, %3$s - 1) n, lateral (select %4$L::timestamptz + n * interval '1 second' * %5$L::float8) as t(at)
        $sql$, suffix, people, total, starts, seconds / total);
    execute format($sql$
        insert into tidings_fill.deliveries_p%1$s (notification_id, ordinal, tenant, channel, provider, endpoint, state, reason, attempts,
            provider_message_id, ended_at)
        select n.id, d.ordinal, d.tenant, d.channel, d.provider, d.endpoint, d.state, d.reason, d.attempts, d.provider_message_id,
            n.accepted_at + (d.ended_at - m.accepted_at)
        from tidings_fill.model m, tidings_fill.notifications_p%1$s n, tidings_fill.model_deliveries d
        $sql$, suffix);
    execute format($sql$
        insert into tidings_fill.inbox (tenant, recipient_id, notification_id, position, type, category, title, body, data, image_url, group_key,
            scheduled_for, created_at)
        select tenant, recipient_id, id, (extract(epoch from accepted_at) * 1000)::bigint, type, category, title, body, data,
            content_fields::json ->> 'imageURL', group_key, scheduled_for, accepted_at
        from tidings_fill.notifications_p%1$s
        $sql$, suffix);
    execute format($sql$
        insert into tidings_fill.idempotency
        select tidings_fill.key(n.tenant, n.source, n.event_id, n.recipient_id), n.id, m.content_hash
        from tidings_fill.notifications_p%1$s n, tidings_fill.model m
        $sql$, suffix);
    foreach parent in array array['notifications', 'deliveries'] loop perform tidings_fill.index(parent, suffix); end loop;

    insert into tidings.tally (kind, n)
    select kind, n from tidings_fill.model, lateral (values ('taken', total), ('accepted', total), ('planned', total * planned)) as t(kind, n);
    insert into tidings.tally (kind, tenant, channel, state, reason, n)
    select 'ended', tenant, channel, state, reason, total * count(*) from tidings_fill.model_deliveries group by 1, 2, 3, 4, 5;
    update tidings_fill.days set done_at = clock_timestamp() where day = day_;
    foreach parent in array array['notifications', 'deliveries'] loop
        perform tidings_fill.put(parent, suffix, low, high);
    end loop;
end $$;

-- Detaches the parts of a table after the last day, so that two of them can be indexed at a time. The parent is idempotency or inbox.
create or replace function tidings_fill.part(parent text) returns void language plpgsql as $$
declare
    child record;
begin
    if exists (select from tidings_fill.days where done_at is null) then raise exception 'not every day is filled'; end if;
    for child in select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = to_regclass('tidings_fill.' || parent)
    loop
        execute format('alter table tidings_fill.%I detach partition tidings_fill.%I', parent, child.relname);
    end loop;
end $$;

-- Indexes one of these tables and puts it in the place of Tidings' own partition. Rows of the old partition are copied into the new one.
create or replace function tidings_fill.put_keys(part integer) returns void language plpgsql as $$
declare
    child constant text := 'idempotency_' || part;
begin
    if to_regclass('tidings_fill.' || child) is null then return; end if;
    set local maintenance_work_mem = '512MB';
    -- Keys arrive in no order either.
    execute format('alter table tidings_fill.%I add primary key (key) with (fillfactor = 70)', child);
    execute format('alter index tidings_fill.%I reset (fillfactor)', child || '_pkey');
    execute format('create index on tidings_fill.%I using brin (notification_id) with (autosummarize = on)', child);
    lock table tidings.idempotency in access exclusive mode;
    execute format('insert into tidings_fill.%I select * from tidings.%I', child, child);
    execute format('alter table tidings.idempotency detach partition tidings.%I', child);
    execute format('drop table tidings.%I', child);
    execute format('alter table tidings_fill.%I set schema tidings', child);
    execute format('alter table tidings.idempotency attach partition tidings.%I for values with (modulus 8, remainder %s)', child, part);
end $$;

-- The same for one part of the inbox. The people of the part get their counts.
create or replace function tidings_fill.put_inbox(part integer) returns void language plpgsql as $$
declare
    child constant text := 'inbox_' || part;
begin
    if to_regclass('tidings_fill.' || child) is null then return; end if;
    set local maintenance_work_mem = '512MB';
    execute format('alter table tidings_fill.%I add primary key (tenant, recipient_id, notification_id) with (fillfactor = 70)', child);
    execute format('alter index tidings_fill.%I reset (fillfactor)', child || '_pkey');
    execute format('create unique index on tidings_fill.%I (tenant, recipient_id, position) with (fillfactor = 70)
        where deleted_at is null and snoozed_until is null', child);
    execute format('create index %I on tidings_fill.%I ((greatest(created_at, scheduled_for, woken_at)))
        where deleted_at is null and snoozed_until is null', child || '_kept_since_idx', child);
    lock table tidings.inbox in access exclusive mode;
    execute format('insert into tidings_fill.%I select * from tidings.%I', child, child);
    execute format('alter table tidings.inbox detach partition tidings.%I', child);
    execute format('drop table tidings.%I', child);
    execute format('alter table tidings_fill.%I set schema tidings', child);
    execute format('alter table tidings.inbox attach partition tidings.%I for values with (modulus 16, remainder %s)', child, part);
    execute format('insert into tidings.inboxes as b (tenant, recipient_id, position, forgotten, total, unread, snoozed)
        select tenant, recipient_id, max(greatest(position, changed)), 0, count(*) filter (where listed),
            count(*) filter (where listed and read_at is null and dismissed_at is null),
            count(*) filter (where deleted_at is null and snoozed_until is not null)
        from tidings.%I, lateral (select deleted_at is null and snoozed_until is null as listed) l group by tenant, recipient_id
        on conflict (tenant, recipient_id) do update set position = greatest(b.position, excluded.position), total = excluded.total,
            unread = excluded.unread, snoozed = excluded.snoozed', child);
end $$;

-- Returns the number of deliveries of the days that are filled and not yet past retention.
create or replace function tidings_fill.stored() returns bigint language sql as $$
    select coalesce(sum(intents) * 2, 0)::bigint from tidings_fill.days
    where done_at is not null and to_regclass('tidings.notifications_p' || to_char(day, 'YYYYMMDD')) is not null
$$;

create or replace function tidings_fill.people(people bigint) returns void language sql as $$
    insert into tidings.recipients (tenant, id, time_zone, changed_at)
    select m.tenant, 'person-' || n, (array['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Tokyo'])[n % 4 + 1], tidings.clock()
    from tidings_fill.model m, generate_series(0, people - 1) n
    on conflict do nothing
$$;
