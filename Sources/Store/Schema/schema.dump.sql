-- baseline 113

CREATE SCHEMA tidings;

COMMENT ON SCHEMA tidings IS 'Private tables of Tidings, which change. Read tidings_ops instead: it is the contract.';

CREATE SCHEMA tidings_api;

COMMENT ON SCHEMA tidings_api IS 'Functions that producers call inside their own transaction.';

CREATE SCHEMA tidings_ops;

COMMENT ON SCHEMA tidings_ops IS 'Views of everything that happened, with reasons: the contract for operators. Columns are only ever added.';

CREATE TABLE tidings.queue_samples (
    queue text NOT NULL,
    ready bigint NOT NULL,
    consumers integer NOT NULL,
    sampled_at timestamp with time zone NOT NULL,
    earlier_ready bigint,
    earlier_at timestamp with time zone,
    waiting_since timestamp with time zone
);

CREATE FUNCTION tidings.clears_at(s tidings.queue_samples) RETURNS timestamp with time zone
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ select case when s.ready = 0 then s.sampled_at when tidings.drained_per_second(s) > 0
        then s.sampled_at + make_interval(secs => (s.ready / tidings.drained_per_second(s))::float8) end $$;

CREATE FUNCTION tidings.clock() RETURNS timestamp with time zone
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ select statement_timestamp() + (select shift from tidings.clock_offset) $$;

COMMENT ON FUNCTION tidings.clock() IS 'Business time: the database''s clock, shifted only in tests.';

CREATE FUNCTION tidings.drained_per_second(s tidings.queue_samples) RETURNS numeric
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ select round((s.earlier_ready - s.ready) / nullif(extract(epoch from s.sampled_at - s.earlier_at), 0), 1) $$;

CREATE FUNCTION tidings.ensure_partitions(days_back integer, days_ahead integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    parent text;
    child text;
    day date;
    made integer := 0;
    today date := (tidings.clock() at time zone 'UTC')::date;
    keys constant text[] := array['notifications:id', 'decisions:notification_id', 'deliveries:notification_id',
                                  'attempts:notification_id', 'reports:notification_id'];
begin
    perform pg_advisory_xact_lock(hashtextextended('tidings.partitions', 0));
    foreach parent in array keys loop
        for offset_days in -days_back..days_ahead loop
            day := today + offset_days;
            child := format('%s_p%s', split_part(parent, ':', 1), to_char(day, 'YYYYMMDD'));
            if to_regclass('tidings.' || child) is null then
                execute format('create table tidings.%I (like tidings.%I including all)', child, split_part(parent, ':', 1));
                execute format('alter table tidings.%I attach partition tidings.%I for values from (%L) to (%L)',
                    split_part(parent, ':', 1), child, tidings.first_id(day::timestamp at time zone 'UTC'),
                    tidings.first_id((day + 1)::timestamp at time zone 'UTC'));
                made := made + 1;
            end if;
        end loop;
    end loop;
    return made;
end $$;

COMMENT ON FUNCTION tidings.ensure_partitions(days_back integer, days_ahead integer) IS 'Makes the missing daily partitions, from days_back days ago to days_ahead days ahead. Returns the number of partitions it made.';

CREATE FUNCTION tidings.expire_partitions(retention interval) RETURNS SETOF text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    child record;
    day date;
    low uuid;
    high uuid;
begin
    for child in
        select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'tidings.notifications'::regclass and c.relname ~ '_p\d{8}$' order by c.relname
    loop
        day := to_date(right(child.relname, 8), 'YYYYMMDD');
        -- Begin to look a day early, so that no delivery ends unseen between two looks.
        continue when (day + 1)::timestamp at time zone 'UTC' > tidings.clock() - retention + interval '1 day';
        low := tidings.first_id(day::timestamp at time zone 'UTC');
        high := tidings.first_id((day + 1)::timestamp at time zone 'UTC');
        if exists (select from tidings.due where notification_id >= low and notification_id < high)
            or exists (select from tidings.packs p, unnest(p.notification_ids) n where n >= low and n < high)
        then
            insert into tidings.kept_days (date, needed_at) values (day, tidings.clock())
                on conflict (date) do update set needed_at = excluded.needed_at;
            continue;
        end if;
        continue when (day + 1)::timestamp at time zone 'UTC' > tidings.clock() - retention
            or exists (select from tidings.kept_days k where k.date = day and k.needed_at > tidings.clock() - retention);
        execute format('drop table tidings.notifications_p%s, tidings.decisions_p%1$s, tidings.deliveries_p%1$s,
            tidings.attempts_p%1$s, tidings.reports_p%1$s', right(child.relname, 8));
        delete from tidings.kept_days k where k.date = day;
        return next child.relname;
    end loop;
end $_$;

COMMENT ON FUNCTION tidings.expire_partitions(retention interval) IS 'Drops the days past retention. Keeps a day while a pack or a due row refers to one of its notifications, and for the retention afterwards. Returns the dropped partitions of tidings.notifications.';

CREATE FUNCTION tidings.first_id(at timestamp with time zone) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid $$;

COMMENT ON FUNCTION tidings.first_id(at timestamp with time zone) IS 'The smallest UUIDv7 of a moment. A UUIDv7 that is equal or larger was made at that moment or later.';

CREATE FUNCTION tidings.has_long_number(data jsonb) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
    select exists (select from jsonb_path_query(data, 'strict $.** ? (@.type() == "number")') n where octet_length(n::text) > 1000)
$_$;

CREATE FUNCTION tidings.id_time(id uuid) RETURNS timestamp with time zone
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ select to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0) $$;

COMMENT ON FUNCTION tidings.id_time(id uuid) IS 'The moment at which a UUIDv7 was made, to the millisecond.';

CREATE FUNCTION tidings.note_catalogue_use() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    if tg_op = 'UPDATE' then
        update tidings.catalogues set used_at = tidings.clock() where hash in (old.hash, new.hash);
    else
        update tidings.catalogues set used_at = tidings.clock() where hash = new.hash;
    end if;
    return null;
end $$;

CREATE FUNCTION tidings.person_hash(tenant text, recipient text) RETURNS bytea
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ select sha256(k.key || sha256(k.key || convert_to(tenant || '/' || recipient, 'UTF8'))) from tidings.erasure_key k $$;

COMMENT ON FUNCTION tidings.person_hash(tenant text, recipient text) IS 'The keyed hash of a person, by which a tombstone is found.';

CREATE FUNCTION tidings.record_activation() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
    previous text;
begin
    if tg_op = 'UPDATE' then previous := old.hash; end if;
    if new.hash is distinct from previous and new.hash is distinct from
        (select h.hash from tidings.catalogue_history h order by h.id desc limit 1)
    then
        insert into tidings.catalogue_history (hash, replaced, activated_at, action, author, database_role)
            values (new.hash, previous, tidings.clock(), 'apply', session_user, session_user);
    end if;
    return null;
end $$;

CREATE FUNCTION tidings.refuse_claim() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    if current_setting('tidings.moves_keys', true) is distinct from 'on' then
        raise exception 'keys are claimed in tidings.idempotency_recent: stop this router, it is of an earlier build'
            using errcode = 'serialization_failure';
    end if;
    return null;
end $$;

CREATE FUNCTION tidings.token_hash(token text) RETURNS bytea
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ select sha256(convert_to(token, 'UTF8')) $$;

CREATE FUNCTION tidings_api.enqueue(type text, recipient text, data jsonb DEFAULT '{}'::jsonb, key text DEFAULT NULL::text, send_at timestamp with time zone DEFAULT NULL::timestamp with time zone, title text DEFAULT NULL::text, body text DEFAULT NULL::text, channels text[] DEFAULT NULL::text[], source text DEFAULT '/sql'::text, tenant text DEFAULT 'default'::text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    event_id text := coalesce(enqueue.key, gen_random_uuid()::text);
    built text;
    data_text text := enqueue.data::text;
    problem text := case
        when event_id = '' then 'key is empty'
        when octet_length(event_id) > 256 then 'key has more than 256 bytes'
        when coalesce(enqueue.source, '') = '' then 'source is empty'
        when octet_length(enqueue.source) > 512 then 'source has more than 512 bytes'
        when enqueue.source ~ '[\u0001-\u0020\u007f]' then 'source has a space or a control character'
        when coalesce(enqueue.type, '') = '' then 'type is empty'
        when octet_length(enqueue.type) > 200 then 'type has more than 200 bytes'
        when coalesce(enqueue.recipient, '') !~ '[^\u0001-\u0020]' then 'recipient is empty'
        when octet_length(enqueue.recipient) > 256 then 'recipient has more than 256 bytes'
        when enqueue.recipient ~ '[\u0001-\u001f\u007f]' then 'recipient has a control character'
        when enqueue.tenant !~ '^[A-Za-z0-9_-]{1,64}$' then 'tenant must have 1 to 64 letters, digits, "_" and "-"'
        when jsonb_typeof(enqueue.data) not in ('object', 'null') then 'data must be an object, not ' || jsonb_typeof(enqueue.data)
        -- Arrays and objects of the event may be 64 deep, and data is the third.
        when octet_length(data_text) > 124
                and jsonb_path_exists(enqueue.data, 'strict $.**{62 to last} ? (@.type() == "object" || @.type() == "array")')
            then 'data is nested more than 62 deep'
        when octet_length(data_text) > 1000 and data_text ~ '[0-9.]{200}' and tidings.has_long_number(enqueue.data)
            then 'a number in data has more than 1000 digits'
        when cardinality(enqueue.channels) = 0 then 'channels names no channel; leave it out to let the catalogue choose'
        when array_ndims(enqueue.channels) > 1 then 'channels must be a list, not a table'
        when not enqueue.channels <@ '{push,local,inApp,email,sms,webPush,webhook}'::text[]
            then 'channels names an unknown channel: ' || array_to_string(enqueue.channels, ', ', 'null')
        when not isfinite(enqueue.send_at) then 'send_at is not a time'
        when enqueue.send_at > tidings.clock() + interval '17520 hours' then 'send_at is more than 730 days ahead'
        when enqueue.send_at < tidings.clock() - interval '24 hours' then 'send_at is more than a day ago'
    end;
begin
    if problem is null then
        built :=
            json_build_object('specversion', '1.0', 'id', event_id, 'source', enqueue.source, 'type', enqueue.type,
                'data', (select json_object_agg(member, value) from (values
                    ('recipient', to_json(enqueue.recipient)), ('tenant', to_json(enqueue.tenant)),
                    ('title', to_json(enqueue.title)), ('body', to_json(enqueue.body)),
                    ('channels', to_json(enqueue.channels)), ('data', data_text::json),
                    ('scheduledFor', to_json(to_char(enqueue.send_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')))
                ) as members(member, value) where value is not null))::text;
        if octet_length(built) > 262144 then problem := 'the event has more than 256 KiB'; end if;
    end if;
    if problem is not null then raise exception 'tidings_api.enqueue: %', problem using errcode = '22023'; end if;
    if exists (select from tidings.active_catalogue a join tidings.catalogue_types t on t.hash = a.hash
        where not enqueue.type = any(t.types))
    then
        raise exception 'tidings_api.enqueue: the catalogue has no type "%"', enqueue.type
            using errcode = '22023', hint = 'Correct the name, or declare the type with "tidings catalogue apply".';
    end if;
    -- session_user is the login of the caller. Inside this function current_user is the owner.
    insert into tidings.outgoing (type, event, created_at, producer, event_id)
        values (enqueue.type, built, tidings.clock(), session_user::text, event_id);
    return event_id;
end $_$;

COMMENT ON FUNCTION tidings_api.enqueue(type text, recipient text, data jsonb, key text, send_at timestamp with time zone, title text, body text, channels text[], source text, tenant text) IS 'Sends a notification if and only if the calling transaction commits. Returns the event id. Two calls with the same key send one notification.';

CREATE FUNCTION tidings_api.rejected(source text, since timestamp with time zone DEFAULT NULL::timestamp with time zone) RETURNS TABLE(rejected_id bigint, event_id text, type text, reason_code text, what_to_do text, pointer text, message text, occurrences bigint, first_at timestamp with time zone, last_at timestamp with time zone, state text, verified boolean)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select r.id, r.event_id, r.type, r.reason, c.what_to_do, r.pointer, r.message, r.occurrences, r.at, r.last_at, r.state,
        r.verified
    from (select * from tidings.rejected k where k.source = rejected.source order by k.id desc limit 10000) r
    left join tidings.reason_codes c on c.code = r.reason
    left join (
        select t.producer_tenants as of_producers from tidings.active_catalogue a join tidings.catalogue_types t on t.hash = a.hash
    ) tenants on true
    where r.last_at >= coalesce(rejected.since, tidings.clock() - interval '1 day')
        and (r.producer in (session_user::text, 'db:' || session_user::text)
            or r.producer is null and (tenants.of_producers is null or (tenants.of_producers -> session_user::text) ? r.tenant
                or coalesce(tenants.of_producers -> ('db:' || session_user::text), '["default"]') ? r.tenant))
    order by r.last_at desc, r.id desc limit 1000
$$;

COMMENT ON FUNCTION tidings_api.rejected(source text, since timestamp with time zone) IS 'Refused events of a source, newest first, at most 1,000, by default of the last day. Returns events that this login published, by enqueue or over AMQP with the same user name, and events whose publisher is not known. If the catalogue names producers, the latter are only those of tenants that this login may name. what_to_do has the next step for each reason. verified is false if the event is broken, or if its publisher may not name this source: anybody may have written it.';

CREATE FUNCTION tidings_ops.explain(notification uuid) RETURNS TABLE(at timestamp with time zone, actor text, channel text, verdict text, reason_code text, what_to_do text, detail text, ordinal smallint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
        select t.at, t.actor, t.channel, t.event, t.reason_code, r.what_to_do, t.summary, t.ordinal
        from tidings_ops.timeline t left join tidings.reason_codes r on r.code = t.reason_code
        where t.notification_id = notification
        order by t.at, t.ordinal nulls first
    $$;

COMMENT ON FUNCTION tidings_ops.explain(notification uuid) IS 'Each step of one notification, in order, with its reason and the next step for an operator or a producer.';

CREATE FUNCTION tidings_ops.find(anything text) RETURNS TABLE(kind text, id text, matched_on text, at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    AS $_$
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
end $_$;

COMMENT ON FUNCTION tidings_ops.find(anything text) IS 'Finds the record of any id: a notification, a delivery, an event, a provider''s idempotency key, a device or its token. A token is found in the form that is stored: of APNs in lower case, of a browser the endpoint alone. For a recipient, also as tenant/recipient, it returns the latest notifications and the latest refused events too. A trace id and a provider''s own message id have no index.';

CREATE FUNCTION tidings_ops.find_enqueued(anything text) RETURNS TABLE(id text, type text, producer text, enqueued_at timestamp with time zone, attempts integer)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select o.id::text, o.type, o.producer, o.created_at, o.attempts from tidings.outgoing o
    where o.event_id = anything or (o.event_id is null and o.event::json ->> 'id' = anything)
    order by o.created_at limit 20
$$;

COMMENT ON FUNCTION tidings_ops.find_enqueued(anything text) IS 'The events with this event id that tidings_api.enqueue has taken and that no release role has published yet. Reads the whole outbox.';

CREATE FUNCTION tidings_ops.kept_since() RETURNS timestamp with time zone
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
    select max(d.day) filter (where not d.follows)::timestamp at time zone 'UTC' from (
        select k.day, coalesce(lag(k.day) over (order by k.day) = k.day - 1, false) as follows from (
            select to_date(right(c.relname, 8), 'YYYYMMDD') as day
            from pg_inherits i join pg_class c on c.oid = i.inhrelid
            where i.inhparent = 'tidings.notifications'::regclass and c.relname ~ '_p\d{8}$'
        ) k where k.day <= (tidings.clock() at time zone 'UTC')::date
    ) d
$_$;

COMMENT ON FUNCTION tidings_ops.kept_since() IS 'The time from which on every accepted notification is kept. Earlier days are past retention, or before the installation.';

CREATE FUNCTION tidings_ops.promised(notification uuid) RETURNS TABLE(notification_id uuid, tenant text, source text, idempotency_key text, reserved_at timestamp with time zone, state text, reason_code text, cancelled_at timestamp with time zone, rejected_id bigint, pointer text, message text, what_to_do text, decided_as uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION tidings_ops.promised(notification uuid) IS 'The state of an id that the HTTP API promised: accepted, decided, cancelled or rejected. A refused or cancelled event has its reason and the next step. decided_as is the notification of a decided event, which may have another id. Also the id of any notification whose person was erased, with the state erased. No row: the API has not promised the id, or the row is past its retention.';

CREATE FUNCTION tidings_ops.reconcile(source text, event_ids text[], since timestamp with time zone, tenant text DEFAULT NULL::text) RETURNS TABLE(event_id text, state text, notifications bigint, rejected_id bigint, reason_code text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION tidings_ops.reconcile(source text, event_ids text[], since timestamp with time zone, tenant text) IS 'Compares event ids of a source with the records since a time. state is accepted (it has notifications, one for each recipient), enqueued (tidings_api.enqueue took it and no release role has published it yet), rejected (see rejected_id and reason_code) or missing. A missing event may still wait at the broker. Give at most some thousand ids at once. Null for any tenant.';

CREATE TABLE tidings.active_catalogue (
    only_row boolean DEFAULT true NOT NULL,
    hash text NOT NULL,
    CONSTRAINT active_catalogue_only_row_check CHECK (only_row)
);

CREATE TABLE tidings.addresses (
    tenant text NOT NULL,
    recipient_id text NOT NULL,
    id text DEFAULT (gen_random_uuid())::text NOT NULL,
    kind text NOT NULL,
    value text NOT NULL,
    identity text NOT NULL,
    secrets text[] DEFAULT '{}'::text[] NOT NULL,
    source text NOT NULL,
    consent text DEFAULT 'unknown'::text NOT NULL,
    consent_at timestamp with time zone,
    verified_at timestamp with time zone,
    suppressed_at timestamp with time zone,
    suppressed_until timestamp with time zone,
    suppressed_because text,
    created_at timestamp with time zone NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    CONSTRAINT addresses_consent_check CHECK ((consent = ANY (ARRAY['granted'::text, 'denied'::text, 'unknown'::text]))),
    CONSTRAINT addresses_consent_time CHECK (((consent = 'unknown'::text) OR (consent_at IS NOT NULL))),
    CONSTRAINT addresses_kind_check CHECK ((kind = ANY (ARRAY['email'::text, 'sms'::text, 'webhook'::text]))),
    CONSTRAINT addresses_suppression CHECK (((suppressed_at IS NULL) = (suppressed_because IS NULL))),
    CONSTRAINT addresses_suppression_end CHECK (((suppressed_until IS NULL) OR (suppressed_at IS NOT NULL))),
    CONSTRAINT addresses_webhook CHECK (((kind = 'webhook'::text) = (id = 'webhook'::text)))
);

ALTER TABLE ONLY tidings.addresses FORCE ROW LEVEL SECURITY;

CREATE TABLE tidings.api_keys (
    id text NOT NULL,
    name text NOT NULL,
    tenant text NOT NULL,
    scopes text[] NOT NULL,
    secret_hash bytea NOT NULL,
    former_hash bytea,
    former_until timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    created_by text NOT NULL,
    rotated_at timestamp with time zone,
    rotated_by text,
    last_used_at timestamp with time zone,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    revoked_by text,
    CONSTRAINT api_keys_former_hash_check CHECK ((octet_length(former_hash) = 32)),
    CONSTRAINT api_keys_id_check CHECK ((id ~ '^[0-9a-f]{16}$'::text)),
    CONSTRAINT api_keys_secret_hash_check CHECK ((octet_length(secret_hash) = 32))
)
WITH (fillfactor='50');

CREATE TABLE tidings.attempts (
    notification_id uuid NOT NULL,
    ordinal smallint NOT NULL,
    attempt smallint NOT NULL,
    channel text NOT NULL,
    provider text NOT NULL,
    outcome text NOT NULL,
    reason text NOT NULL,
    status integer,
    detail text,
    possible_duplicate boolean DEFAULT false NOT NULL,
    late boolean DEFAULT false NOT NULL,
    idempotency_key text NOT NULL,
    worker text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone NOT NULL
)
PARTITION BY RANGE (notification_id);

CREATE TABLE tidings.catalogue_history (
    id bigint NOT NULL,
    hash text NOT NULL,
    replaced text,
    activated_at timestamp with time zone NOT NULL,
    action text NOT NULL,
    author text NOT NULL,
    database_role text NOT NULL,
    reason text,
    CONSTRAINT catalogue_history_action_check CHECK ((action = ANY (ARRAY['start'::text, 'apply'::text, 'rollback'::text])))
);

ALTER TABLE tidings.catalogue_history ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME tidings.catalogue_history_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE tidings.catalogue_types (
    hash text NOT NULL,
    types text[] NOT NULL,
    producer_tenants jsonb
);

CREATE TABLE tidings.catalogues (
    hash text NOT NULL,
    yaml text NOT NULL,
    applied_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone DEFAULT tidings.clock() NOT NULL
);

CREATE TABLE tidings.clock_offset (
    only_row boolean DEFAULT true NOT NULL,
    shift interval DEFAULT '00:00:00'::interval NOT NULL,
    CONSTRAINT clock_offset_only_row_check CHECK (only_row)
);

CREATE TABLE tidings.database_timelines (
    system bigint NOT NULL,
    timeline bigint NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    seen_by text NOT NULL
);

CREATE TABLE tidings.dead (
    id bigint NOT NULL,
    fingerprint uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    queue text NOT NULL,
    reason text NOT NULL,
    message text NOT NULL,
    deaths bigint NOT NULL,
    exchange text NOT NULL,
    routing_key text NOT NULL,
    content_type text,
    headers text NOT NULL,
    raw bytea NOT NULL,
    size integer NOT NULL,
    state text DEFAULT 'open'::text NOT NULL,
    acted_at timestamp with time zone,
    producer text,
    replay_headers text DEFAULT '{}'::text,
    look_on date DEFAULT (((tidings.clock() AT TIME ZONE 'UTC'::text))::date + 30) NOT NULL,
    CONSTRAINT dead_state_check CHECK ((state = ANY (ARRAY['open'::text, 'trying'::text, 'replayed'::text, 'resolved'::text, 'quarantined'::text, 'discarded'::text])))
);

ALTER TABLE tidings.dead ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME tidings.dead_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE tidings.decisions (
    notification_id uuid NOT NULL,
    ordinal smallint NOT NULL,
    at timestamp with time zone NOT NULL,
    catalogue text NOT NULL,
    decision text NOT NULL,
    moved_from text,
    moved_because text
)
PARTITION BY RANGE (notification_id);

CREATE TABLE tidings.deliveries (
    notification_id uuid NOT NULL,
    ordinal smallint NOT NULL,
    tenant text NOT NULL,
    channel text NOT NULL,
    provider text NOT NULL,
    endpoint text,
    state text NOT NULL,
    reason text NOT NULL,
    attempts smallint NOT NULL,
    provider_message_id text,
    ended_at timestamp with time zone NOT NULL
)
PARTITION BY RANGE (notification_id);

CREATE TABLE tidings.due (
    notification_id uuid NOT NULL,
    ordinal smallint NOT NULL,
    lane text NOT NULL,
    due_at timestamp with time zone NOT NULL,
    kind text NOT NULL,
    tenant text NOT NULL,
    channel text NOT NULL,
    provider text NOT NULL,
    endpoint text,
    attempt smallint NOT NULL,
    reason text NOT NULL,
    since timestamp with time zone NOT NULL,
    pause_id bigint,
    CONSTRAINT due_kind_check CHECK ((kind = ANY (ARRAY['held'::text, 'retry'::text, 'recover'::text, 'escalation'::text, 'failover'::text, 'again'::text])))
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='2000', parallel_workers='0');

CREATE TABLE tidings.early_reports (
    provider text NOT NULL,
    reference text NOT NULL,
    key text NOT NULL,
    outcome text NOT NULL,
    reason text NOT NULL,
    told_at timestamp with time zone,
    received_at timestamp with time zone NOT NULL
);

CREATE TABLE tidings.endpoints (
    tenant text NOT NULL,
    recipient_id text NOT NULL,
    id text NOT NULL,
    channel text NOT NULL,
    provider text,
    address text NOT NULL,
    permission text DEFAULT 'authorized'::text NOT NULL,
    gone_at timestamp with time zone,
    changed_at timestamp with time zone NOT NULL,
    platform text,
    environment text,
    market text,
    time_zone text,
    locale text,
    app_version text,
    registered_at timestamp with time zone,
    gone_reason text,
    token_identity text
);

ALTER TABLE ONLY tidings.endpoints FORCE ROW LEVEL SECURITY;

CREATE TABLE tidings.reports (
    notification_id uuid NOT NULL,
    ordinal smallint NOT NULL,
    reporter text NOT NULL,
    key text NOT NULL,
    attempt smallint NOT NULL,
    channel text NOT NULL,
    provider text NOT NULL,
    outcome text NOT NULL,
    reason text NOT NULL,
    told_at timestamp with time zone,
    received_at timestamp with time zone NOT NULL,
    state_before text NOT NULL,
    reason_before text NOT NULL,
    state_after text NOT NULL,
    moved boolean NOT NULL
)
PARTITION BY RANGE (notification_id);

CREATE VIEW tidings.ends_of_calls AS
 SELECT d.notification_id,
    d.ordinal,
    d.channel,
    d.provider,
    COALESCE(r.state_before, d.state) AS state,
    COALESCE(r.reason_before, d.reason) AS reason,
    d.attempts,
    d.ended_at
   FROM (tidings.deliveries d
     LEFT JOIN tidings.reports r ON (((r.notification_id = d.notification_id) AND (r.ordinal = d.ordinal) AND (r.attempt = d.attempts) AND r.moved AND ((r.state_before = 'sent'::text) OR (r.reason_before = 'outcomeUnknown'::text)))));

CREATE TABLE tidings.engagement (
    tenant text NOT NULL,
    recipient_id text NOT NULL,
    notification_id uuid NOT NULL,
    key uuid NOT NULL,
    event text NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    told_at timestamp with time zone,
    received_at timestamp with time zone NOT NULL,
    device_id text,
    type text,
    provider text,
    market text NOT NULL,
    detail text
)
PARTITION BY HASH (tenant, recipient_id);

ALTER TABLE ONLY tidings.engagement FORCE ROW LEVEL SECURITY;

CREATE TABLE tidings.engagement_0 (
    tenant text NOT NULL,
    recipient_id text NOT NULL,
    notification_id uuid NOT NULL,
    key uuid NOT NULL,
    event text NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    told_at timestamp with time zone,
    received_at timestamp with time zone NOT NULL,
    device_id text,
    type text,
    provider text,
    market text NOT NULL,
    detail text
);

-- Partitions like engagement_0, with the same columns, indexes and rights: 1, 2, 3, 4, 5, 6, 7

CREATE TABLE tidings.engagement_days (
    tenant text NOT NULL,
    recipient_id text NOT NULL,
    day date NOT NULL,
    n integer NOT NULL
)
WITH (fillfactor='70');

ALTER TABLE ONLY tidings.engagement_days FORCE ROW LEVEL SECURITY;

CREATE TABLE tidings.engagement_tally (
    day date NOT NULL,
    tenant text NOT NULL,
    event text NOT NULL,
    type text NOT NULL,
    provider text NOT NULL,
    market text NOT NULL,
    n bigint NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='5000');

CREATE TABLE tidings.engagement_totals (
    day date NOT NULL,
    tenant text NOT NULL,
    event text NOT NULL,
    type text NOT NULL,
    provider text NOT NULL,
    market text NOT NULL,
    n bigint NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE tidings.erased_notifications (
    id uuid NOT NULL,
    tenant text NOT NULL,
    erased_at timestamp with time zone NOT NULL
);

CREATE TABLE tidings.erased_people (
    person_hash bytea NOT NULL,
    erasure uuid NOT NULL,
    erased_at timestamp with time zone NOT NULL
);

CREATE TABLE tidings.erasure_key (
    only_row boolean DEFAULT true NOT NULL,
    key bytea NOT NULL,
    CONSTRAINT erasure_key_key_check CHECK ((octet_length(key) = 32)),
    CONSTRAINT erasure_key_only_row_check CHECK (only_row)
);

CREATE TABLE tidings.erasure_mentions (
    erasure uuid NOT NULL,
    notification_id uuid NOT NULL
);

CREATE TABLE tidings.erasures (
    id uuid NOT NULL,
    tenant text NOT NULL,
    recipient_id text,
    state text DEFAULT 'running'::text NOT NULL,
    step text NOT NULL,
    requested_at timestamp with time zone NOT NULL,
    requested_by text NOT NULL,
    due_at timestamp with time zone NOT NULL,
    barrier xid8,
    "position" text DEFAULT ''::text NOT NULL,
    left_behind integer DEFAULT 0 NOT NULL,
    waits_for text,
    counts jsonb DEFAULT '{}'::jsonb NOT NULL,
    finished_at timestamp with time zone,
    readmitted_at timestamp with time zone,
    readmitted_by text,
    CONSTRAINT erasures_check CHECK ((((state = 'done'::text) = (recipient_id IS NULL)) AND ((state = 'done'::text) = (finished_at IS NOT NULL)))),
    CONSTRAINT erasures_state_check CHECK ((state = ANY (ARRAY['running'::text, 'done'::text])))
);

CREATE TABLE tidings.escalation_losses (
    notification_id uuid NOT NULL,
    noted_at timestamp with time zone NOT NULL
);

CREATE TABLE tidings.idempotency (
    key uuid NOT NULL,
    notification_id uuid NOT NULL,
    content_hash uuid NOT NULL
)
PARTITION BY HASH (key);

CREATE TABLE tidings.idempotency_0 (
    key uuid NOT NULL,
    notification_id uuid NOT NULL,
    content_hash uuid NOT NULL
);

-- Partitions like idempotency_0, with the same columns, indexes and rights: 1, 2, 3, 4, 5, 6, 7

CREATE TABLE tidings.idempotency_recent (
    key uuid NOT NULL,
    notification_id uuid NOT NULL,
    content_hash uuid NOT NULL
);

CREATE VIEW tidings.idempotency_keys AS
 SELECT idempotency_recent.key,
    idempotency_recent.notification_id,
    idempotency_recent.content_hash
   FROM tidings.idempotency_recent
UNION ALL
 SELECT idempotency.key,
    idempotency.notification_id,
    idempotency.content_hash
   FROM tidings.idempotency;

CREATE TABLE tidings.idempotent_requests (
    caller text NOT NULL,
    key text NOT NULL,
    fingerprint bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    notification_ids uuid[] NOT NULL
);

CREATE TABLE tidings.inbox (
    tenant text NOT NULL,
    recipient_id text NOT NULL,
    notification_id uuid NOT NULL,
    "position" bigint NOT NULL,
    changed bigint,
    type text NOT NULL,
    category text NOT NULL,
    title text,
    body text,
    data text NOT NULL,
    image_url text,
    group_key text,
    scheduled_for timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    seen_at timestamp with time zone,
    read_at timestamp with time zone,
    dismissed_at timestamp with time zone,
    deleted_at timestamp with time zone,
    snoozed_until timestamp with time zone,
    woken_at timestamp with time zone
)
PARTITION BY HASH (tenant, recipient_id);

ALTER TABLE ONLY tidings.inbox FORCE ROW LEVEL SECURITY;

CREATE TABLE tidings.inbox_0 (
    tenant text NOT NULL,
    recipient_id text NOT NULL,
    notification_id uuid NOT NULL,
    "position" bigint NOT NULL,
    changed bigint,
    type text NOT NULL,
    category text NOT NULL,
    title text,
    body text,
    data text NOT NULL,
    image_url text,
    group_key text,
    scheduled_for timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    seen_at timestamp with time zone,
    read_at timestamp with time zone,
    dismissed_at timestamp with time zone,
    deleted_at timestamp with time zone,
    snoozed_until timestamp with time zone,
    woken_at timestamp with time zone
)
WITH (fillfactor='90');

-- Partitions like inbox_0, with the same columns, indexes and rights: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15

CREATE TABLE tidings.inboxes (
    tenant text NOT NULL,
    recipient_id text NOT NULL,
    "position" bigint NOT NULL,
    forgotten bigint NOT NULL,
    total integer NOT NULL,
    unread integer NOT NULL,
    snoozed integer NOT NULL,
    wakes_at timestamp with time zone
)
WITH (fillfactor='70');

ALTER TABLE ONLY tidings.inboxes FORCE ROW LEVEL SECURITY;

CREATE TABLE tidings.kept_days (
    date date NOT NULL,
    needed_at timestamp with time zone NOT NULL
);

CREATE TABLE tidings.key_move (
    phase text NOT NULL,
    before uuid NOT NULL,
    "position" uuid NOT NULL,
    CONSTRAINT key_move_phase_check CHECK ((phase = ANY (ARRAY['waiting'::text, 'copying'::text, 'copied'::text, 'deleting'::text])))
);

CREATE TABLE tidings.liked_people (
    tenant text NOT NULL,
    recipient_id text NOT NULL,
    newest bigint NOT NULL
)
WITH (fillfactor='70');

ALTER TABLE ONLY tidings.liked_people FORCE ROW LEVEL SECURITY;

CREATE TABLE tidings.likes (
    tenant text NOT NULL,
    recipient_id text NOT NULL,
    liker_id text NOT NULL,
    "position" bigint NOT NULL,
    notification_id uuid NOT NULL,
    earlier_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    name text,
    photo_url text,
    server_is_blurred boolean NOT NULL,
    passed boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL
)
WITH (fillfactor='90');

ALTER TABLE ONLY tidings.likes FORCE ROW LEVEL SECURITY;

CREATE TABLE tidings.local_plans (
    tenant text NOT NULL,
    device_id text NOT NULL,
    version bigint DEFAULT 0 NOT NULL,
    acked_version bigint DEFAULT 0 NOT NULL,
    forgotten_version bigint DEFAULT 0 NOT NULL,
    synced_at timestamp with time zone,
    acked_at timestamp with time zone,
    woken_at timestamp with time zone
)
WITH (fillfactor='70');

ALTER TABLE ONLY tidings.local_plans FORCE ROW LEVEL SECURITY;

CREATE TABLE tidings.local_requests (
    tenant text NOT NULL,
    device_id text NOT NULL,
    notification_id uuid NOT NULL,
    ordinal smallint NOT NULL,
    recipient_id text NOT NULL,
    type text NOT NULL,
    market text,
    content text NOT NULL,
    collapse_key text,
    scheduled_for timestamp with time zone,
    expires_at timestamp with time zone NOT NULL,
    accepted_at timestamp with time zone NOT NULL,
    planned_at timestamp with time zone NOT NULL,
    in_plan boolean DEFAULT false NOT NULL,
    version bigint DEFAULT 0 NOT NULL,
    fires_at timestamp with time zone,
    zone text,
    confirmed_at timestamp with time zone,
    ends_as text,
    end_reason text
)
WITH (fillfactor='70');

ALTER TABLE ONLY tidings.local_requests FORCE ROW LEVEL SECURITY;

CREATE TABLE tidings.local_wakes (
    tenant text NOT NULL,
    device_id text NOT NULL,
    due_at timestamp with time zone NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='5000');

ALTER TABLE ONLY tidings.local_wakes FORCE ROW LEVEL SECURITY;

CREATE TABLE tidings.matches (
    tenant text NOT NULL,
    one_id text NOT NULL COLLATE pg_catalog."C",
    other_id text NOT NULL COLLATE pg_catalog."C",
    matched_at timestamp with time zone NOT NULL,
    CONSTRAINT matches_check CHECK ((one_id < other_id))
);

ALTER TABLE ONLY tidings.matches FORCE ROW LEVEL SECURITY;

CREATE TABLE tidings.message_references (
    provider text NOT NULL,
    reference text NOT NULL,
    notification_id uuid NOT NULL,
    ordinal smallint NOT NULL
);

CREATE TABLE tidings.migrations (
    number integer NOT NULL,
    name text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL,
    oldest_binary_schema integer
);

COMMENT ON COLUMN tidings.migrations.oldest_binary_schema IS 'A binary with an older schema than this does not start any more. Null: the step allows every binary.';

CREATE TABLE tidings.notifications (
    id uuid NOT NULL,
    tenant text NOT NULL,
    source text NOT NULL,
    event_id text NOT NULL,
    recipient_id text NOT NULL,
    type text NOT NULL,
    category text NOT NULL,
    lane text NOT NULL,
    title text,
    body text,
    data text NOT NULL,
    group_key text,
    collapse_key text,
    content_fields text,
    market text,
    critical boolean NOT NULL,
    channels text[],
    scheduled_for timestamp with time zone,
    expires_at timestamp with time zone NOT NULL,
    accepted_at timestamp with time zone NOT NULL,
    traceparent text,
    planned smallint NOT NULL,
    decision text NOT NULL,
    catalogue text NOT NULL
)
PARTITION BY RANGE (id);

CREATE TABLE tidings.outgoing (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    type text NOT NULL,
    event text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    producer text,
    event_id text
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='10000', autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='10000');

CREATE TABLE tidings.outgoing_claims (
    relay uuid NOT NULL,
    ids uuid[] NOT NULL,
    lease_until timestamp with time zone NOT NULL
)
WITH (fillfactor='40', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000');
ALTER TABLE ONLY tidings.outgoing_claims ALTER COLUMN ids SET STORAGE PLAIN;

CREATE VIEW tidings.own_addresses WITH (security_barrier='true') AS
 SELECT a.tenant,
    a.recipient_id,
    a.id,
    a.kind,
        CASE a.kind
            WHEN 'webhook'::text THEN "right"(a.value, 8)
            ELSE a.value
        END AS value,
    a.source,
    a.consent,
    a.consent_at,
    a.verified_at,
    a.suppressed_at,
    a.suppressed_until,
    a.suppressed_because,
    a.created_at,
    a.changed_at
   FROM tidings.addresses a
  WHERE ((a.tenant = current_setting('tidings.tenant'::text, true)) AND (a.recipient_id = current_setting('tidings.recipient'::text, true)));

CREATE VIEW tidings.own_attempts WITH (security_barrier='true') AS
 SELECT r.notification_id,
    r.ordinal,
    r.attempt,
    r.channel,
    r.provider,
    r.outcome,
    r.reason,
    r.status,
    r.detail,
    r.possible_duplicate,
    r.late,
    r.idempotency_key,
    r.worker,
    r.started_at,
    r.finished_at
   FROM tidings.attempts r
  WHERE (EXISTS ( SELECT
           FROM tidings.notifications n
          WHERE ((n.id = r.notification_id) AND (n.tenant = current_setting('tidings.tenant'::text, true)) AND (n.recipient_id = current_setting('tidings.recipient'::text, true)))
         OFFSET 0));

CREATE VIEW tidings.own_decisions WITH (security_barrier='true') AS
 SELECT r.notification_id,
    r.ordinal,
    r.at,
    r.catalogue,
    r.decision,
    r.moved_from,
    r.moved_because
   FROM tidings.decisions r
  WHERE (EXISTS ( SELECT
           FROM tidings.notifications n
          WHERE ((n.id = r.notification_id) AND (n.tenant = current_setting('tidings.tenant'::text, true)) AND (n.recipient_id = current_setting('tidings.recipient'::text, true)))
         OFFSET 0));

CREATE VIEW tidings.own_deliveries WITH (security_barrier='true') AS
 SELECT r.notification_id,
    r.ordinal,
    r.tenant,
    r.channel,
    r.provider,
    r.endpoint,
    r.state,
    r.reason,
    r.attempts,
    r.provider_message_id,
    r.ended_at
   FROM tidings.deliveries r
  WHERE (EXISTS ( SELECT
           FROM tidings.notifications n
          WHERE ((n.id = r.notification_id) AND (n.tenant = current_setting('tidings.tenant'::text, true)) AND (n.recipient_id = current_setting('tidings.recipient'::text, true)))
         OFFSET 0));

CREATE VIEW tidings.own_due WITH (security_barrier='true') AS
 SELECT r.notification_id,
    r.ordinal,
    r.lane,
    r.due_at,
    r.kind,
    r.tenant,
    r.channel,
    r.provider,
    r.endpoint,
    r.attempt,
    r.reason,
    r.since,
    r.pause_id
   FROM tidings.due r
  WHERE (EXISTS ( SELECT
           FROM tidings.notifications n
          WHERE ((n.id = r.notification_id) AND (n.tenant = current_setting('tidings.tenant'::text, true)) AND (n.recipient_id = current_setting('tidings.recipient'::text, true)))
         OFFSET 0));

CREATE VIEW tidings.own_endpoints WITH (security_barrier='true') AS
 SELECT e.tenant,
    e.recipient_id,
    e.id,
    e.channel,
    e.provider,
    "right"(e.address, 8) AS address_end,
    e.permission,
    e.platform,
    e.environment,
    e.market,
    e.time_zone,
    e.locale,
    e.app_version,
    e.registered_at,
    e.changed_at,
    e.gone_at,
    e.gone_reason
   FROM tidings.endpoints e
  WHERE ((e.tenant = current_setting('tidings.tenant'::text, true)) AND (e.recipient_id = current_setting('tidings.recipient'::text, true)));

CREATE VIEW tidings.own_likes_given WITH (security_barrier='true') AS
 SELECT l.tenant,
    l.recipient_id,
    l.liker_id,
    l.name,
    l.photo_url,
    l.notification_id,
    l.created_at
   FROM tidings.likes l
  WHERE ((l.tenant = current_setting('tidings.tenant'::text, true)) AND (l.liker_id = current_setting('tidings.recipient'::text, true)));

CREATE VIEW tidings.own_notifications WITH (security_barrier='true') AS
 SELECT n.id,
    n.tenant,
    n.source,
    n.event_id,
    n.recipient_id,
    n.type,
    n.category,
    n.lane,
    n.title,
    n.body,
    n.data,
    n.group_key,
    n.collapse_key,
    n.content_fields,
    n.market,
    n.critical,
    n.channels,
    n.scheduled_for,
    n.expires_at,
    n.accepted_at,
    n.traceparent,
    n.planned,
    n.decision,
    n.catalogue
   FROM tidings.notifications n
  WHERE ((n.tenant = current_setting('tidings.tenant'::text, true)) AND (n.recipient_id = current_setting('tidings.recipient'::text, true)));

CREATE TABLE tidings.rejected (
    id bigint NOT NULL,
    fingerprint uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    last_at timestamp with time zone NOT NULL,
    occurrences bigint DEFAULT 1 NOT NULL,
    reason text NOT NULL,
    pointer text NOT NULL,
    message text NOT NULL,
    tenant text,
    source text,
    event_id text,
    type text,
    recipients text[] DEFAULT '{}'::text[] NOT NULL,
    names_others boolean DEFAULT false NOT NULL,
    verified boolean DEFAULT false NOT NULL,
    exchange text NOT NULL,
    routing_key text NOT NULL,
    content_type text,
    headers text NOT NULL,
    raw bytea NOT NULL,
    size integer NOT NULL,
    sha256 bytea NOT NULL,
    replayable boolean NOT NULL,
    state text DEFAULT 'open'::text NOT NULL,
    acted_at timestamp with time zone,
    producer text,
    replay_headers text DEFAULT '{}'::text,
    look_on date DEFAULT (((tidings.clock() AT TIME ZONE 'UTC'::text))::date + 30) NOT NULL,
    CONSTRAINT rejected_state_check CHECK ((state = ANY (ARRAY['open'::text, 'replayed'::text, 'discarded'::text])))
);

CREATE VIEW tidings.own_rejected WITH (security_barrier='true') AS
 SELECT r.id,
    r.at,
    r.last_at,
    r.reason,
    r.source,
    r.event_id,
    r.type,
    r.state,
        CASE
            WHEN ((cardinality(r.recipients) = 1) AND (NOT r.names_others)) THEN replace(encode(r.raw, 'base64'::text), '
'::text, ''::text)
            ELSE NULL::text
        END AS event_base64
   FROM tidings.rejected r
  WHERE ((COALESCE(r.tenant, 'default'::text) = current_setting('tidings.tenant'::text, true)) AND ((r.recipients[1] = current_setting('tidings.recipient'::text, true)) OR ((cardinality(r.recipients) > 1) AND (r.recipients @> ARRAY[current_setting('tidings.recipient'::text, true)]))));

CREATE VIEW tidings.own_reports WITH (security_barrier='true') AS
 SELECT r.notification_id,
    r.ordinal,
    r.reporter,
    r.key,
    r.attempt,
    r.channel,
    r.provider,
    r.outcome,
    r.reason,
    r.told_at,
    r.received_at,
    r.state_before,
    r.reason_before,
    r.state_after,
    r.moved
   FROM tidings.reports r
  WHERE (EXISTS ( SELECT
           FROM tidings.notifications n
          WHERE ((n.id = r.notification_id) AND (n.tenant = current_setting('tidings.tenant'::text, true)) AND (n.recipient_id = current_setting('tidings.recipient'::text, true)))
         OFFSET 0));

CREATE TABLE tidings.packs (
    id uuid NOT NULL,
    channel text NOT NULL,
    provider text NOT NULL,
    lane text NOT NULL,
    notification_ids uuid[] NOT NULL,
    ordinals smallint[] NOT NULL,
    attempts smallint[] NOT NULL,
    decided_at timestamp with time zone NOT NULL,
    confirmed_at timestamp with time zone,
    claimed_at timestamp with time zone,
    claimed_by text,
    lease_until timestamp with time zone,
    claim uuid
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='2000', autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='5000', parallel_workers='0');

COMMENT ON COLUMN tidings.packs.claim IS 'Id of the claim that got the pack. A worker that repeats the same claim, because the answer was lost, gets the pack again. Any other claim gets nothing.';

CREATE TABLE tidings.pauses (
    id bigint NOT NULL,
    scope text NOT NULL,
    name text NOT NULL,
    reason text NOT NULL,
    paused_by text NOT NULL,
    since timestamp with time zone NOT NULL,
    until timestamp with time zone,
    resumed_at timestamp with time zone,
    resumed_by text,
    CONSTRAINT pauses_scope_check CHECK ((scope = ANY (ARRAY['channel'::text, 'provider'::text, 'type'::text, 'tenant'::text])))
);

ALTER TABLE tidings.pauses ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME tidings.pauses_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE tidings.reason_codes (
    code text NOT NULL,
    states text[] NOT NULL,
    meaning text NOT NULL,
    what_to_do text NOT NULL,
    retryable boolean NOT NULL,
    since text NOT NULL
);

CREATE TABLE tidings.recipients (
    tenant text NOT NULL,
    id text NOT NULL,
    time_zone text DEFAULT 'UTC'::text NOT NULL,
    quiet_start smallint,
    quiet_end smallint,
    disabled_channels text[] DEFAULT '{}'::text[] NOT NULL,
    disabled_categories text[] DEFAULT '{}'::text[] NOT NULL,
    enabled_types text[] DEFAULT '{}'::text[] NOT NULL,
    disabled_types text[] DEFAULT '{}'::text[] NOT NULL,
    market text,
    changed_at timestamp with time zone NOT NULL,
    CONSTRAINT recipients_quiet_end_check CHECK (((quiet_end >= 0) AND (quiet_end <= 1439))),
    CONSTRAINT recipients_quiet_start_check CHECK (((quiet_start >= 0) AND (quiet_start <= 1439)))
);

ALTER TABLE ONLY tidings.recipients FORCE ROW LEVEL SECURITY;

CREATE TABLE tidings.rejected_days (
    day date NOT NULL,
    share smallint NOT NULL,
    part smallint NOT NULL,
    kept_bytes bigint NOT NULL,
    without_bytes bigint NOT NULL
)
WITH (fillfactor='50');

ALTER TABLE tidings.rejected ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME tidings.rejected_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE tidings.reservations (
    key uuid NOT NULL,
    id uuid NOT NULL,
    tenant text NOT NULL,
    source text NOT NULL,
    event_id text NOT NULL,
    content_hash uuid NOT NULL,
    reserved_at timestamp with time zone NOT NULL,
    cancelled_at timestamp with time zone,
    cancel_reason text
);

CREATE TABLE tidings.tally (
    kind text NOT NULL,
    tenant text DEFAULT ''::text NOT NULL,
    channel text DEFAULT ''::text NOT NULL,
    state text DEFAULT ''::text NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    n bigint NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='5000');

CREATE TABLE tidings.tally_totals (
    kind text NOT NULL,
    tenant text NOT NULL,
    channel text NOT NULL,
    state text NOT NULL,
    reason text NOT NULL,
    n bigint NOT NULL,
    changed_on date DEFAULT ((tidings.clock() AT TIME ZONE 'UTC'::text))::date NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE tidings.unblurs (
    tenant text NOT NULL,
    recipient_id text NOT NULL,
    expires_at timestamp with time zone NOT NULL
)
WITH (fillfactor='70');

ALTER TABLE ONLY tidings.unblurs FORCE ROW LEVEL SECURITY;

CREATE TABLE tidings.workers (
    id text NOT NULL,
    role text NOT NULL,
    host text NOT NULL,
    pid integer NOT NULL,
    version text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    heartbeat_at timestamp with time zone NOT NULL,
    handled bigint DEFAULT 0 NOT NULL,
    bulk_pause_ms integer DEFAULT 0 NOT NULL,
    urgent_took_ms integer,
    providers text[] DEFAULT '{}'::text[] NOT NULL,
    catalogue text,
    obstacles jsonb DEFAULT '[]'::jsonb NOT NULL,
    stopped_at timestamp with time zone,
    broker_connections jsonb DEFAULT '{}'::jsonb NOT NULL,
    broker_user text
);

CREATE VIEW tidings_ops.addresses AS
 SELECT addresses.tenant,
    addresses.recipient_id,
    addresses.id AS address_id,
    addresses.kind,
        CASE addresses.kind
            WHEN 'email'::text THEN (("left"(addresses.value, 1) || '…@'::text) || split_part(addresses.value, '@'::text, 2))
            WHEN 'sms'::text THEN ('…'::text || "right"(addresses.identity, 4))
            ELSE COALESCE((((lower(split_part(addresses.value, '://'::text, 1)) || '://'::text) || NULLIF(regexp_replace("substring"(addresses.value, '(?i)^https?://([^/?#]*)'::text), '^.*@'::text, ''::text), ''::text)) || '/…'::text), '…'::text)
        END AS value_masked,
    addresses.source,
    addresses.consent,
    addresses.consent_at,
    addresses.verified_at,
        CASE
            WHEN (addresses.consent = 'denied'::text) THEN 'denied'::text
            WHEN ((addresses.suppressed_at IS NULL) OR (addresses.suppressed_until <= tidings.clock())) THEN 'active'::text
            ELSE 'suppressed'::text
        END AS state,
    addresses.suppressed_because,
    addresses.suppressed_at,
    addresses.suppressed_until,
    cardinality(addresses.secrets) AS secrets,
    addresses.created_at,
    addresses.changed_at
   FROM tidings.addresses;

COMMENT ON VIEW tidings_ops.addresses IS 'The addresses of each person beside devices, without their secrets. Indexed filter: tenant with recipient_id. See tidings address.';

COMMENT ON COLUMN tidings_ops.addresses.tenant IS 'The tenant of the person.';

COMMENT ON COLUMN tidings_ops.addresses.recipient_id IS 'The person who has the address.';

COMMENT ON COLUMN tidings_ops.addresses.address_id IS 'The id that Tidings gave the address, and webhook for a webhook. It is the endpoint of tidings_ops.deliveries.';

COMMENT ON COLUMN tidings_ops.addresses.kind IS 'email, sms or webhook: the channel whose messages go to the address.';

COMMENT ON COLUMN tidings_ops.addresses.value_masked IS 'The part of the address that an operator may recognise: the first letter and the domain of an e-mail address, the last 4 digits of a telephone number, the origin of a URL.';

COMMENT ON COLUMN tidings_ops.addresses.source IS 'The place that the address comes from: a text of its sender, key:<name> for a backend that named none, or operator.';

COMMENT ON COLUMN tidings_ops.addresses.consent IS 'granted or denied by the person, or unknown. Nothing is sent to an address whose consent is denied.';

COMMENT ON COLUMN tidings_ops.addresses.consent_at IS 'Time at which Tidings was told of the consent. Null: never.';

COMMENT ON COLUMN tidings_ops.addresses.verified_at IS 'Time at which the person was known to have the address. Null: never. Deliveries do not wait for it.';

COMMENT ON COLUMN tidings_ops.addresses.state IS 'active, suppressed or denied. Messages go to an active address only.';

COMMENT ON COLUMN tidings_ops.addresses.suppressed_because IS 'The reason of the last suppression: endpointGone (a provider said that the address does not exist), or the words of its author.';

COMMENT ON COLUMN tidings_ops.addresses.suppressed_at IS 'Time of the last suppression. Null: there was none, or it was lifted.';

COMMENT ON COLUMN tidings_ops.addresses.suppressed_until IS 'Time at which the suppression ends. Null: it ends when somebody lifts it or sets the webhook again.';

COMMENT ON COLUMN tidings_ops.addresses.secrets IS 'Number of the secrets that sign the messages of a webhook. 0 for another kind.';

COMMENT ON COLUMN tidings_ops.addresses.created_at IS 'Time at which the person got the address.';

COMMENT ON COLUMN tidings_ops.addresses.changed_at IS 'Time of the last change of the address.';

CREATE VIEW tidings_ops.api_keys AS
 SELECT api_keys.id AS key_id,
    api_keys.name,
    api_keys.tenant,
    api_keys.scopes,
        CASE
            WHEN (api_keys.revoked_at IS NOT NULL) THEN 'revoked'::text
            WHEN (api_keys.expires_at <= tidings.clock()) THEN 'expired'::text
            ELSE 'valid'::text
        END AS state,
    api_keys.last_used_at,
    api_keys.expires_at,
    api_keys.created_at,
    api_keys.created_by,
    api_keys.rotated_at,
    api_keys.rotated_by,
        CASE
            WHEN (api_keys.former_until > tidings.clock()) THEN api_keys.former_until
            ELSE NULL::timestamp with time zone
        END AS former_secret_until,
    api_keys.revoked_at,
    api_keys.revoked_by
   FROM tidings.api_keys;

COMMENT ON VIEW tidings_ops.api_keys IS 'Keys of the HTTP API, also revoked ones, without their secrets. See tidings key.';

COMMENT ON COLUMN tidings_ops.api_keys.key_id IS 'The id of the key: the middle part of tid_<id>_<secret>. It is no secret.';

COMMENT ON COLUMN tidings_ops.api_keys.name IS 'The name. The producer of the events that come with the key is key:<name>.';

COMMENT ON COLUMN tidings_ops.api_keys.tenant IS 'The tenant that the key may name. * means every tenant.';

COMMENT ON COLUMN tidings_ops.api_keys.scopes IS 'The operations that the key allows, for example intents:write.';

COMMENT ON COLUMN tidings_ops.api_keys.state IS 'valid, expired or revoked.';

COMMENT ON COLUMN tidings_ops.api_keys.last_used_at IS 'Time of the last request with the key, to a minute. Null: never used.';

COMMENT ON COLUMN tidings_ops.api_keys.expires_at IS 'From this time on the key is refused. Null: it does not expire.';

COMMENT ON COLUMN tidings_ops.api_keys.created_at IS 'Time at which the key was made.';

COMMENT ON COLUMN tidings_ops.api_keys.created_by IS 'The user who made the key.';

COMMENT ON COLUMN tidings_ops.api_keys.rotated_at IS 'Time at which the key last got a new secret. Null: never.';

COMMENT ON COLUMN tidings_ops.api_keys.rotated_by IS 'The user who gave the key its last secret. Null: never rotated.';

COMMENT ON COLUMN tidings_ops.api_keys.former_secret_until IS 'Until this time the secret before the last rotation is valid too. Null: it is not.';

COMMENT ON COLUMN tidings_ops.api_keys.revoked_at IS 'Time at which the key was revoked. Null for a key that was not.';

COMMENT ON COLUMN tidings_ops.api_keys.revoked_by IS 'The user who revoked the key. Null for a key that was not revoked.';

CREATE VIEW tidings_ops.attempts AS
 SELECT ((a.notification_id || '/'::text) || a.ordinal) AS delivery_id,
    a.notification_id,
    a.ordinal,
    a.attempt,
    a.channel,
    a.provider,
    a.outcome,
    a.reason AS reason_code,
    a.status AS provider_status,
    a.detail AS error_text,
    a.possible_duplicate,
    a.late,
    a.idempotency_key,
    a.worker AS worker_id,
    a.started_at,
    a.finished_at,
    (round((EXTRACT(epoch FROM (a.finished_at - a.started_at)) * (1000)::numeric)))::integer AS duration_ms
   FROM tidings.attempts a
UNION ALL
 SELECT ((d.notification_id || '/'::text) || d.ordinal) AS delivery_id,
    d.notification_id,
    d.ordinal,
    d.attempts AS attempt,
    d.channel,
    d.provider,
    'accepted'::text AS outcome,
    d.reason AS reason_code,
    NULL::integer AS provider_status,
    NULL::text AS error_text,
    false AS possible_duplicate,
    false AS late,
    ((d.notification_id || '-'::text) || d.ordinal) AS idempotency_key,
    NULL::text AS worker_id,
    NULL::timestamp with time zone AS started_at,
    d.ended_at AS finished_at,
    NULL::integer AS duration_ms
   FROM tidings.ends_of_calls d
  WHERE ((d.state = ANY (ARRAY['sent'::text, 'delivered'::text])) AND (d.attempts = 1) AND (NOT (EXISTS ( SELECT
           FROM tidings.attempts a
          WHERE ((a.notification_id = d.notification_id) AND (a.ordinal = d.ordinal) AND (a.attempt = d.attempts))))));

COMMENT ON VIEW tidings_ops.attempts IS 'One row for each call to a provider. If the first call of a delivery succeeded and left no text, the view derives the row from the delivery.';

COMMENT ON COLUMN tidings_ops.attempts.delivery_id IS 'The id of the delivery: notification_id/ordinal.';

COMMENT ON COLUMN tidings_ops.attempts.notification_id IS 'The notification.';

COMMENT ON COLUMN tidings_ops.attempts.ordinal IS 'The delivery, by its number in the notification, from 0.';

COMMENT ON COLUMN tidings_ops.attempts.attempt IS 'Number of the call. The first call is 1.';

COMMENT ON COLUMN tidings_ops.attempts.channel IS 'push, local, inApp, email, sms, webPush or webhook.';

COMMENT ON COLUMN tidings_ops.attempts.provider IS 'The provider that was called.';

COMMENT ON COLUMN tidings_ops.attempts.outcome IS 'accepted, retry (the provider took nothing, and a later call may work), rejected (no call will work), endpointGone (the address no longer exists), misconfigured (the provider''s settings are wrong) or unknown (the call may have arrived).';

COMMENT ON COLUMN tidings_ops.attempts.reason_code IS 'The result of the call: a code of tidings_ops.reason_codes.';

COMMENT ON COLUMN tidings_ops.attempts.provider_status IS 'The HTTP status of the answer. Null if there was no answer, and for the inbox.';

COMMENT ON COLUMN tidings_ops.attempts.error_text IS 'The provider''s message, at most 500 bytes. If the content was shortened, this text says so first. Null if there is no text.';

COMMENT ON COLUMN tidings_ops.attempts.possible_duplicate IS 'True if this call may have arrived and the delivery is tried again: the provider may see the delivery twice.';

COMMENT ON COLUMN tidings_ops.attempts.late IS 'True if the outcome came after the worker''s lease had ended. Such an outcome changes the state only if no other attempt has begun.';

COMMENT ON COLUMN tidings_ops.attempts.idempotency_key IS 'The key that every attempt of the delivery carries to the provider, such as a webhook''s webhook-id: <notification_id>-<ordinal>. It is not the producer''s event id.';

COMMENT ON COLUMN tidings_ops.attempts.worker_id IS 'The worker that called: see tidings_ops.workers. Null for a first call that succeeded and left no text.';

COMMENT ON COLUMN tidings_ops.attempts.started_at IS 'Time at which the call began. Null for a first call that succeeded and left no text.';

COMMENT ON COLUMN tidings_ops.attempts.finished_at IS 'Time at which the outcome was known.';

COMMENT ON COLUMN tidings_ops.attempts.duration_ms IS 'Milliseconds from start to outcome. Null for a first call that succeeded and left no text.';

CREATE VIEW tidings_ops.workers AS
 SELECT workers.id AS worker_id,
    workers.role,
    workers.host,
    workers.pid,
    workers.version,
    workers.handled,
    workers.started_at,
    workers.heartbeat_at,
        CASE
            WHEN (workers.stopped_at IS NOT NULL) THEN 'stopped'::text
            WHEN (workers.heartbeat_at > (tidings.clock() - '00:00:30'::interval)) THEN 'running'::text
            ELSE 'lost'::text
        END AS state,
    workers.bulk_pause_ms,
    workers.urgent_took_ms,
    workers.providers,
    workers.stopped_at,
    workers.obstacles,
    workers.broker_connections,
    workers.broker_user
   FROM tidings.workers;

COMMENT ON VIEW tidings_ops.workers IS 'Each process that has sent a heartbeat: running, stopped (it ended when it was asked to), or lost (30 seconds without a heartbeat).';

COMMENT ON COLUMN tidings_ops.workers.worker_id IS 'Role, host, process id and a random part.';

COMMENT ON COLUMN tidings_ops.workers.role IS 'router, deliver, release, api, or all for a process of tidings run all. Such a process serves the API if TIDINGS_API_LISTEN is set.';

COMMENT ON COLUMN tidings_ops.workers.host IS 'The host on which the process runs.';

COMMENT ON COLUMN tidings_ops.workers.pid IS 'The process id on that host.';

COMMENT ON COLUMN tidings_ops.workers.version IS 'The version of the binary of the process.';

COMMENT ON COLUMN tidings_ops.workers.handled IS 'Count since the start of the process: routed recipients, deliveries taken for sending, and released deliveries.';

COMMENT ON COLUMN tidings_ops.workers.started_at IS 'Time of its first heartbeat.';

COMMENT ON COLUMN tidings_ops.workers.heartbeat_at IS 'Time of its last heartbeat. A process sends one every 5 seconds.';

COMMENT ON COLUMN tidings_ops.workers.state IS 'running, stopped or lost.';

COMMENT ON COLUMN tidings_ops.workers.bulk_pause_ms IS 'Milliseconds that the process waits before each batch of bulk work, because urgent work took too long. 0 for no wait. Reported by its last heartbeat.';

COMMENT ON COLUMN tidings_ops.workers.urgent_took_ms IS 'Milliseconds of the last urgent batch that was too slow. Null while bulk work does not yield.';

COMMENT ON COLUMN tidings_ops.workers.providers IS 'The providers that the process calls, by their names in the catalogue. The running processes that call a provider share its capacity equally.';

COMMENT ON COLUMN tidings_ops.workers.stopped_at IS 'Time at which the process stopped cleanly. Null while it runs, and after a crash.';

COMMENT ON COLUMN tidings_ops.workers.obstacles IS 'Obstacles to its work at its last heartbeat: an array of objects with kind (blocked, unconfirmed, refused, commitsRefused, commitsWait or unfinished), subject (the link to the broker), detail (the reason in the words of the server) and since. Empty if it can work.';

COMMENT ON COLUMN tidings_ops.workers.broker_connections IS 'Number of connections of the process on each node of RabbitMQ, by the host and port of the node. Empty if the process knows only one node. The processes even out the sums of the nodes.';

COMMENT ON COLUMN tidings_ops.workers.broker_user IS 'The AMQP user of the process. Routers believe the ids and the producers that the roles api and release name only if their user is that of the routers, or vouches in the catalogue.';

CREATE VIEW tidings_ops.bulk_yields AS
 SELECT w.worker_id,
    w.role,
    w.bulk_pause_ms,
    w.urgent_took_ms,
    b.ready AS bulk_ready,
    b.drained_per_second,
    b.clears_at
   FROM (tidings_ops.workers w
     CROSS JOIN ( SELECT (COALESCE(sum(s.ready), (0)::numeric))::bigint AS ready,
            sum(tidings.drained_per_second(s.*)) AS drained_per_second,
                CASE
                    WHEN (count(*) FILTER (WHERE (tidings.clears_at(s.*) IS NULL)) = 0) THEN max(tidings.clears_at(s.*))
                    ELSE NULL::timestamp with time zone
                END AS clears_at
           FROM tidings.queue_samples s
          WHERE ((s.queue ~~ '%.bulk'::text) AND (s.sampled_at > (tidings.clock() - '00:00:30'::interval)))) b)
  WHERE ((w.state = 'running'::text) AND (w.bulk_pause_ms > 0));

COMMENT ON VIEW tidings_ops.bulk_yields IS 'Processes that delay bulk work in favour of urgent work. Each row has the delay, its cause, and the time at which all waiting bulk work is done at the present pace.';

COMMENT ON COLUMN tidings_ops.bulk_yields.worker_id IS 'The process, as in tidings_ops.workers.';

COMMENT ON COLUMN tidings_ops.bulk_yields.role IS 'router, deliver, release, or all for a process with every role.';

COMMENT ON COLUMN tidings_ops.bulk_yields.bulk_pause_ms IS 'Milliseconds that the process waits before each batch of bulk work.';

COMMENT ON COLUMN tidings_ops.bulk_yields.urgent_took_ms IS 'Milliseconds of the last urgent batch that was too slow. Null if the process has named none.';

COMMENT ON COLUMN tidings_ops.bulk_yields.bulk_ready IS 'Messages in all bulk queues together at the last sample: intents and packs of up to 50 deliveries.';

COMMENT ON COLUMN tidings_ops.bulk_yields.drained_per_second IS 'Number of messages a second by which all bulk queues together shrink.';

COMMENT ON COLUMN tidings_ops.bulk_yields.clears_at IS 'Time at which the last of the bulk queues will be empty at this speed. Null while a bulk queue grows.';

CREATE VIEW tidings_ops.catalogue_history AS
 SELECT h.id AS activation_id,
    h.hash,
    h.activated_at,
    lead(h.activated_at) OVER (ORDER BY h.id) AS ended_at,
    h.action,
    h.author,
    h.database_role,
    h.reason,
    h.replaced,
    (c.hash IS NOT NULL) AS kept
   FROM (tidings.catalogue_history h
     LEFT JOIN tidings.catalogues c ON ((c.hash = h.hash)));

COMMENT ON VIEW tidings_ops.catalogue_history IS 'Each change of the active catalogue, kept for ever. Before the first row the built-in catalogue was active. See tidings catalogue history.';

COMMENT ON COLUMN tidings_ops.catalogue_history.activation_id IS 'Number of the change. A later change has a larger number.';

COMMENT ON COLUMN tidings_ops.catalogue_history.hash IS 'The catalogue that became active. Decisions name the catalogue by this hash.';

COMMENT ON COLUMN tidings_ops.catalogue_history.activated_at IS 'Time at which the catalogue became active.';

COMMENT ON COLUMN tidings_ops.catalogue_history.ended_at IS 'Time at which another catalogue replaced this catalogue. Null for the active catalogue.';

COMMENT ON COLUMN tidings_ops.catalogue_history.action IS 'apply, rollback or start. start: the catalogue became active without a request, such as the first catalogue of tidings dev.';

COMMENT ON COLUMN tidings_ops.catalogue_history.author IS 'The author of the change: --by, or the user and host of the command. unknown: the catalogue was active before this table existed.';

COMMENT ON COLUMN tidings_ops.catalogue_history.database_role IS 'The role of PostgreSQL that logged in for the change.';

COMMENT ON COLUMN tidings_ops.catalogue_history.reason IS 'The reason, in the words of the author. Null if none was given.';

COMMENT ON COLUMN tidings_ops.catalogue_history.replaced IS 'The catalogue that was active before. Null if it is not known.';

COMMENT ON COLUMN tidings_ops.catalogue_history.kept IS 'True if the file is kept. tidings catalogue show and tidings catalogue rollback need the file.';

CREATE VIEW tidings_ops.catalogues AS
 SELECT c.hash,
    c.applied_at AS kept_since,
    (EXISTS ( SELECT
           FROM tidings.active_catalogue a
          WHERE (a.hash = c.hash))) AS active,
    c.yaml
   FROM tidings.catalogues c;

COMMENT ON VIEW tidings_ops.catalogues IS 'Every catalogue that is kept, active or not. A catalogue names the places of secrets and contains no secret.';

COMMENT ON COLUMN tidings_ops.catalogues.hash IS 'The SHA-256 of the content. Decisions name the catalogue by this hash.';

COMMENT ON COLUMN tidings_ops.catalogues.kept_since IS 'Time at which the catalogue was first stored.';

COMMENT ON COLUMN tidings_ops.catalogues.active IS 'True if the catalogue is active: every role follows it now.';

COMMENT ON COLUMN tidings_ops.catalogues.yaml IS 'The text of the file.';

CREATE VIEW tidings_ops.database_timelines AS
 SELECT database_timelines.system AS system_identifier,
    database_timelines.timeline,
    database_timelines.seen_at,
    database_timelines.seen_by,
    lag(database_timelines.system) OVER (ORDER BY database_timelines.seen_at, database_timelines.system, database_timelines.timeline) AS previous_system_identifier,
    lag(database_timelines.timeline) OVER (ORDER BY database_timelines.seen_at, database_timelines.system, database_timelines.timeline) AS previous_timeline
   FROM tidings.database_timelines;

COMMENT ON VIEW tidings_ops.database_timelines IS 'The timelines on which PostgreSQL has run this database. A new one begins with each failover, switch-over and restore. Commits of the moments before it are missing if the standby was asynchronous: tidings reconcile finds the events of a producer among them.';

COMMENT ON COLUMN tidings_ops.database_timelines.system_identifier IS 'The system identifier of the cluster of PostgreSQL. A standby has the one of its primary.';

COMMENT ON COLUMN tidings_ops.database_timelines.timeline IS 'The number of the timeline. A promotion raises it.';

COMMENT ON COLUMN tidings_ops.database_timelines.seen_at IS 'Time at which the first process of Tidings saw the timeline.';

COMMENT ON COLUMN tidings_ops.database_timelines.seen_by IS 'That process, as in tidings_ops.workers.';

COMMENT ON COLUMN tidings_ops.database_timelines.previous_system_identifier IS 'The cluster before. Another number than system_identifier means an upgrade, or a restore from a dump. Null in the first row.';

COMMENT ON COLUMN tidings_ops.database_timelines.previous_timeline IS 'The timeline before. Null in the first row.';

CREATE VIEW tidings_ops.dead_letters AS
 SELECT dead.id AS dead_id,
    dead.queue AS origin_queue,
    dead.reason AS reason_code,
    dead.message,
    dead.deaths,
    dead.exchange,
    dead.routing_key,
    dead.size,
    dead.state,
    dead.at
   FROM tidings.dead;

COMMENT ON VIEW tidings_ops.dead_letters IS 'Messages that could not be processed, each with its queue, its reason and the number of times it died.';

COMMENT ON COLUMN tidings_ops.dead_letters.dead_id IS 'The id for tidings dead show, replay and discard.';

COMMENT ON COLUMN tidings_ops.dead_letters.origin_queue IS 'The queue whose consumer could not process the message.';

COMMENT ON COLUMN tidings_ops.dead_letters.reason_code IS 'poison (requeued too often), evicted (taken out by the broker, because it expired or its queue was full) or undecodablePack (not a pack that the worker or router can read).';

COMMENT ON COLUMN tidings_ops.dead_letters.message IS 'The reason in words.';

COMMENT ON COLUMN tidings_ops.dead_letters.deaths IS 'Number of times that the same message was set aside since it was last processed.';

COMMENT ON COLUMN tidings_ops.dead_letters.exchange IS 'The exchange to which the message was published. A replay publishes it there again.';

COMMENT ON COLUMN tidings_ops.dead_letters.routing_key IS 'The routing key with which the message was published.';

COMMENT ON COLUMN tidings_ops.dead_letters.size IS 'Bytes of the message.';

COMMENT ON COLUMN tidings_ops.dead_letters.state IS 'trying (a router tries the message alone), resolved (the trial worked), quarantined (the message ended its process again), open, replayed or discarded.';

COMMENT ON COLUMN tidings_ops.dead_letters.at IS 'Time at which the message was last set aside.';

CREATE VIEW tidings_ops.decisions AS
 SELECT n.id AS notification_id,
    ((p."position" - 1))::smallint AS ordinal,
    n.accepted_at AS decided_at,
    (p.planned ->> 'channel'::text) AS channel,
    (p.planned ->> 'provider'::text) AS provider,
    (p.planned ->> 'verdict'::text) AS verdict,
    (p.planned ->> 'reason'::text) AS reason_code,
    ((p.planned ->> 'until'::text))::timestamp with time zone AS held_until,
    ((n.decision)::json ->> 'strategy'::text) AS strategy,
    n.catalogue,
    ((n.decision)::json -> 'rules'::text) AS rules,
    ((n.decision)::json -> 'notes'::text) AS notes,
    COALESCE((p.planned ->> 'market'::text), ((n.decision)::json ->> 'market'::text), 'default'::text) AS market,
    COALESCE(((p.planned ->> 'standby'::text))::boolean, false) AS has_standby,
    NULL::text AS moved_from,
    NULL::text AS moved_because
   FROM (tidings.notifications n
     CROSS JOIN LATERAL json_array_elements(((n.decision)::json -> 'deliveries'::text)) WITH ORDINALITY p(planned, "position"))
UNION ALL
 SELECT d.notification_id,
    d.ordinal,
    d.at AS decided_at,
    ((d.decision)::json ->> 'channel'::text) AS channel,
    ((d.decision)::json ->> 'provider'::text) AS provider,
    ((d.decision)::json ->> 'verdict'::text) AS verdict,
    ((d.decision)::json ->> 'reason'::text) AS reason_code,
    (((d.decision)::json ->> 'until'::text))::timestamp with time zone AS held_until,
    NULL::text AS strategy,
    d.catalogue,
    NULL::json AS rules,
    NULL::json AS notes,
    COALESCE(((d.decision)::json ->> 'market'::text), 'default'::text) AS market,
    COALESCE((((d.decision)::json ->> 'standby'::text))::boolean, false) AS has_standby,
    NULLIF(d.moved_from, ''::text) AS moved_from,
        CASE
            WHEN (d.moved_from <> ''::text) THEN d.moved_because
            ELSE NULL::text
        END AS moved_because
   FROM tidings.decisions d;

COMMENT ON VIEW tidings_ops.decisions IS 'Each decision about a channel, with its reason. The first decision is made at acceptance. A later decision is made each time that a waiting delivery becomes due.';

COMMENT ON COLUMN tidings_ops.decisions.notification_id IS 'The notification.';

COMMENT ON COLUMN tidings_ops.decisions.ordinal IS 'The delivery, by its number in the notification, from 0.';

COMMENT ON COLUMN tidings_ops.decisions.decided_at IS 'Time of the decision: at acceptance, or when a waiting delivery was judged again.';

COMMENT ON COLUMN tidings_ops.decisions.channel IS 'push, local, inApp, email, sms, webPush or webhook.';

COMMENT ON COLUMN tidings_ops.decisions.provider IS 'The provider that was chosen. Empty if none was chosen.';

COMMENT ON COLUMN tidings_ops.decisions.verdict IS 'send, hold (until a time), awaitEscalation (until an earlier channel has failed) or notSent.';

COMMENT ON COLUMN tidings_ops.decisions.reason_code IS 'The reason why the delivery was held or not sent. Null for send.';

COMMENT ON COLUMN tidings_ops.decisions.held_until IS 'For hold: the time until which the delivery waits. For send: the time until which the decision is valid. After that time a releaser decides again. Null otherwise.';

COMMENT ON COLUMN tidings_ops.decisions.strategy IS 'all (all channels), or escalate (one channel after the other). Null for a later decision.';

COMMENT ON COLUMN tidings_ops.decisions.catalogue IS 'The hash of the catalogue that was in force.';

COMMENT ON COLUMN tidings_ops.decisions.rules IS 'The rules that applied, in words and in order: a JSON array. Null for a later decision.';

COMMENT ON COLUMN tidings_ops.decisions.notes IS 'Reason codes that explain the decision and do not end the delivery: a JSON array. Null for a later decision.';

COMMENT ON COLUMN tidings_ops.decisions.market IS 'The market whose providers were considered: the market of the person, or the market of the device.';

COMMENT ON COLUMN tidings_ops.decisions.has_standby IS 'True if another provider of the market takes over when this provider is misconfigured, refuses the delivery, or is not called because it has been failing.';

COMMENT ON COLUMN tidings_ops.decisions.moved_from IS 'The provider that the delivery left because that provider could not deliver. Null if the delivery did not move.';

COMMENT ON COLUMN tidings_ops.decisions.moved_because IS 'The reason why the provider in moved_from could not deliver: a code of tidings_ops.reason_codes. Null if moved_from is null.';

CREATE VIEW tidings_ops.ended_deliveries AS
 SELECT ((n.id || '/'::text) || d.ordinal) AS delivery_id,
    d.notification_id,
    d.ordinal,
    n.tenant,
    n.type,
    n.category,
    n.recipient_id,
    d.channel,
    d.provider,
    d.endpoint,
    d.state,
    d.reason AS reason_code,
    d.attempts,
    NULL::timestamp with time zone AS due_at,
    d.provider_message_id,
    n.accepted_at AS created_at,
    d.ended_at AS finished_at,
    NULL::bigint AS pause_id
   FROM (tidings.deliveries d
     JOIN tidings.notifications n ON ((n.id = d.notification_id)))
  WHERE (d.state = ANY (ARRAY['sent'::text, 'delivered'::text, 'suppressed'::text, 'cancelled'::text, 'expired'::text, 'failed'::text]));

COMMENT ON VIEW tidings_ops.ended_deliveries IS 'The ended rows of deliveries, with the same columns. Indexed filters: notification_id, recipient_id. Indexed order: notification_id.';

COMMENT ON COLUMN tidings_ops.ended_deliveries.delivery_id IS 'notification_id/ordinal: the id for tidings delivery show and retry.';

COMMENT ON COLUMN tidings_ops.ended_deliveries.notification_id IS 'The notification of the delivery.';

COMMENT ON COLUMN tidings_ops.ended_deliveries.ordinal IS 'The place of the delivery in the decision of the notification, from 0.';

COMMENT ON COLUMN tidings_ops.ended_deliveries.tenant IS 'The tenant of the notification.';

COMMENT ON COLUMN tidings_ops.ended_deliveries.type IS 'The type of the notification in the catalogue.';

COMMENT ON COLUMN tidings_ops.ended_deliveries.category IS 'transactional, marketing, social or system.';

COMMENT ON COLUMN tidings_ops.ended_deliveries.recipient_id IS 'The person, under the name that the producer uses.';

COMMENT ON COLUMN tidings_ops.ended_deliveries.channel IS 'push, local, inApp, email, sms, webPush or webhook.';

COMMENT ON COLUMN tidings_ops.ended_deliveries.provider IS 'The provider that carries the delivery: its name in the catalogue. Empty if none was chosen.';

COMMENT ON COLUMN tidings_ops.ended_deliveries.endpoint IS 'The id of the person''s device or address, never the token. Null if the channel needs no endpoint, and while the delivery is queued.';

COMMENT ON COLUMN tidings_ops.ended_deliveries.state IS 'held (waits for a time or an earlier channel), queued, retrying, sent (the provider took the delivery), delivered (the delivery is known to have arrived), suppressed (Tidings decided not to send), cancelled, expired or failed. A delivery that is held, queued or retrying continues without an operator. Every other state is final.';

COMMENT ON COLUMN tidings_ops.ended_deliveries.reason_code IS 'The reason for the state: a code of tidings_ops.reason_codes. For a queued delivery: inQueue, or inFlight after a worker has claimed it.';

COMMENT ON COLUMN tidings_ops.ended_deliveries.attempts IS 'Number of calls to the provider so far. 0 before the first call.';

COMMENT ON COLUMN tidings_ops.ended_deliveries.due_at IS 'Time at which a held or retrying delivery continues. Null for any other state, for a paused delivery, and for a delivery that waits for the end of an earlier channel.';

COMMENT ON COLUMN tidings_ops.ended_deliveries.provider_message_id IS 'The id that the provider gave the delivery. Null if the provider gave none.';

COMMENT ON COLUMN tidings_ops.ended_deliveries.created_at IS 'Time at which the notification was accepted.';

COMMENT ON COLUMN tidings_ops.ended_deliveries.finished_at IS 'Time at which the delivery ended. Null before its end.';

COMMENT ON COLUMN tidings_ops.ended_deliveries.pause_id IS 'The pause that the delivery waits for, as in tidings_ops.pauses. Null unless its reason_code is paused.';

CREATE VIEW tidings_ops.pending_deliveries AS
 SELECT ((n.id || '/'::text) || w.ordinal) AS delivery_id,
    w.notification_id,
    w.ordinal,
    n.tenant,
    n.type,
    n.category,
    n.recipient_id,
    w.channel,
    w.provider,
    w.endpoint,
        CASE
            WHEN (w.kind = ANY (ARRAY['held'::text, 'escalation'::text])) THEN 'held'::text
            ELSE 'retrying'::text
        END AS state,
    w.reason AS reason_code,
    ((w.attempt - 1))::smallint AS attempts,
        CASE
            WHEN (w.pause_id IS NULL) THEN NULLIF(w.due_at, 'infinity'::timestamp with time zone)
            ELSE NULL::timestamp with time zone
        END AS due_at,
    NULL::text AS provider_message_id,
    n.accepted_at AS created_at,
    NULL::timestamp with time zone AS finished_at,
    w.pause_id
   FROM (tidings.due w
     JOIN tidings.notifications n ON ((n.id = w.notification_id)))
UNION ALL
 SELECT ((n.id || '/'::text) || e.ordinal) AS delivery_id,
    e.notification_id,
    e.ordinal,
    n.tenant,
    n.type,
    n.category,
    n.recipient_id,
    p.channel,
    p.provider,
    NULL::text AS endpoint,
    'queued'::text AS state,
        CASE
            WHEN (p.claimed_at IS NULL) THEN 'inQueue'::text
            ELSE 'inFlight'::text
        END AS reason_code,
    ((e.attempt - 1))::smallint AS attempts,
    NULL::timestamp with time zone AS due_at,
    NULL::text AS provider_message_id,
    n.accepted_at AS created_at,
    NULL::timestamp with time zone AS finished_at,
    NULL::bigint AS pause_id
   FROM ((tidings.packs p
     CROSS JOIN LATERAL UNNEST(p.notification_ids, p.ordinals, p.attempts) e(notification_id, ordinal, attempt))
     JOIN tidings.notifications n ON ((n.id = e.notification_id)));

COMMENT ON VIEW tidings_ops.pending_deliveries IS 'The rows of deliveries that are held, queued or retrying, with the same columns. Reads only these deliveries, so it is fast at any number of ended ones.';

COMMENT ON COLUMN tidings_ops.pending_deliveries.delivery_id IS 'notification_id/ordinal: the id for tidings delivery show and retry.';

COMMENT ON COLUMN tidings_ops.pending_deliveries.notification_id IS 'The notification of the delivery.';

COMMENT ON COLUMN tidings_ops.pending_deliveries.ordinal IS 'The place of the delivery in the decision of the notification, from 0.';

COMMENT ON COLUMN tidings_ops.pending_deliveries.tenant IS 'The tenant of the notification.';

COMMENT ON COLUMN tidings_ops.pending_deliveries.type IS 'The type of the notification in the catalogue.';

COMMENT ON COLUMN tidings_ops.pending_deliveries.category IS 'transactional, marketing, social or system.';

COMMENT ON COLUMN tidings_ops.pending_deliveries.recipient_id IS 'The person, under the name that the producer uses.';

COMMENT ON COLUMN tidings_ops.pending_deliveries.channel IS 'push, local, inApp, email, sms, webPush or webhook.';

COMMENT ON COLUMN tidings_ops.pending_deliveries.provider IS 'The provider that carries the delivery: its name in the catalogue. Empty if none was chosen.';

COMMENT ON COLUMN tidings_ops.pending_deliveries.endpoint IS 'The id of the person''s device or address, never the token. Null if the channel needs no endpoint, and while the delivery is queued.';

COMMENT ON COLUMN tidings_ops.pending_deliveries.state IS 'held (waits for a time or an earlier channel), queued, retrying, sent (the provider took the delivery), delivered (the delivery is known to have arrived), suppressed (Tidings decided not to send), cancelled, expired or failed. A delivery that is held, queued or retrying continues without an operator. Every other state is final.';

COMMENT ON COLUMN tidings_ops.pending_deliveries.reason_code IS 'The reason for the state: a code of tidings_ops.reason_codes. For a queued delivery: inQueue, or inFlight after a worker has claimed it.';

COMMENT ON COLUMN tidings_ops.pending_deliveries.attempts IS 'Number of calls to the provider so far. 0 before the first call.';

COMMENT ON COLUMN tidings_ops.pending_deliveries.due_at IS 'Time at which a held or retrying delivery continues. Null for any other state, for a paused delivery, and for a delivery that waits for the end of an earlier channel.';

COMMENT ON COLUMN tidings_ops.pending_deliveries.provider_message_id IS 'The id that the provider gave the delivery. Null if the provider gave none.';

COMMENT ON COLUMN tidings_ops.pending_deliveries.created_at IS 'Time at which the notification was accepted.';

COMMENT ON COLUMN tidings_ops.pending_deliveries.finished_at IS 'Time at which the delivery ended. Null before its end.';

COMMENT ON COLUMN tidings_ops.pending_deliveries.pause_id IS 'The pause that the delivery waits for, as in tidings_ops.pauses. Null unless its reason_code is paused.';

CREATE VIEW tidings_ops.deliveries AS
 SELECT ended_deliveries.delivery_id,
    ended_deliveries.notification_id,
    ended_deliveries.ordinal,
    ended_deliveries.tenant,
    ended_deliveries.type,
    ended_deliveries.category,
    ended_deliveries.recipient_id,
    ended_deliveries.channel,
    ended_deliveries.provider,
    ended_deliveries.endpoint,
    ended_deliveries.state,
    ended_deliveries.reason_code,
    ended_deliveries.attempts,
    ended_deliveries.due_at,
    ended_deliveries.provider_message_id,
    ended_deliveries.created_at,
    ended_deliveries.finished_at,
    ended_deliveries.pause_id
   FROM tidings_ops.ended_deliveries
UNION ALL
 SELECT pending_deliveries.delivery_id,
    pending_deliveries.notification_id,
    pending_deliveries.ordinal,
    pending_deliveries.tenant,
    pending_deliveries.type,
    pending_deliveries.category,
    pending_deliveries.recipient_id,
    pending_deliveries.channel,
    pending_deliveries.provider,
    pending_deliveries.endpoint,
    pending_deliveries.state,
    pending_deliveries.reason_code,
    pending_deliveries.attempts,
    pending_deliveries.due_at,
    pending_deliveries.provider_message_id,
    pending_deliveries.created_at,
    pending_deliveries.finished_at,
    pending_deliveries.pause_id
   FROM tidings_ops.pending_deliveries;

COMMENT ON VIEW tidings_ops.deliveries IS 'One row for each channel and endpoint of a notification. The delivery has ended, waits for its time (due_at), or is in a queue. Indexed filters: notification_id, recipient_id. For the newest ones see ended_deliveries.';

COMMENT ON COLUMN tidings_ops.deliveries.delivery_id IS 'notification_id/ordinal: the id for tidings delivery show and retry.';

COMMENT ON COLUMN tidings_ops.deliveries.notification_id IS 'The notification of the delivery.';

COMMENT ON COLUMN tidings_ops.deliveries.ordinal IS 'The place of the delivery in the decision of the notification, from 0.';

COMMENT ON COLUMN tidings_ops.deliveries.tenant IS 'The tenant of the notification.';

COMMENT ON COLUMN tidings_ops.deliveries.type IS 'The type of the notification in the catalogue.';

COMMENT ON COLUMN tidings_ops.deliveries.category IS 'transactional, marketing, social or system.';

COMMENT ON COLUMN tidings_ops.deliveries.recipient_id IS 'The person, under the name that the producer uses.';

COMMENT ON COLUMN tidings_ops.deliveries.channel IS 'push, local, inApp, email, sms, webPush or webhook.';

COMMENT ON COLUMN tidings_ops.deliveries.provider IS 'The provider that carries the delivery: its name in the catalogue. Empty if none was chosen.';

COMMENT ON COLUMN tidings_ops.deliveries.endpoint IS 'The id of the person''s device or address, never the token. Null if the channel needs no endpoint, and while the delivery is queued.';

COMMENT ON COLUMN tidings_ops.deliveries.state IS 'held (waits for a time or an earlier channel), queued, retrying, sent (the provider took the delivery), delivered (the delivery is known to have arrived), suppressed (Tidings decided not to send), cancelled, expired or failed. A delivery that is held, queued or retrying continues without an operator. Every other state is final.';

COMMENT ON COLUMN tidings_ops.deliveries.reason_code IS 'The reason for the state: a code of tidings_ops.reason_codes. For a queued delivery: inQueue, or inFlight after a worker has claimed it.';

COMMENT ON COLUMN tidings_ops.deliveries.attempts IS 'Number of calls to the provider so far. 0 before the first call.';

COMMENT ON COLUMN tidings_ops.deliveries.due_at IS 'Time at which a held or retrying delivery continues. Null for any other state, for a paused delivery, and for a delivery that waits for the end of an earlier channel.';

COMMENT ON COLUMN tidings_ops.deliveries.provider_message_id IS 'The id that the provider gave the delivery. Null if the provider gave none.';

COMMENT ON COLUMN tidings_ops.deliveries.created_at IS 'Time at which the notification was accepted.';

COMMENT ON COLUMN tidings_ops.deliveries.finished_at IS 'Time at which the delivery ended. Null before its end.';

COMMENT ON COLUMN tidings_ops.deliveries.pause_id IS 'The pause that the delivery waits for, as in tidings_ops.pauses. Null unless its reason_code is paused.';

CREATE VIEW tidings_ops.devices AS
 SELECT endpoints.tenant,
    endpoints.recipient_id,
    endpoints.id AS device_id,
    endpoints.platform,
    endpoints.provider,
    endpoints.environment,
    endpoints.permission,
    endpoints.market,
    endpoints.time_zone,
    endpoints.locale,
    endpoints.app_version,
        CASE
            WHEN (endpoints.gone_at IS NULL) THEN 'active'::text
            ELSE 'gone'::text
        END AS state,
    endpoints.gone_reason AS reason_code,
    "right"(endpoints.address, 8) AS token_end,
    endpoints.registered_at,
    endpoints.changed_at,
    endpoints.gone_at
   FROM tidings.endpoints
  WHERE (endpoints.channel = 'push'::text);

COMMENT ON VIEW tidings_ops.devices IS 'The devices of each person, with the reason for a device that is gone.';

COMMENT ON COLUMN tidings_ops.devices.tenant IS 'The tenant of the person.';

COMMENT ON COLUMN tidings_ops.devices.recipient_id IS 'The person who has the device now. If another person registers the token, the device moves to that person.';

COMMENT ON COLUMN tidings_ops.devices.device_id IS 'The id that Tidings gave the device. It stays the same when the token or the person changes.';

COMMENT ON COLUMN tidings_ops.devices.platform IS 'ios, android or web.';

COMMENT ON COLUMN tidings_ops.devices.provider IS 'The name or kind of the provider that issued the token. Null: the device accepts any provider.';

COMMENT ON COLUMN tidings_ops.devices.environment IS 'production or sandbox: the servers of the platform that issued the token.';

COMMENT ON COLUMN tidings_ops.devices.permission IS 'The permission that the owner of the device gave: authorized, provisional, ephemeral, notDetermined or denied.';

COMMENT ON COLUMN tidings_ops.devices.market IS 'The market whose providers serve the device. Null for the market of the person.';

COMMENT ON COLUMN tidings_ops.devices.time_zone IS 'IANA name, as the device reported it. Null if it reported none.';

COMMENT ON COLUMN tidings_ops.devices.locale IS 'BCP 47 tag, as the device reported it.';

COMMENT ON COLUMN tidings_ops.devices.app_version IS 'Version of the app, as the device reported it.';

COMMENT ON COLUMN tidings_ops.devices.state IS 'active or gone.';

COMMENT ON COLUMN tidings_ops.devices.reason_code IS 'The reason why the device is gone: endpointGone (a provider said so), unregistered (the app said so) or deviceLimit (the person has newer devices).';

COMMENT ON COLUMN tidings_ops.devices.token_end IS 'The last 8 characters of the token, to compare with a log.';

COMMENT ON COLUMN tidings_ops.devices.registered_at IS 'Time of the last registration of the token by the app. Tidings ignores an answer of a provider about an earlier time.';

COMMENT ON COLUMN tidings_ops.devices.changed_at IS 'Time of the last change of the device.';

COMMENT ON COLUMN tidings_ops.devices.gone_at IS 'Time from which the device is never used. Null while the device is active.';

CREATE VIEW tidings_ops.engagement AS
 SELECT engagement.tenant,
    engagement.recipient_id,
    NULLIF(engagement.notification_id, '00000000-0000-0000-0000-000000000000'::uuid) AS notification_id,
    engagement.event,
    engagement.occurred_at,
    engagement.received_at,
    engagement.device_id,
    engagement.type,
    engagement.provider,
    engagement.market,
        CASE
            WHEN (engagement.event = 'action'::text) THEN ((engagement.detail)::json ->> 'action'::text)
            ELSE NULL::text
        END AS action,
        CASE
            WHEN (engagement.event = 'unknownPayload'::text) THEN ((engagement.detail)::json ->> 'reason'::text)
            ELSE NULL::text
        END AS payload_reason,
        CASE
            WHEN (engagement.event = 'unknownPayload'::text) THEN ((engagement.detail)::json ->> 'type'::text)
            ELSE NULL::text
        END AS payload_type
   FROM tidings.engagement;

COMMENT ON VIEW tidings_ops.engagement IS 'Events that apps reported. For counts see engagement_counts. Indexed filter: tenant with recipient_id, also with notification_id.';

COMMENT ON COLUMN tidings_ops.engagement.tenant IS 'The tenant of the person.';

COMMENT ON COLUMN tidings_ops.engagement.recipient_id IS 'The person whose app reported the event.';

COMMENT ON COLUMN tidings_ops.engagement.notification_id IS 'The notification, as the app named it. Null if the event names none. If it is not kept, or not of this person, type is null.';

COMMENT ON COLUMN tidings_ops.engagement.event IS 'received, displayed, opened, dismissed, action, or unknownPayload (the app could not read a push).';

COMMENT ON COLUMN tidings_ops.engagement.occurred_at IS 'Time of the event by the clock of the device. The time in received_at if the app told none, or a time that cannot be right.';

COMMENT ON COLUMN tidings_ops.engagement.received_at IS 'Time at which Tidings stored the event.';

COMMENT ON COLUMN tidings_ops.engagement.device_id IS 'The device. Null if the event names no device of this person.';

COMMENT ON COLUMN tidings_ops.engagement.type IS 'The type of the notification. Null if this person has no such notification.';

COMMENT ON COLUMN tidings_ops.engagement.provider IS 'The provider of the delivery that the event is about: the delivery to the device, else the first that arrived. Null if none arrived.';

COMMENT ON COLUMN tidings_ops.engagement.market IS 'The market of that delivery, else of the device, else of the person.';

COMMENT ON COLUMN tidings_ops.engagement.action IS 'For action: the action that the person chose, as the app names it. Null if the app told none, and for any other event.';

COMMENT ON COLUMN tidings_ops.engagement.payload_reason IS 'For unknownPayload: missing, malformed or unknownType, as the app says. Null for any other event.';

COMMENT ON COLUMN tidings_ops.engagement.payload_type IS 'For unknownPayload: the type that the push named. Null if it named none, and for any other event.';

CREATE VIEW tidings_ops.engagement_counts AS
 SELECT engagement_totals.day,
    engagement_totals.tenant,
    engagement_totals.event,
    engagement_totals.type,
    engagement_totals.provider,
    engagement_totals.market,
    engagement_totals.n
   FROM tidings.engagement_totals;

COMMENT ON VIEW tidings_ops.engagement_counts IS 'Number of events that apps reported, by day, event, type, provider and market. Kept for longer than the events. A count is complete some seconds after its events. Indexed filter: day.';

COMMENT ON COLUMN tidings_ops.engagement_counts.day IS 'The day of the events in UTC, by occurred_at.';

COMMENT ON COLUMN tidings_ops.engagement_counts.tenant IS 'The tenant. Empty: tenants without a count of their own, because a day has too many.';

COMMENT ON COLUMN tidings_ops.engagement_counts.event IS 'received, displayed, opened, dismissed, action or unknownPayload.';

COMMENT ON COLUMN tidings_ops.engagement_counts.type IS 'The type of the notification. Empty if the event names none that is kept.';

COMMENT ON COLUMN tidings_ops.engagement_counts.provider IS 'The provider of the delivery that the event is about. Empty if none arrived.';

COMMENT ON COLUMN tidings_ops.engagement_counts.market IS 'The market of the delivery, the device or the person.';

COMMENT ON COLUMN tidings_ops.engagement_counts.n IS 'Number of events. An event that came twice counts once.';

CREATE VIEW tidings_ops.erasures AS
 SELECT erasures.id AS erasure_id,
    erasures.tenant,
    erasures.state,
    erasures.step,
    erasures.waits_for,
    erasures.requested_at,
    erasures.requested_by,
    erasures.finished_at,
    erasures.counts,
    erasures.readmitted_at,
    erasures.readmitted_by
   FROM tidings.erasures;

COMMENT ON VIEW tidings_ops.erasures IS 'Each erasure of a person: who asked for it, how far it is, and what was erased. No row of a finished erasure says who the person was. See tidings recipient erasure.';

COMMENT ON COLUMN tidings_ops.erasures.erasure_id IS 'The id that the request got.';

COMMENT ON COLUMN tidings_ops.erasures.tenant IS 'The tenant of the person.';

COMMENT ON COLUMN tidings_ops.erasures.state IS 'running, or done: nothing of the person is left in the database, and no worker can send anything to the person.';

COMMENT ON COLUMN tidings_ops.erasures.step IS 'The step that runs: transactions, mentions, notifications, devices, rows, enqueued, refused or dead. done for a finished erasure.';

COMMENT ON COLUMN tidings_ops.erasures.waits_for IS 'transactions: a transaction is open that began before the erasure. calls: a worker is sending to the person. failed: the last turn failed, and a release role has logged the reason. Null: the erasure goes on.';

COMMENT ON COLUMN tidings_ops.erasures.requested_at IS 'Time of the first request. A repeated request of a running erasure changes nothing.';

COMMENT ON COLUMN tidings_ops.erasures.requested_by IS 'The author of the request: key:<name> of an API key, or the user and host of a command.';

COMMENT ON COLUMN tidings_ops.erasures.finished_at IS 'Time at which the erasure was done. Null while it runs.';

COMMENT ON COLUMN tidings_ops.erasures.counts IS 'Number of erased rows and deliveries by place: a JSON object. It has no personal data.';

COMMENT ON COLUMN tidings_ops.erasures.readmitted_at IS 'Time from which the person may be stored again, because a request ended the tombstone. Null if there was none.';

COMMENT ON COLUMN tidings_ops.erasures.readmitted_by IS 'The author of that request, in the form of requested_by.';

CREATE VIEW tidings_ops.errors AS
 SELECT md5(((((((attempts.channel || '|'::text) || attempts.provider) || '|'::text) || attempts.reason) || '|'::text) || COALESCE((attempts.status)::text, ''::text))) AS error_fingerprint,
    attempts.channel,
    attempts.provider,
    attempts.reason AS reason_code,
    attempts.status AS provider_status,
    max(attempts.detail) AS sample,
    min(attempts.finished_at) AS first_seen_at,
    max(attempts.finished_at) AS last_seen_at,
    count(*) FILTER (WHERE (attempts.finished_at > (( SELECT tidings.clock() AS clock) - '01:00:00'::interval))) AS n_1h,
    count(*) FILTER (WHERE (attempts.finished_at > (( SELECT tidings.clock() AS clock) - '24:00:00'::interval))) AS n_24h,
    count(*) AS n_7d
   FROM tidings.attempts
  WHERE ((attempts.outcome <> 'accepted'::text) AND (attempts.notification_id >= ( SELECT tidings.first_id((tidings.clock() - '7 days'::interval)) AS first_id)))
  GROUP BY attempts.channel, attempts.provider, attempts.reason, attempts.status;

COMMENT ON VIEW tidings_ops.errors IS 'Failed calls to providers of the last seven days, grouped by kind of failure.';

COMMENT ON COLUMN tidings_ops.errors.error_fingerprint IS 'Hash of channel, provider, reason and status.';

COMMENT ON COLUMN tidings_ops.errors.channel IS 'push, local, inApp, email, sms, webPush or webhook.';

COMMENT ON COLUMN tidings_ops.errors.provider IS 'The provider that was called.';

COMMENT ON COLUMN tidings_ops.errors.reason_code IS 'The result of the calls: a code of tidings_ops.reason_codes.';

COMMENT ON COLUMN tidings_ops.errors.provider_status IS 'The HTTP status of the answers. Null if there was no answer.';

COMMENT ON COLUMN tidings_ops.errors.sample IS 'The provider''s message in one of the calls.';

COMMENT ON COLUMN tidings_ops.errors.first_seen_at IS 'Time of the first such call of the last seven days.';

COMMENT ON COLUMN tidings_ops.errors.last_seen_at IS 'Time of the last such call.';

COMMENT ON COLUMN tidings_ops.errors.n_1h IS 'Number of such calls in the last hour.';

COMMENT ON COLUMN tidings_ops.errors.n_24h IS 'Number of such calls in the last 24 hours.';

COMMENT ON COLUMN tidings_ops.errors.n_7d IS 'Number of such calls for notifications of the last seven days.';

CREATE VIEW tidings_ops.growth AS
 SELECT
        CASE
            WHEN (c.relname ~ '_p\d{8}$'::text) THEN to_date("right"((c.relname)::text, 8), 'YYYYMMDD'::text)
            ELSE NULL::date
        END AS day,
    pg_total_relation_size((c.oid)::regclass) AS notifications_bytes,
    (GREATEST(c.reltuples, (0)::real))::bigint AS notifications_estimate
   FROM (pg_inherits i
     JOIN pg_class c ON ((c.oid = i.inhrelid)))
  WHERE (i.inhparent = ('tidings.notifications'::regclass)::oid);

COMMENT ON VIEW tidings_ops.growth IS 'Bytes and estimated rows of notifications for each day that is kept.';

COMMENT ON COLUMN tidings_ops.growth.day IS 'A day in UTC.';

COMMENT ON COLUMN tidings_ops.growth.notifications_bytes IS 'Bytes on disk of the notifications of the day, with indexes.';

COMMENT ON COLUMN tidings_ops.growth.notifications_estimate IS 'Estimated notifications of the day as of the last analyze of PostgreSQL. 0 before the first analyze.';

CREATE VIEW tidings_ops.inbox AS
 SELECT inbox.tenant,
    inbox.recipient_id,
    inbox.notification_id,
    inbox.type,
    inbox.category,
    inbox.created_at,
    inbox.seen_at,
    inbox.read_at,
    inbox.dismissed_at,
    inbox.deleted_at,
    inbox.snoozed_until,
    inbox."position",
    inbox.woken_at
   FROM tidings.inbox;

COMMENT ON VIEW tidings_ops.inbox IS 'The inbox of each person, without titles, bodies and data. Indexed filter: tenant with recipient_id, also with notification_id.';

COMMENT ON COLUMN tidings_ops.inbox.tenant IS 'The tenant of the person.';

COMMENT ON COLUMN tidings_ops.inbox.recipient_id IS 'The name that producers use.';

COMMENT ON COLUMN tidings_ops.inbox.notification_id IS 'The notification.';

COMMENT ON COLUMN tidings_ops.inbox.type IS 'The type of the notification.';

COMMENT ON COLUMN tidings_ops.inbox.category IS 'The category of the type at acceptance.';

COMMENT ON COLUMN tidings_ops.inbox.created_at IS 'Time at which the notification was accepted.';

COMMENT ON COLUMN tidings_ops.inbox.seen_at IS 'Time at which the person first saw the entry. Null: not seen, or snoozed since.';

COMMENT ON COLUMN tidings_ops.inbox.read_at IS 'Time at which the person read the entry. Null for an unread entry.';

COMMENT ON COLUMN tidings_ops.inbox.dismissed_at IS 'Time at which the person dismissed the entry. It stays in the listing and does not count as unread. Null: not dismissed.';

COMMENT ON COLUMN tidings_ops.inbox.deleted_at IS 'Time at which the person deleted the entry, or its retention ended. The row is deleted a day after the limit for undo. Null: not deleted.';

COMMENT ON COLUMN tidings_ops.inbox.snoozed_until IS 'Until this time the entry is hidden and not counted. Then it arrives anew, and this column becomes null. Null: not snoozed.';

COMMENT ON COLUMN tidings_ops.inbox."position" IS 'Place of the entry in the listing, the highest first. It grows for each person in the order of arrival.';

COMMENT ON COLUMN tidings_ops.inbox.woken_at IS 'Time at which the last snooze of the entry ended. Null: no snooze has ended.';

CREATE VIEW tidings_ops.inboxes AS
 SELECT inboxes.tenant,
    inboxes.recipient_id,
    inboxes.total,
    inboxes.unread,
    inboxes.snoozed,
    inboxes."position",
    inboxes.wakes_at
   FROM tidings.inboxes;

COMMENT ON VIEW tidings_ops.inboxes IS 'The counts of each inbox. tidings db verify compares them with the entries. Indexed filter: tenant with recipient_id.';

COMMENT ON COLUMN tidings_ops.inboxes.tenant IS 'The tenant of the person.';

COMMENT ON COLUMN tidings_ops.inboxes.recipient_id IS 'The name that producers use.';

COMMENT ON COLUMN tidings_ops.inboxes.total IS 'Number of entries in the listing.';

COMMENT ON COLUMN tidings_ops.inboxes.unread IS 'Number of entries in the listing that are neither read nor dismissed.';

COMMENT ON COLUMN tidings_ops.inboxes.snoozed IS 'Number of snoozed entries. They are not in the listing.';

COMMENT ON COLUMN tidings_ops.inboxes."position" IS 'The newest position. Each arrival and each change of an entry gets the next one.';

COMMENT ON COLUMN tidings_ops.inboxes.wakes_at IS 'Time at which the earliest snooze ends, or an earlier time. Null: no entry is snoozed.';

CREATE VIEW tidings_ops.local_plans AS
 SELECT r.tenant,
    r.recipient_id,
    r.device_id,
    ((r.notification_id || '/'::text) || r.ordinal) AS delivery_id,
    r.notification_id,
    r.ordinal,
    r.type,
    r.scheduled_for,
        CASE
            WHEN ((r.ends_as IS NOT NULL) AND (NOT r.in_plan)) THEN r.ends_as
            WHEN (r.in_plan AND (r.confirmed_at IS NOT NULL) AND (COALESCE(r.fires_at, r.confirmed_at) <= tidings.clock())) THEN 'shown'::text
            WHEN (r.in_plan AND (r.confirmed_at IS NOT NULL)) THEN 'confirmed'::text
            WHEN r.in_plan THEN 'told'::text
            WHEN (r.version > 0) THEN 'takenBack'::text
            ELSE 'waiting'::text
        END AS state,
    r.end_reason AS reason_code,
    r.fires_at,
    r.zone,
    NULLIF(r.version, 0) AS version,
    r.planned_at,
    r.confirmed_at,
    r.expires_at,
    p.version AS plan_version,
    p.acked_version,
    p.synced_at,
    p.acked_at,
    p.woken_at
   FROM (tidings.local_requests r
     LEFT JOIN tidings.local_plans p ON (((p.tenant = r.tenant) AND (p.device_id = r.device_id))));

COMMENT ON VIEW tidings_ops.local_plans IS 'Notifications that each device is to show by itself. Indexed filters: notification_id; device_id with tenant.';

COMMENT ON COLUMN tidings_ops.local_plans.tenant IS 'The tenant of the person.';

COMMENT ON COLUMN tidings_ops.local_plans.recipient_id IS 'The person for whom the notification is. If the device has moved to another person, the device does not show the notification.';

COMMENT ON COLUMN tidings_ops.local_plans.device_id IS 'The device, as in tidings_ops.devices.';

COMMENT ON COLUMN tidings_ops.local_plans.delivery_id IS 'The delivery, as in tidings_ops.deliveries.';

COMMENT ON COLUMN tidings_ops.local_plans.notification_id IS 'The notification. The app plans it under this identifier.';

COMMENT ON COLUMN tidings_ops.local_plans.ordinal IS 'The number of the delivery in the notification.';

COMMENT ON COLUMN tidings_ops.local_plans.type IS 'The type of the notification.';

COMMENT ON COLUMN tidings_ops.local_plans.scheduled_for IS 'Time at which the producer wants the notification shown. Null: immediately.';

COMMENT ON COLUMN tidings_ops.local_plans.state IS 'waiting (not in the plan yet: the device has not asked, the plan is full, or a reason hides the notification), told (in a plan that the device has asked for), confirmed (the device has the notification), shown (confirmed, and its time has come), takenBack (out of the plan for now), or the state in which the delivery ends when the device confirms the removal.';

COMMENT ON COLUMN tidings_ops.local_plans.reason_code IS 'The reason why the notification was taken back for good. Null otherwise.';

COMMENT ON COLUMN tidings_ops.local_plans.fires_at IS 'The time in the plan at which the device is to show the notification: the scheduled time, or a time after quiet hours. Null: immediately, or the notification was in no plan.';

COMMENT ON COLUMN tidings_ops.local_plans.zone IS 'The time zone for which the plan has the time. Null if there is none.';

COMMENT ON COLUMN tidings_ops.local_plans.version IS 'The version of the plan in which this row last changed. Null if it was never in a plan.';

COMMENT ON COLUMN tidings_ops.local_plans.planned_at IS 'Time at which the notification was taken into the plan of the device.';

COMMENT ON COLUMN tidings_ops.local_plans.confirmed_at IS 'Time at which the device confirmed that it has the notification as the plan has it. Null before that.';

COMMENT ON COLUMN tidings_ops.local_plans.expires_at IS 'Time from which the notification is not shown.';

COMMENT ON COLUMN tidings_ops.local_plans.plan_version IS 'The version of the plan of the device. Each sync that finds a change makes a new version. Null if the device never had a plan.';

COMMENT ON COLUMN tidings_ops.local_plans.acked_version IS 'The last version that the device confirmed. 0 for none. Null if the device never had a plan.';

COMMENT ON COLUMN tidings_ops.local_plans.synced_at IS 'Time at which the device last asked for its plan. Null if the device never did.';

COMMENT ON COLUMN tidings_ops.local_plans.acked_at IS 'Time at which the device last confirmed a version. Null if the device never did.';

COMMENT ON COLUMN tidings_ops.local_plans.woken_at IS 'Time at which a silent push last woke the app. Null if none did.';

CREATE VIEW tidings_ops.notifications AS
 SELECT n.id AS notification_id,
    n.tenant,
    n.type,
    n.category,
    n.recipient_id,
    n.lane,
    n.source,
    n.event_id AS idempotency_key,
    n.traceparent AS trace_id,
    n.accepted_at,
    n.scheduled_for AS send_at,
    n.expires_at,
        CASE
            WHEN (e.ended = n.planned) THEN 'done'::text
            ELSE 'pending'::text
        END AS state,
    n.planned AS deliveries,
    e.delivered,
    e.sent,
    e.failed,
    e.not_sent,
        CASE
            WHEN (e.ended = n.planned) THEN e.finished_at
            ELSE NULL::timestamp with time zone
        END AS finished_at,
    n.catalogue,
    n.event_id
   FROM (tidings.notifications n
     CROSS JOIN LATERAL ( SELECT (count(*))::smallint AS ended,
            max(d.ended_at) AS finished_at,
            count(*) FILTER (WHERE (d.state = 'delivered'::text)) AS delivered,
            count(*) FILTER (WHERE (d.state = 'sent'::text)) AS sent,
            count(*) FILTER (WHERE (d.state = ANY (ARRAY['failed'::text, 'expired'::text]))) AS failed,
            count(*) FILTER (WHERE (d.state = ANY (ARRAY['suppressed'::text, 'cancelled'::text]))) AS not_sent
           FROM tidings.deliveries d
          WHERE (d.notification_id = n.id)) e);

COMMENT ON VIEW tidings_ops.notifications IS 'One row for each accepted intent and recipient. Indexed filters: notification_id, recipient_id, event_id. Indexed order: notification_id.';

COMMENT ON COLUMN tidings_ops.notifications.notification_id IS 'UUIDv7: its first 48 bits are the time of acceptance in milliseconds.';

COMMENT ON COLUMN tidings_ops.notifications.tenant IS 'The tenant of the notification: default unless the producer named another.';

COMMENT ON COLUMN tidings_ops.notifications.type IS 'The type in the catalogue: the CloudEvents type of the intent.';

COMMENT ON COLUMN tidings_ops.notifications.category IS 'The category of the type at acceptance: transactional, marketing, social or system.';

COMMENT ON COLUMN tidings_ops.notifications.recipient_id IS 'The person, under the name that the producer uses.';

COMMENT ON COLUMN tidings_ops.notifications.lane IS 'urgent or bulk. Each lane has its own queues from intake to the provider.';

COMMENT ON COLUMN tidings_ops.notifications.source IS 'The producer: the CloudEvents source.';

COMMENT ON COLUMN tidings_ops.notifications.idempotency_key IS 'The older name of event_id, with the same value. The idempotency_key of tidings_ops.attempts is another key: it goes to the provider.';

COMMENT ON COLUMN tidings_ops.notifications.trace_id IS 'The whole W3C traceparent that came with the event. Null if the event had none.';

COMMENT ON COLUMN tidings_ops.notifications.accepted_at IS 'Time at which the decision was made and committed.';

COMMENT ON COLUMN tidings_ops.notifications.send_at IS 'Time for which the producer scheduled the notification. Null if the producer gave no time.';

COMMENT ON COLUMN tidings_ops.notifications.expires_at IS 'Time from which no delivery of the notification is sent. A delivery that still waits then ends as expired.';

COMMENT ON COLUMN tidings_ops.notifications.state IS 'pending until every delivery has ended, then done.';

COMMENT ON COLUMN tidings_ops.notifications.deliveries IS 'Number of planned deliveries: one for each channel and endpoint.';

COMMENT ON COLUMN tidings_ops.notifications.delivered IS 'Number of deliveries that are known to have arrived.';

COMMENT ON COLUMN tidings_ops.notifications.sent IS 'Number of deliveries that a provider accepted without saying that they arrived.';

COMMENT ON COLUMN tidings_ops.notifications.failed IS 'Number of deliveries that ended as failed or expired.';

COMMENT ON COLUMN tidings_ops.notifications.not_sent IS 'Number of deliveries that ended as suppressed or cancelled. These deliveries do not count as failed.';

COMMENT ON COLUMN tidings_ops.notifications.finished_at IS 'Time at which the last delivery ended. Null while the notification is pending.';

COMMENT ON COLUMN tidings_ops.notifications.catalogue IS 'The hash of the catalogue that was in force at acceptance.';

COMMENT ON COLUMN tidings_ops.notifications.event_id IS 'The producer''s event id: the CloudEvents id. An intent is accepted once for each tenant, source, event id and recipient.';

CREATE VIEW tidings_ops.open_breakers AS
 SELECT w.channel,
    w.provider,
    count(*) AS deliveries,
    min(w.since) AS since_at
   FROM (( VALUES ('urgent'::text), ('bulk'::text)) l(lane)
     CROSS JOIN LATERAL ( SELECT w_1.channel,
            w_1.provider,
            w_1.since,
            w_1.reason
           FROM tidings.due w_1
          WHERE ((w_1.lane = l.lane) AND ((w_1.due_at >= (tidings.clock() - '00:01:00'::interval)) AND (w_1.due_at <= (tidings.clock() + '00:02:00'::interval))))
          ORDER BY w_1.due_at
         LIMIT 10000) w)
  WHERE (w.reason = 'breakerOpen'::text)
  GROUP BY w.channel, w.provider;

COMMENT ON VIEW tidings_ops.open_breakers IS 'Providers with an open circuit breaker for which deliveries wait. Reads at most 10,000 deliveries of each lane.';

COMMENT ON COLUMN tidings_ops.open_breakers.channel IS 'The channel of the deliveries.';

COMMENT ON COLUMN tidings_ops.open_breakers.provider IS 'The provider. At least one of its hosts or endpoints fails.';

COMMENT ON COLUMN tidings_ops.open_breakers.deliveries IS 'Number of deliveries that wait because the circuit breaker was open.';

COMMENT ON COLUMN tidings_ops.open_breakers.since_at IS 'Time since which the first of these deliveries waits.';

CREATE VIEW tidings_ops.outbox AS
 WITH RECURSIVE step AS (
        ( SELECT outgoing.attempts,
            outgoing.created_at
           FROM tidings.outgoing
          ORDER BY outgoing.attempts, outgoing.created_at, outgoing.id
         LIMIT 1)
        UNION ALL
         SELECT n.attempts,
            n.created_at
           FROM (step
             CROSS JOIN LATERAL ( SELECT o.attempts,
                    o.created_at
                   FROM tidings.outgoing o
                  WHERE (o.attempts > step.attempts)
                  ORDER BY o.attempts, o.created_at, o.id
                 LIMIT 1) n)
        ), oldest AS (
         SELECT min(step.created_at) AS at,
            max(step.attempts) AS most_attempts
           FROM step
        ), counted AS (
         SELECT count(*) AS n
           FROM ( SELECT
                   FROM tidings.outgoing
                  ORDER BY outgoing.attempts, outgoing.created_at, outgoing.id
                 LIMIT 100000) few
        ), refused AS (
         SELECT count(*) AS n
           FROM ( SELECT
                   FROM tidings.outgoing
                  WHERE (outgoing.attempts > 10)
                  ORDER BY outgoing.attempts, outgoing.created_at, outgoing.id
                 LIMIT 100000) few
        ), estimated AS (
         SELECT COALESCE(((((c.reltuples / (NULLIF(c.relpages, 0))::double precision) * (pg_relation_size((c.oid)::regclass))::double precision) / ((current_setting('block_size'::text))::integer)::double precision))::bigint, (0)::bigint) AS n
           FROM pg_class c
          WHERE (c.oid = ('tidings.outgoing'::regclass)::oid)
        )
 SELECT
        CASE
            WHEN (counted.n < 100000) THEN counted.n
            ELSE GREATEST(counted.n, estimated.n)
        END AS waiting,
    (counted.n >= 100000) AS is_estimate,
    oldest.at AS oldest_at,
    (EXTRACT(epoch FROM (tidings.clock() - oldest.at)))::double precision AS oldest_seconds,
    refused.n AS refused,
    COALESCE(oldest.most_attempts, 0) AS most_attempts
   FROM oldest,
    counted,
    refused,
    estimated;

COMMENT ON VIEW tidings_ops.outbox IS 'Events that tidings_api.enqueue has taken and no release role has published yet. Always one row.';

COMMENT ON COLUMN tidings_ops.outbox.waiting IS 'Number of events that wait. Events of transactions that are not committed do not count.';

COMMENT ON COLUMN tidings_ops.outbox.is_estimate IS 'True if waiting is an estimate. This is so from 100,000 events on.';

COMMENT ON COLUMN tidings_ops.outbox.oldest_at IS 'Time at which the oldest waiting event was enqueued. Null if no event waits.';

COMMENT ON COLUMN tidings_ops.outbox.oldest_seconds IS 'Age of the oldest waiting event in seconds. If the age is more than some seconds, no release role runs, or the broker does not take events.';

COMMENT ON COLUMN tidings_ops.outbox.refused IS 'Number of events that the broker has refused more than ten times. A release role tries these events every ten seconds, and its log has the reason.';

COMMENT ON COLUMN tidings_ops.outbox.most_attempts IS 'The largest number of times that the broker refused one event. Counting stops at 1000.';

CREATE VIEW tidings_ops.outcomes_by_market AS
 WITH judged_last AS (
         SELECT DISTINCT ON (decisions.notification_id, decisions.ordinal) decisions.notification_id,
            decisions.ordinal,
            COALESCE(((decisions.decision)::json ->> 'market'::text), 'default'::text) AS market
           FROM tidings.decisions
          ORDER BY decisions.notification_id, decisions.ordinal, decisions.at DESC
        ), outcomes AS (
         SELECT COALESCE(j.market, ((n.decision)::json #>> ARRAY['deliveries'::text, (d.ordinal)::text, 'market'::text]), ((n.decision)::json ->> 'market'::text), 'default'::text) AS market,
            d.channel,
            d.provider,
            n.type,
            n.category,
            d.state AS outcome,
            d.reason AS reason_code,
            d.ended_at AS at
           FROM ((tidings.deliveries d
             JOIN tidings.notifications n ON ((n.id = d.notification_id)))
             LEFT JOIN judged_last j ON (((j.notification_id = d.notification_id) AND (j.ordinal = d.ordinal))))
        UNION ALL
         SELECT COALESCE(((m.decision)::json ->> 'market'::text), 'default'::text) AS "coalesce",
            ((m.decision)::json ->> 'channel'::text),
            m.moved_from,
            n.type,
            n.category,
            'gaveUp'::text,
            m.moved_because,
            m.at
           FROM (tidings.decisions m
             JOIN tidings.notifications n ON ((n.id = m.notification_id)))
          WHERE (m.moved_from <> ''::text)
        )
 SELECT outcomes.market,
    outcomes.channel,
    outcomes.provider,
    outcomes.type,
    outcomes.category,
    outcomes.outcome,
    outcomes.reason_code,
    count(*) AS n,
    max(outcomes.at) AS last_at
   FROM outcomes
  GROUP BY outcomes.market, outcomes.channel, outcomes.provider, outcomes.type, outcomes.category, outcomes.outcome, outcomes.reason_code;

COMMENT ON VIEW tidings_ops.outcomes_by_market IS 'Number of deliveries by market, provider, type and outcome. Reads everything that is kept: for reports, not for a dashboard.';

COMMENT ON COLUMN tidings_ops.outcomes_by_market.market IS 'The market whose providers carried the deliveries: the market of the person, or the market of the device.';

COMMENT ON COLUMN tidings_ops.outcomes_by_market.channel IS 'The channel, as in tidings_ops.deliveries.';

COMMENT ON COLUMN tidings_ops.outcomes_by_market.provider IS 'The name of the provider in the catalogue. Empty if the delivery was refused before a provider was chosen.';

COMMENT ON COLUMN tidings_ops.outcomes_by_market.type IS 'The type of the notification.';

COMMENT ON COLUMN tidings_ops.outcomes_by_market.category IS 'The category of the type at acceptance.';

COMMENT ON COLUMN tidings_ops.outcomes_by_market.outcome IS 'The state in which the deliveries ended, or gaveUp: the provider could not deliver, and the next provider took over.';

COMMENT ON COLUMN tidings_ops.outcomes_by_market.reason_code IS 'The reason: a code of tidings_ops.reason_codes.';

COMMENT ON COLUMN tidings_ops.outcomes_by_market.n IS 'Number of deliveries.';

COMMENT ON COLUMN tidings_ops.outcomes_by_market.last_at IS 'Time at which the last of these deliveries ended or moved to the next provider.';

CREATE VIEW tidings_ops.overdue AS
 SELECT w.lane,
    w.channel,
    w.provider,
    count(*) AS deliveries,
    min(w.due_at) AS oldest_at
   FROM (( VALUES ('urgent'::text), ('bulk'::text)) l(lane)
     CROSS JOIN LATERAL ( SELECT w_1.lane,
            w_1.channel,
            w_1.provider,
            w_1.due_at
           FROM tidings.due w_1
          WHERE ((w_1.lane = l.lane) AND (w_1.due_at < (tidings.clock() - '00:01:00'::interval)) AND (w_1.pause_id IS NULL))
          ORDER BY w_1.due_at
         LIMIT 10000) w)
  GROUP BY w.lane, w.channel, w.provider;

COMMENT ON VIEW tidings_ops.overdue IS 'Deliveries that were due more than a minute ago and that no releaser has taken. Paused deliveries are left out. Counts at most 10,000 deliveries of each lane. A provider with 2,000 unfinished packs gets no more deliveries until some packs are finished.';

COMMENT ON COLUMN tidings_ops.overdue.lane IS 'urgent or bulk.';

COMMENT ON COLUMN tidings_ops.overdue.channel IS 'The channel of the deliveries.';

COMMENT ON COLUMN tidings_ops.overdue.provider IS 'The provider in the catalogue. Empty before a provider is chosen.';

COMMENT ON COLUMN tidings_ops.overdue.deliveries IS 'Number of overdue deliveries.';

COMMENT ON COLUMN tidings_ops.overdue.oldest_at IS 'Time at which the first of these deliveries was due.';

CREATE VIEW tidings_ops.pauses AS
 SELECT p.id AS pause_id,
    p.scope,
    p.name AS target,
    p.reason,
    p.paused_by,
    p.since AS since_at,
    p.until AS until_at,
        CASE
            WHEN ((p.resumed_at IS NOT NULL) OR (p.until <= tidings.clock())) THEN 'over'::text
            ELSE 'paused'::text
        END AS state,
    COALESCE(p.resumed_at,
        CASE
            WHEN (p.until <= tidings.clock()) THEN p.until
            ELSE NULL::timestamp with time zone
        END) AS ended_at,
    p.resumed_by,
    ( SELECT count(*) AS count
           FROM tidings.due w
          WHERE (w.pause_id = p.id)) AS deliveries
   FROM tidings.pauses p;

COMMENT ON VIEW tidings_ops.pauses IS 'Pauses that operators made, in force or over. A pause is kept for as long as notifications are. See tidings pause.';

COMMENT ON COLUMN tidings_ops.pauses.pause_id IS 'The id of the pause, as in tidings_ops.deliveries.';

COMMENT ON COLUMN tidings_ops.pauses.scope IS 'The property of a delivery that the pause compares: channel, provider, type or tenant.';

COMMENT ON COLUMN tidings_ops.pauses.target IS 'The channel, provider, type or tenant that is paused.';

COMMENT ON COLUMN tidings_ops.pauses.reason IS 'The reason, in the words of the operator.';

COMMENT ON COLUMN tidings_ops.pauses.paused_by IS 'The operator who made the pause, or who last changed its reason or end.';

COMMENT ON COLUMN tidings_ops.pauses.since_at IS 'Time at which the pause began.';

COMMENT ON COLUMN tidings_ops.pauses.until_at IS 'Time at which the pause ends by itself. Null: the pause lasts until an operator ends it.';

COMMENT ON COLUMN tidings_ops.pauses.state IS 'paused, or over.';

COMMENT ON COLUMN tidings_ops.pauses.ended_at IS 'Time at which an operator ended the pause, or at which it ended by itself. Null while the pause is in force.';

COMMENT ON COLUMN tidings_ops.pauses.resumed_by IS 'The operator who ended the pause. Null while the pause is in force, and if it ended by itself.';

COMMENT ON COLUMN tidings_ops.pauses.deliveries IS 'Number of deliveries that wait for the pause now.';

CREATE VIEW tidings_ops.possible_duplicates AS
 SELECT attempts.notification_id,
    attempts.ordinal,
    attempts.attempt,
    attempts.channel,
    attempts.provider,
    attempts.reason AS reason_code,
    attempts.idempotency_key,
    attempts.worker AS worker_id,
    attempts.started_at
   FROM tidings.attempts
  WHERE attempts.possible_duplicate;

COMMENT ON VIEW tidings_ops.possible_duplicates IS 'Each call that may have arrived, if the same delivery was sent again after it. Has the reason, and the idempotency key that both calls carried.';

COMMENT ON COLUMN tidings_ops.possible_duplicates.notification_id IS 'The notification.';

COMMENT ON COLUMN tidings_ops.possible_duplicates.ordinal IS 'The delivery, by its number in the notification, from 0.';

COMMENT ON COLUMN tidings_ops.possible_duplicates.attempt IS 'Number of the call that may have arrived. A later call followed.';

COMMENT ON COLUMN tidings_ops.possible_duplicates.channel IS 'push, local, inApp, email, sms, webPush or webhook.';

COMMENT ON COLUMN tidings_ops.possible_duplicates.provider IS 'The provider that may have seen the delivery twice.';

COMMENT ON COLUMN tidings_ops.possible_duplicates.reason_code IS 'The reason why the outcome is not known: workerDied, timeout or outcomeUnknown.';

COMMENT ON COLUMN tidings_ops.possible_duplicates.idempotency_key IS 'The key that both calls carried to the provider: <notification_id>-<ordinal>. It is not the producer''s event id.';

COMMENT ON COLUMN tidings_ops.possible_duplicates.worker_id IS 'The worker that called.';

COMMENT ON COLUMN tidings_ops.possible_duplicates.started_at IS 'Time at which the call began. If the worker died, the time at which it claimed the pack.';

CREATE VIEW tidings_ops.queues AS
 SELECT q.queue,
    q.channel,
    q.provider,
    q.lane,
    s.ready,
    s.consumers,
    s.sampled_at,
    q.packs,
    q.deliveries,
    q.in_flight,
    q.unconfirmed,
    q.oldest_at,
    tidings.drained_per_second(s.*) AS drained_per_second,
    tidings.clears_at(s.*) AS clears_at,
        CASE
            WHEN (s.ready > 0) THEN s.waiting_since
            ELSE NULL::timestamp with time zone
        END AS waiting_since
   FROM (( SELECT ((((('tidings.deliver.'::text || packs.channel) || '.'::text) || packs.provider) || '.'::text) || packs.lane) AS queue,
            packs.channel,
            packs.provider,
            packs.lane,
            count(*) AS packs,
            sum(cardinality(packs.notification_ids)) AS deliveries,
            sum(cardinality(packs.notification_ids)) FILTER (WHERE (packs.claimed_at IS NOT NULL)) AS in_flight,
            count(*) FILTER (WHERE (packs.confirmed_at IS NULL)) AS unconfirmed,
            min(packs.decided_at) AS oldest_at
           FROM tidings.packs
          GROUP BY packs.channel, packs.provider, packs.lane) q
     LEFT JOIN tidings.queue_samples s USING (queue))
UNION ALL
 SELECT s.queue,
    NULL::text AS channel,
    NULL::text AS provider,
    NULL::text AS lane,
    s.ready,
    s.consumers,
    s.sampled_at,
    NULL::bigint AS packs,
    NULL::bigint AS deliveries,
    NULL::bigint AS in_flight,
    NULL::bigint AS unconfirmed,
    NULL::timestamp with time zone AS oldest_at,
    tidings.drained_per_second(s.*) AS drained_per_second,
    tidings.clears_at(s.*) AS clears_at,
        CASE
            WHEN (s.ready > 0) THEN s.waiting_since
            ELSE NULL::timestamp with time zone
        END AS waiting_since
   FROM tidings.queue_samples s
  WHERE (NOT (EXISTS ( SELECT
           FROM tidings.packs p
          WHERE (s.queue = ((((('tidings.deliver.'::text || p.channel) || '.'::text) || p.provider) || '.'::text) || p.lane)))));

COMMENT ON VIEW tidings_ops.queues IS 'One row for each queue. The ready messages and the consumers are those of the last sample of the broker. The unfinished packs and deliveries are those of now.';

COMMENT ON COLUMN tidings_ops.queues.queue IS 'The name of the queue on the broker.';

COMMENT ON COLUMN tidings_ops.queues.channel IS 'The channel of a delivery queue with unfinished packs. Null otherwise.';

COMMENT ON COLUMN tidings_ops.queues.provider IS 'The provider of a delivery queue with unfinished packs. Null otherwise.';

COMMENT ON COLUMN tidings_ops.queues.lane IS 'urgent or bulk, for a delivery queue with unfinished packs. Null otherwise.';

COMMENT ON COLUMN tidings_ops.queues.ready IS 'Messages that no consumer held at the last sample. Null before the first sample.';

COMMENT ON COLUMN tidings_ops.queues.consumers IS 'Number of consumers at the last sample. Null before the first sample.';

COMMENT ON COLUMN tidings_ops.queues.sampled_at IS 'Time of the last sample. A release role takes one every 5 seconds.';

COMMENT ON COLUMN tidings_ops.queues.packs IS 'Number of packs that are not settled now. A pack is up to 50 deliveries in one message. Null if there is none.';

COMMENT ON COLUMN tidings_ops.queues.deliveries IS 'Number of deliveries in these packs. Null if there is no pack.';

COMMENT ON COLUMN tidings_ops.queues.in_flight IS 'Number of these deliveries that a worker has claimed.';

COMMENT ON COLUMN tidings_ops.queues.unconfirmed IS 'Number of these packs that the broker has not confirmed yet. A releaser publishes them again.';

COMMENT ON COLUMN tidings_ops.queues.oldest_at IS 'Time at which the oldest of these packs was decided. Null if there is no pack.';

COMMENT ON COLUMN tidings_ops.queues.drained_per_second IS 'Number of messages a second by which the queue shrank between the last two samples. Negative while the queue grows.';

COMMENT ON COLUMN tidings_ops.queues.clears_at IS 'Time at which the queue will be empty at the speed of drained_per_second. Null while the queue does not shrink.';

COMMENT ON COLUMN tidings_ops.queues.waiting_since IS 'Time of the first sample since which every sample found messages in the queue. Null while the queue is empty. Samples are five seconds apart.';

CREATE VIEW tidings_ops.reason_codes AS
 SELECT reason_codes.code,
    reason_codes.states,
    reason_codes.meaning,
    reason_codes.what_to_do,
    reason_codes.retryable,
    reason_codes.since
   FROM tidings.reason_codes;

COMMENT ON VIEW tidings_ops.reason_codes IS 'The closed list of reasons. Every reason_code elsewhere is one of these. Exception: a queued delivery has inQueue or inFlight.';

COMMENT ON COLUMN tidings_ops.reason_codes.code IS 'The code, as in every reason_code column. Its meaning never changes.';

COMMENT ON COLUMN tidings_ops.reason_codes.states IS 'The delivery states that the reason can explain, sorted. Empty for a reason of a rejected intent or a dead message.';

COMMENT ON COLUMN tidings_ops.reason_codes.meaning IS 'One sentence in plain words.';

COMMENT ON COLUMN tidings_ops.reason_codes.what_to_do IS 'The next step for an operator or a producer. The text is "Nothing." if no step is needed.';

COMMENT ON COLUMN tidings_ops.reason_codes.retryable IS 'True if another try with the same message can end differently.';

COMMENT ON COLUMN tidings_ops.reason_codes.since IS 'The first version with this code.';

CREATE VIEW tidings_ops.recent_failures AS
 SELECT d.channel,
    d.provider,
    d.reason AS reason_code,
    count(*) AS deliveries,
    min(d.ended_at) AS first_at,
    max(d.ended_at) AS last_at,
    (array_agg(((d.notification_id || '/'::text) || d.ordinal) ORDER BY d.ended_at DESC))[1] AS sample_id,
    d.state
   FROM (( SELECT deliveries.channel,
            deliveries.provider,
            deliveries.reason,
            deliveries.notification_id,
            deliveries.ordinal,
            deliveries.ended_at,
            deliveries.state
           FROM tidings.deliveries
          WHERE ((deliveries.state = 'failed'::text) AND (deliveries.ended_at > (tidings.clock() - '00:15:00'::interval)))
          ORDER BY deliveries.ended_at DESC
         LIMIT 10000)
        UNION ALL
        ( SELECT deliveries.channel,
            deliveries.provider,
            deliveries.reason,
            deliveries.notification_id,
            deliveries.ordinal,
            deliveries.ended_at,
            deliveries.state
           FROM tidings.deliveries
          WHERE ((deliveries.state = 'suppressed'::text) AND (deliveries.reason = 'noProvider'::text) AND (deliveries.ended_at > (tidings.clock() - '00:15:00'::interval)))
          ORDER BY deliveries.ended_at DESC
         LIMIT 10000)) d
  GROUP BY d.channel, d.provider, d.reason, d.state;

COMMENT ON VIEW tidings_ops.recent_failures IS 'Deliveries that ended within the last 15 minutes as failed, or as suppressed with the reason noProvider, by provider and reason. Counts at most the last 10,000 of each state.';

COMMENT ON COLUMN tidings_ops.recent_failures.channel IS 'The channel of the deliveries.';

COMMENT ON COLUMN tidings_ops.recent_failures.provider IS 'The provider that carried the deliveries. Empty if none was chosen.';

COMMENT ON COLUMN tidings_ops.recent_failures.reason_code IS 'The reason: a code of tidings_ops.reason_codes.';

COMMENT ON COLUMN tidings_ops.recent_failures.deliveries IS 'Number of such deliveries.';

COMMENT ON COLUMN tidings_ops.recent_failures.first_at IS 'Time at which the first of these deliveries ended.';

COMMENT ON COLUMN tidings_ops.recent_failures.last_at IS 'Time at which the last of these deliveries ended.';

COMMENT ON COLUMN tidings_ops.recent_failures.sample_id IS 'The delivery that ended last: an id for tidings why and tidings delivery show.';

COMMENT ON COLUMN tidings_ops.recent_failures.state IS 'failed, or suppressed for deliveries without a provider.';

CREATE VIEW tidings_ops.recipients AS
 SELECT recipients.tenant,
    recipients.id AS recipient_id,
    recipients.time_zone,
    recipients.market,
    recipients.changed_at
   FROM tidings.recipients;

COMMENT ON VIEW tidings_ops.recipients IS 'People whose settings are known. Indexed filter: tenant with recipient_id.';

COMMENT ON COLUMN tidings_ops.recipients.tenant IS 'The tenant of the person.';

COMMENT ON COLUMN tidings_ops.recipients.recipient_id IS 'The name that producers use.';

COMMENT ON COLUMN tidings_ops.recipients.time_zone IS 'The time zone of the person.';

COMMENT ON COLUMN tidings_ops.recipients.market IS 'The market of the person. Null for the default market.';

COMMENT ON COLUMN tidings_ops.recipients.changed_at IS 'Time of the last change of these settings.';

CREATE VIEW tidings_ops.rejected AS
 SELECT rejected.id AS rejected_id,
    rejected.reason AS reason_code,
    rejected.pointer,
    rejected.message,
    rejected.tenant,
    rejected.source,
    rejected.event_id,
    rejected.type,
    rejected.recipients[1] AS recipient_id,
    rejected.recipients,
    rejected.verified,
    rejected.exchange,
    rejected.routing_key,
    rejected.content_type,
    rejected.size,
    rejected.occurrences,
    rejected.replayable,
    rejected.state,
    rejected.at AS first_at,
    rejected.last_at,
    octet_length(rejected.raw) AS bytes_kept
   FROM tidings.rejected;

COMMENT ON VIEW tidings_ops.rejected IS 'Refused intents, the reason for each, and whether they can be replayed. See tidings rejected.';

COMMENT ON COLUMN tidings_ops.rejected.rejected_id IS 'The id for tidings rejected show, replay and discard.';

COMMENT ON COLUMN tidings_ops.rejected.reason_code IS 'The reason for the refusal: a code of tidings_ops.reason_codes.';

COMMENT ON COLUMN tidings_ops.rejected.pointer IS 'The place in the event: a JSON pointer (RFC 6901). Empty for the event as a whole.';

COMMENT ON COLUMN tidings_ops.rejected.message IS 'The reason in words, with the value at that place.';

COMMENT ON COLUMN tidings_ops.rejected.tenant IS 'The tenant. Null if it could not be read.';

COMMENT ON COLUMN tidings_ops.rejected.source IS 'The CloudEvents source. Null if it could not be read.';

COMMENT ON COLUMN tidings_ops.rejected.event_id IS 'The CloudEvents id. Null if it could not be read.';

COMMENT ON COLUMN tidings_ops.rejected.type IS 'The CloudEvents type. Null if it could not be read.';

COMMENT ON COLUMN tidings_ops.rejected.recipient_id IS 'The first person that the event names. Null if none could be read.';

COMMENT ON COLUMN tidings_ops.rejected.recipients IS 'All people that the event names, as far as they could be read, at most 1,000. To look for one, use tidings_ops.find.';

COMMENT ON COLUMN tidings_ops.rejected.verified IS 'True if the event was read whole and its publisher may name this tenant and source. False: the event is broken, or the publisher is not known or has no such right. Then anybody may have written tenant, source, event_id, type and recipients.';

COMMENT ON COLUMN tidings_ops.rejected.exchange IS 'The exchange to which the event was published. A replay publishes it there again.';

COMMENT ON COLUMN tidings_ops.rejected.routing_key IS 'The routing key with which the event was published.';

COMMENT ON COLUMN tidings_ops.rejected.content_type IS 'The content type of the kept bytes. Null if the message had none.';

COMMENT ON COLUMN tidings_ops.rejected.size IS 'Bytes of the event, or of the message if the event could not be separated from it.';

COMMENT ON COLUMN tidings_ops.rejected.occurrences IS 'Number of times that the same event was refused for the same reason.';

COMMENT ON COLUMN tidings_ops.rejected.replayable IS 'True if tidings rejected replay can publish the event again. All bytes of the event are kept then, and it may be accepted later, for example after a change of the catalogue. False if the same event would be refused again.';

COMMENT ON COLUMN tidings_ops.rejected.state IS 'open, replayed or discarded.';

COMMENT ON COLUMN tidings_ops.rejected.first_at IS 'Time of the first refusal.';

COMMENT ON COLUMN tidings_ops.rejected.last_at IS 'Time of the last refusal.';

COMMENT ON COLUMN tidings_ops.rejected.bytes_kept IS 'Number of bytes that tidings rejected show prints. Of an event that was too large, these are the first 64 KiB. 0 beside a larger size: the bytes of refused events had reached the bound of the day.';

CREATE VIEW tidings_ops.schema_version AS
 SELECT COALESCE(max(migrations.number), 0) AS version,
    COALESCE(max(migrations.oldest_binary_schema), 0) AS oldest_binary_schema,
    (array_agg(((migrations.number || ' '::text) || migrations.name) ORDER BY migrations.oldest_binary_schema DESC, migrations.number) FILTER (WHERE (migrations.oldest_binary_schema IS NOT NULL)))[1] AS required_by,
    max(migrations.applied_at) AS migrated_at,
    tidings.clock() AS as_of
   FROM tidings.migrations;

COMMENT ON VIEW tidings_ops.schema_version IS 'One row: the schema of this database, and which binaries may start on it.';

COMMENT ON COLUMN tidings_ops.schema_version.version IS 'The number of the newest migration.';

COMMENT ON COLUMN tidings_ops.schema_version.oldest_binary_schema IS 'A binary starts if it knows at least this number. tidings db plan prints the numbers that a binary knows.';

COMMENT ON COLUMN tidings_ops.schema_version.required_by IS 'The migration that excludes older binaries.';

COMMENT ON COLUMN tidings_ops.schema_version.migrated_at IS 'Time at which the newest migration was applied.';

COMMENT ON COLUMN tidings_ops.schema_version.as_of IS 'The time of this answer, by the clock that every other view uses.';

CREATE VIEW tidings_ops.state_counts AS
 SELECT counted.channel,
    counted.tenant,
    counted.state,
    counted.reason AS reason_code,
    (sum(counted.n))::bigint AS n,
    tidings.clock() AS as_of
   FROM ( SELECT tally.channel,
            tally.tenant,
            tally.state,
            tally.reason,
            tally.n
           FROM tidings.tally
          WHERE (tally.kind = 'ended'::text)
        UNION ALL
         SELECT tally_totals.channel,
            tally_totals.tenant,
            tally_totals.state,
            tally_totals.reason,
            tally_totals.n
           FROM tidings.tally_totals
          WHERE (tally_totals.kind = 'ended'::text)
        UNION ALL
         SELECT due.channel,
            due.tenant,
                CASE
                    WHEN (due.kind = ANY (ARRAY['held'::text, 'escalation'::text])) THEN 'held'::text
                    ELSE 'retrying'::text
                END AS "case",
            due.reason,
            1
           FROM tidings.due
        UNION ALL
         SELECT packs.channel,
            ''::text,
            'queued'::text,
                CASE
                    WHEN (packs.claimed_at IS NULL) THEN 'inQueue'::text
                    ELSE 'inFlight'::text
                END AS "case",
            cardinality(packs.notification_ids) AS cardinality
           FROM tidings.packs) counted
  GROUP BY counted.channel, counted.tenant, counted.state, counted.reason
 HAVING (sum(counted.n) <> (0)::numeric);

COMMENT ON VIEW tidings_ops.state_counts IS 'Number of deliveries in each state, by reason. The view reads stored counts, so it is fast at any size. The tenant is empty for queued deliveries.';

COMMENT ON COLUMN tidings_ops.state_counts.channel IS 'push, local, inApp, email, sms, webPush or webhook.';

COMMENT ON COLUMN tidings_ops.state_counts.tenant IS 'The tenant. Empty for queued deliveries. Also empty for ended deliveries beyond the first 10,000 counts, and for counts that did not change for 60 days.';

COMMENT ON COLUMN tidings_ops.state_counts.state IS 'The state, as in tidings_ops.deliveries.';

COMMENT ON COLUMN tidings_ops.state_counts.reason_code IS 'The reason, as in tidings_ops.deliveries.';

COMMENT ON COLUMN tidings_ops.state_counts.n IS 'Number of deliveries. Deliveries that retention has deleted count too.';

COMMENT ON COLUMN tidings_ops.state_counts.as_of IS 'Time of the count.';

CREATE VIEW tidings_ops.storage AS
 SELECT COALESCE(p.relname, c.relname) AS table_name,
    count(*) AS partitions,
    (sum(GREATEST(c.reltuples, (0)::real)))::bigint AS rows_estimate,
    (sum(pg_total_relation_size((c.oid)::regclass)))::bigint AS bytes
   FROM (((pg_class c
     JOIN pg_namespace s ON ((s.oid = c.relnamespace)))
     LEFT JOIN pg_inherits i ON ((i.inhrelid = c.oid)))
     LEFT JOIN pg_class p ON ((p.oid = i.inhparent)))
  WHERE ((s.nspname = 'tidings'::name) AND (c.relkind = 'r'::"char"))
  GROUP BY COALESCE(p.relname, c.relname);

COMMENT ON VIEW tidings_ops.storage IS 'Size of each table with all its partitions.';

COMMENT ON COLUMN tidings_ops.storage.table_name IS 'A table of the private schema. Its partitions count as part of it.';

COMMENT ON COLUMN tidings_ops.storage.partitions IS 'Number of partitions. 1 for a table without partitions.';

COMMENT ON COLUMN tidings_ops.storage.rows_estimate IS 'Estimated rows as of the last analyze of PostgreSQL. 0 before the first analyze.';

COMMENT ON COLUMN tidings_ops.storage.bytes IS 'Bytes on disk, with indexes.';

CREATE VIEW tidings_ops.timeline AS
 SELECT n.id AS notification_id,
    NULL::smallint AS ordinal,
    n.accepted_at AS at,
    'router'::text AS actor,
    NULL::text AS channel,
    'accepted'::text AS event,
    NULL::text AS reason_code,
    ((((n.type || ' for '::text) || n.recipient_id) || ' from '::text) || n.source) AS summary
   FROM tidings.notifications n
UNION ALL
 SELECT d.notification_id,
    d.ordinal,
    d.decided_at AS at,
    'router'::text AS actor,
    d.channel,
    'decided'::text AS event,
    d.reason_code,
    (d.verdict || COALESCE((' until '::text || to_char((d.held_until AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS"Z"'::text)), ''::text)) AS summary
   FROM tidings_ops.decisions d
UNION ALL
 SELECT d.notification_id,
    d.ordinal,
    d.decided_at AS at,
    'release'::text AS actor,
    d.channel,
    'moved'::text AS event,
    d.moved_because AS reason_code,
    ((('from '::text || d.moved_from) || ' to '::text) || d.provider) AS summary
   FROM tidings_ops.decisions d
  WHERE (d.moved_from IS NOT NULL)
UNION ALL
 SELECT a.notification_id,
    a.ordinal,
    a.finished_at AS at,
    COALESCE(a.worker_id, 'deliver'::text) AS actor,
    a.channel,
    ('attempt '::text || a.attempt) AS event,
    a.reason_code,
    ((a.outcome || COALESCE((' '::text || a.provider_status), ''::text)) || COALESCE((': '::text || a.error_text), ''::text)) AS summary
   FROM tidings_ops.attempts a
UNION ALL
 SELECT d.notification_id,
    d.ordinal,
    d.ended_at AS at,
    'deliver'::text AS actor,
    d.channel,
    d.state AS event,
    d.reason AS reason_code,
    d.provider AS summary
   FROM tidings.ends_of_calls d
UNION ALL
 SELECT r.notification_id,
    r.ordinal,
    r.received_at AS at,
    r.reporter AS actor,
    r.channel,
        CASE
            WHEN r.moved THEN r.state_after
            ELSE 'reported'::text
        END AS event,
    r.reason AS reason_code,
    ((((
        CASE r.reporter
            WHEN 'device'::text THEN 'the device'::text
            ELSE r.provider
        END || ' reports '::text) || r.outcome) || COALESCE((' at '::text || to_char((r.told_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS"Z"'::text)), ''::text)) ||
        CASE
            WHEN r.moved THEN ''::text
            ELSE ('; the delivery stays '::text || r.state_before)
        END) AS summary
   FROM tidings.reports r
UNION ALL
 SELECT n.id AS notification_id,
    NULL::smallint AS ordinal,
    e.received_at AS at,
    'app'::text AS actor,
    NULL::text AS channel,
    e.event,
    NULL::text AS reason_code,
    (((('the app reports '::text || e.event) || ' at '::text) || to_char((e.occurred_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS"Z"'::text)) || COALESCE((' on device '::text || e.device_id), ''::text)) AS summary
   FROM (tidings.notifications n
     CROSS JOIN LATERAL ( SELECT g.received_at,
            g.event,
            g.occurred_at,
            g.device_id
           FROM tidings.engagement g
          WHERE ((g.tenant = n.tenant) AND (g.recipient_id = n.recipient_id) AND (g.notification_id = n.id))
          ORDER BY g.received_at DESC
         LIMIT 50) e)
UNION ALL
 SELECT w.notification_id,
    w.ordinal,
    w.since AS at,
    'release'::text AS actor,
    w.channel,
    'waiting'::text AS event,
    w.reason AS reason_code,
        CASE
            WHEN (w.pause_id IS NULL) THEN (w.kind || COALESCE((' until '::text || to_char((NULLIF(w.due_at, 'infinity'::timestamp with time zone) AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS"Z"'::text)), ''::text))
            ELSE ('until '::text || COALESCE(((((p.scope || ' '::text) || p.name) || ' is resumed: '::text) || p.reason), 'the next release'::text))
        END AS summary
   FROM (tidings.due w
     LEFT JOIN tidings.pauses p ON ((p.id = w.pause_id)));

COMMENT ON VIEW tidings_ops.timeline IS 'Everything that happened to a notification. Sort the rows by the column at. Indexed filter: notification_id.';

COMMENT ON COLUMN tidings_ops.timeline.notification_id IS 'The notification.';

COMMENT ON COLUMN tidings_ops.timeline.ordinal IS 'The delivery, by its number in the notification, from 0. Null for the notification as a whole.';

COMMENT ON COLUMN tidings_ops.timeline.at IS 'Time of the step. For an event of an app, the time at which Tidings got it.';

COMMENT ON COLUMN tidings_ops.timeline.actor IS 'router, deliver, release, provider or device (a report), app (an event), or the worker that made a call.';

COMMENT ON COLUMN tidings_ops.timeline.channel IS 'The channel. Null for the notification as a whole.';

COMMENT ON COLUMN tidings_ops.timeline.event IS 'accepted, decided, attempt N, waiting, reported (a report that changed nothing), the state in which the delivery ended, or an event of an app, such as opened. Only the newest 50 events of apps are shown.';

COMMENT ON COLUMN tidings_ops.timeline.reason_code IS 'The reason: a code of tidings_ops.reason_codes, or null.';

COMMENT ON COLUMN tidings_ops.timeline.summary IS 'The step in words: the request, the verdict, the outcome, the report, the event, or the time until which the delivery waits.';

CREATE VIEW tidings_ops.unaccounted AS
 WITH counted AS (
         SELECT t.kind,
            (sum(t.n))::bigint AS n
           FROM ( SELECT tally.kind,
                    tally.n
                   FROM tidings.tally
                UNION ALL
                 SELECT tally_totals.kind,
                    tally_totals.n
                   FROM tidings.tally_totals) t
          GROUP BY t.kind
        ), figures AS (
         SELECT (COALESCE(sum(counted.n) FILTER (WHERE (counted.kind = 'taken'::text)), (0)::numeric) - COALESCE(sum(counted.n) FILTER (WHERE (counted.kind = ANY (ARRAY['accepted'::text, 'duplicate'::text, 'rejected'::text]))), (0)::numeric)) AS undecided,
            (((COALESCE(sum(counted.n) FILTER (WHERE (counted.kind = 'planned'::text)), (0)::numeric) - COALESCE(sum(counted.n) FILTER (WHERE (counted.kind = 'ended'::text)), (0)::numeric)) - (( SELECT COALESCE(sum(cardinality(packs.notification_ids)), (0)::bigint) AS "coalesce"
                   FROM tidings.packs))::numeric) - (( SELECT count(*) AS count
                   FROM tidings.due))::numeric) AS homeless
           FROM counted
        )
 SELECT 'takenNotDecided'::text AS kind,
    (figures.undecided)::bigint AS n,
    NULL::timestamp with time zone AS oldest_at,
    NULL::uuid AS sample_id
   FROM figures
  WHERE (figures.undecided <> (0)::numeric)
UNION ALL
 SELECT 'pendingWithoutHome'::text AS kind,
    (figures.homeless)::bigint AS n,
    NULL::timestamp with time zone AS oldest_at,
    NULL::uuid AS sample_id
   FROM figures
  WHERE (figures.homeless <> (0)::numeric);

COMMENT ON VIEW tidings_ops.unaccounted IS 'Empty unless there is a bug. A row counts intents that were taken and not decided, or deliveries that have not ended and are neither in a pack nor waiting. tidings db verify finds the rows.';

COMMENT ON COLUMN tidings_ops.unaccounted.kind IS 'takenNotDecided: intents that were taken from the broker and became no notification, duplicate or rejection. pendingWithoutHome: deliveries that have not ended, are in no pack and do not wait.';

COMMENT ON COLUMN tidings_ops.unaccounted.n IS 'Number of missing intents or deliveries, as a difference of sums. Less than 0 if deliveries are in more than one place.';

COMMENT ON COLUMN tidings_ops.unaccounted.oldest_at IS 'Always null here: tidings db verify finds the rows.';

COMMENT ON COLUMN tidings_ops.unaccounted.sample_id IS 'Always null here: tidings db verify finds the rows.';

CREATE VIEW tidings_ops.unconfirmed_packs AS
 SELECT p.channel,
    p.provider,
    p.lane,
    count(*) AS packs,
    min(p.decided_at) AS oldest_at
   FROM ( SELECT packs.id,
            packs.channel,
            packs.provider,
            packs.lane,
            packs.decided_at,
            packs.confirmed_at,
            packs.claimed_at
           FROM tidings.packs
          WHERE (packs.id < tidings.first_id((tidings.clock() - '00:00:05'::interval)))
          ORDER BY packs.id DESC
         LIMIT 10000) p
  WHERE ((p.confirmed_at IS NULL) AND (p.claimed_at IS NULL) AND (p.id < tidings.first_id((p.decided_at + '00:01:00'::interval))))
  GROUP BY p.channel, p.provider, p.lane;

COMMENT ON VIEW tidings_ops.unconfirmed_packs IS 'Packs that were decided more than 5 seconds ago, that the broker has not confirmed, and that no worker has claimed. Looks at the newest 10,000 packs. Packs stay here while the broker takes nothing, and for 35 seconds after a process died before it published them.';

COMMENT ON COLUMN tidings_ops.unconfirmed_packs.channel IS 'The channel of the packs.';

COMMENT ON COLUMN tidings_ops.unconfirmed_packs.provider IS 'The provider of the packs.';

COMMENT ON COLUMN tidings_ops.unconfirmed_packs.lane IS 'urgent or bulk.';

COMMENT ON COLUMN tidings_ops.unconfirmed_packs.packs IS 'Number of these packs.';

COMMENT ON COLUMN tidings_ops.unconfirmed_packs.oldest_at IS 'Time at which the first of these packs was decided.';

ALTER TABLE ONLY tidings.engagement ATTACH PARTITION tidings.engagement_0 FOR VALUES WITH (modulus 8, remainder 0);

ALTER TABLE ONLY tidings.idempotency ATTACH PARTITION tidings.idempotency_0 FOR VALUES WITH (modulus 8, remainder 0);

ALTER TABLE ONLY tidings.inbox ATTACH PARTITION tidings.inbox_0 FOR VALUES WITH (modulus 16, remainder 0);

ALTER TABLE ONLY tidings.active_catalogue
    ADD CONSTRAINT active_catalogue_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY tidings.addresses
    ADD CONSTRAINT addresses_pkey PRIMARY KEY (tenant, recipient_id, id);

ALTER TABLE ONLY tidings.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY tidings.catalogue_history
    ADD CONSTRAINT catalogue_history_pkey PRIMARY KEY (id);

ALTER TABLE ONLY tidings.catalogue_types
    ADD CONSTRAINT catalogue_types_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY tidings.catalogues
    ADD CONSTRAINT catalogues_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY tidings.clock_offset
    ADD CONSTRAINT clock_offset_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY tidings.database_timelines
    ADD CONSTRAINT database_timelines_pkey PRIMARY KEY (system, timeline);

ALTER TABLE ONLY tidings.dead
    ADD CONSTRAINT dead_fingerprint_key UNIQUE (fingerprint);

ALTER TABLE ONLY tidings.dead
    ADD CONSTRAINT dead_pkey PRIMARY KEY (id);

ALTER TABLE ONLY tidings.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (notification_id, ordinal);

ALTER TABLE ONLY tidings.due
    ADD CONSTRAINT due_pkey PRIMARY KEY (notification_id, ordinal);

ALTER TABLE ONLY tidings.early_reports
    ADD CONSTRAINT early_reports_pkey PRIMARY KEY (provider, reference, key);

ALTER TABLE ONLY tidings.endpoints
    ADD CONSTRAINT endpoints_pkey PRIMARY KEY (tenant, recipient_id, id);

ALTER TABLE ONLY tidings.engagement
    ADD CONSTRAINT engagement_pkey PRIMARY KEY (tenant, recipient_id, notification_id, key);

ALTER TABLE ONLY tidings.engagement_0
    ADD CONSTRAINT engagement_0_pkey PRIMARY KEY (tenant, recipient_id, notification_id, key);

ALTER TABLE ONLY tidings.engagement_days
    ADD CONSTRAINT engagement_days_pkey PRIMARY KEY (tenant, recipient_id);

ALTER TABLE ONLY tidings.engagement_totals
    ADD CONSTRAINT engagement_totals_pkey PRIMARY KEY (day, tenant, event, type, provider, market);

ALTER TABLE ONLY tidings.erased_notifications
    ADD CONSTRAINT erased_notifications_pkey PRIMARY KEY (id);

ALTER TABLE ONLY tidings.erased_people
    ADD CONSTRAINT erased_people_pkey PRIMARY KEY (person_hash);

ALTER TABLE ONLY tidings.erasure_key
    ADD CONSTRAINT erasure_key_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY tidings.erasure_mentions
    ADD CONSTRAINT erasure_mentions_pkey PRIMARY KEY (erasure, notification_id);

ALTER TABLE ONLY tidings.erasures
    ADD CONSTRAINT erasures_pkey PRIMARY KEY (id);

ALTER TABLE ONLY tidings.escalation_losses
    ADD CONSTRAINT escalation_losses_pkey PRIMARY KEY (notification_id);

ALTER TABLE ONLY tidings.idempotency
    ADD CONSTRAINT idempotency_pkey PRIMARY KEY (key);

ALTER TABLE ONLY tidings.idempotency_0
    ADD CONSTRAINT idempotency_0_pkey PRIMARY KEY (key);

ALTER TABLE ONLY tidings.idempotency_recent
    ADD CONSTRAINT idempotency_recent_pkey PRIMARY KEY (key);

ALTER TABLE ONLY tidings.idempotent_requests
    ADD CONSTRAINT idempotent_requests_pkey PRIMARY KEY (caller, key);

ALTER TABLE ONLY tidings.inbox
    ADD CONSTRAINT inbox_pkey PRIMARY KEY (tenant, recipient_id, notification_id);

ALTER TABLE ONLY tidings.inbox_0
    ADD CONSTRAINT inbox_0_pkey PRIMARY KEY (tenant, recipient_id, notification_id);

ALTER TABLE ONLY tidings.inboxes
    ADD CONSTRAINT inboxes_pkey PRIMARY KEY (tenant, recipient_id);

ALTER TABLE ONLY tidings.kept_days
    ADD CONSTRAINT kept_days_pkey PRIMARY KEY (date);

ALTER TABLE ONLY tidings.liked_people
    ADD CONSTRAINT liked_people_pkey PRIMARY KEY (tenant, recipient_id);

ALTER TABLE ONLY tidings.likes
    ADD CONSTRAINT likes_pkey PRIMARY KEY (tenant, recipient_id, liker_id);

ALTER TABLE ONLY tidings.local_plans
    ADD CONSTRAINT local_plans_pkey PRIMARY KEY (tenant, device_id);

ALTER TABLE ONLY tidings.local_requests
    ADD CONSTRAINT local_requests_pkey PRIMARY KEY (tenant, device_id, notification_id);

ALTER TABLE ONLY tidings.local_wakes
    ADD CONSTRAINT local_wakes_pkey PRIMARY KEY (tenant, device_id);

ALTER TABLE ONLY tidings.matches
    ADD CONSTRAINT matches_pkey PRIMARY KEY (tenant, one_id, other_id);

ALTER TABLE ONLY tidings.message_references
    ADD CONSTRAINT message_references_pkey PRIMARY KEY (provider, reference);

ALTER TABLE ONLY tidings.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (number);

ALTER TABLE ONLY tidings.notifications
    ADD CONSTRAINT notifications_pkey PRIMARY KEY (id);

ALTER TABLE ONLY tidings.outgoing_claims
    ADD CONSTRAINT outgoing_claims_pkey PRIMARY KEY (relay);

ALTER TABLE ONLY tidings.outgoing
    ADD CONSTRAINT outgoing_pkey PRIMARY KEY (id);

ALTER TABLE ONLY tidings.packs
    ADD CONSTRAINT packs_pkey PRIMARY KEY (id);

ALTER TABLE ONLY tidings.pauses
    ADD CONSTRAINT pauses_pkey PRIMARY KEY (id);

ALTER TABLE ONLY tidings.queue_samples
    ADD CONSTRAINT queue_samples_pkey PRIMARY KEY (queue);

ALTER TABLE ONLY tidings.reason_codes
    ADD CONSTRAINT reason_codes_pkey PRIMARY KEY (code);

ALTER TABLE ONLY tidings.recipients
    ADD CONSTRAINT recipients_pkey PRIMARY KEY (tenant, id);

ALTER TABLE ONLY tidings.rejected_days
    ADD CONSTRAINT rejected_days_pkey PRIMARY KEY (day, share, part);

ALTER TABLE ONLY tidings.rejected
    ADD CONSTRAINT rejected_fingerprint_key UNIQUE (fingerprint);

ALTER TABLE ONLY tidings.rejected
    ADD CONSTRAINT rejected_pkey PRIMARY KEY (id);

ALTER TABLE ONLY tidings.reports
    ADD CONSTRAINT reports_pkey PRIMARY KEY (notification_id, ordinal, reporter, key);

ALTER TABLE ONLY tidings.reservations
    ADD CONSTRAINT reservations_pkey PRIMARY KEY (key);

ALTER TABLE ONLY tidings.tally_totals
    ADD CONSTRAINT tally_totals_pkey PRIMARY KEY (kind, tenant, channel, state, reason);

ALTER TABLE ONLY tidings.unblurs
    ADD CONSTRAINT unblurs_pkey PRIMARY KEY (tenant, recipient_id);

ALTER TABLE ONLY tidings.workers
    ADD CONSTRAINT workers_pkey PRIMARY KEY (id);

CREATE UNIQUE INDEX addresses_identity ON tidings.addresses USING btree (tenant, recipient_id, kind, identity);

CREATE UNIQUE INDEX api_keys_name ON tidings.api_keys USING btree (name) WHERE (revoked_at IS NULL);

CREATE INDEX attempts_notification_id_ordinal_idx ON ONLY tidings.attempts USING btree (notification_id, ordinal);

CREATE INDEX attempts_possible_duplicate_idx ON ONLY tidings.attempts USING btree (notification_id) WHERE possible_duplicate;

CREATE INDEX dead_look_on ON tidings.dead USING btree (look_on);

CREATE INDEX dead_open ON tidings.dead USING btree (id) WHERE (state = ANY (ARRAY['open'::text, 'quarantined'::text, 'trying'::text]));

CREATE INDEX decisions_notification_id_idx ON ONLY tidings.decisions USING btree (notification_id);

CREATE INDEX deliveries_state_ended_at_idx ON ONLY tidings.deliveries USING btree (state, ended_at) WHERE ((state = 'failed'::text) OR (reason = 'noProvider'::text));

CREATE INDEX due_by_provider ON tidings.due USING btree (lane, channel, provider, due_at, notification_id, ordinal);

CREATE INDEX due_lane_due_at_notification_id_ordinal_idx ON tidings.due USING btree (lane, due_at, notification_id, ordinal);

CREATE INDEX due_paused ON tidings.due USING btree (pause_id, lane, channel, provider, notification_id, ordinal) WHERE (pause_id IS NOT NULL);

CREATE INDEX early_reports_received_at_idx ON tidings.early_reports USING btree (received_at);

CREATE INDEX endpoints_device ON tidings.endpoints USING btree (id) WHERE (channel = 'push'::text);

CREATE UNIQUE INDEX endpoints_token ON tidings.endpoints USING btree (tidings.token_hash(COALESCE(token_identity, address)), tenant) WHERE (channel = 'push'::text);

CREATE INDEX engagement_received_at_idx ON ONLY tidings.engagement USING btree (received_at);

CREATE INDEX engagement_0_received_at_idx ON tidings.engagement_0 USING btree (received_at);

CREATE INDEX engagement_days_day_idx ON tidings.engagement_days USING btree (day);

CREATE INDEX erased_notifications_erased_at_idx ON tidings.erased_notifications USING btree (erased_at);

CREATE INDEX erased_people_erased_at_idx ON tidings.erased_people USING btree (erased_at);

CREATE INDEX erasures_due ON tidings.erasures USING btree (due_at) WHERE (state = 'running'::text);

CREATE INDEX idempotency_0_notification_id_idx ON tidings.idempotency_0 USING brin (notification_id) WITH (autosummarize='on');

CREATE INDEX idempotent_requests_created_at_idx ON tidings.idempotent_requests USING brin (created_at) WITH (autosummarize='on');

CREATE INDEX inbox_deleted_at_idx ON ONLY tidings.inbox USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

CREATE INDEX inbox_0_deleted_at_idx ON tidings.inbox_0 USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

CREATE INDEX inbox_0_kept_since_idx ON tidings.inbox_0 USING btree (GREATEST(created_at, scheduled_for, woken_at)) WHERE ((deleted_at IS NULL) AND (snoozed_until IS NULL));

CREATE INDEX inbox_changed_idx ON ONLY tidings.inbox USING btree (tenant, recipient_id, changed) WHERE (changed IS NOT NULL);

CREATE INDEX inbox_0_tenant_recipient_id_changed_idx ON tidings.inbox_0 USING btree (tenant, recipient_id, changed) WHERE (changed IS NOT NULL);

CREATE UNIQUE INDEX inbox_position_idx ON ONLY tidings.inbox USING btree (tenant, recipient_id, "position") WHERE ((deleted_at IS NULL) AND (snoozed_until IS NULL));

CREATE UNIQUE INDEX inbox_0_tenant_recipient_id_position_idx ON tidings.inbox_0 USING btree (tenant, recipient_id, "position") WHERE ((deleted_at IS NULL) AND (snoozed_until IS NULL));

CREATE INDEX inbox_snoozed_idx ON ONLY tidings.inbox USING btree (tenant, recipient_id, snoozed_until, "position") WHERE ((snoozed_until IS NOT NULL) AND (deleted_at IS NULL));

CREATE INDEX inbox_0_tenant_recipient_id_snoozed_until_position_idx ON tidings.inbox_0 USING btree (tenant, recipient_id, snoozed_until, "position") WHERE ((snoozed_until IS NOT NULL) AND (deleted_at IS NULL));

CREATE INDEX inboxes_wakes_at_idx ON tidings.inboxes USING btree (wakes_at) WHERE (wakes_at IS NOT NULL);

CREATE UNIQUE INDEX key_move_expr_idx ON tidings.key_move USING btree ((true));

CREATE INDEX likes_liker ON tidings.likes USING btree (tenant, liker_id, recipient_id);

CREATE UNIQUE INDEX likes_position ON tidings.likes USING btree (tenant, recipient_id, "position");

CREATE INDEX local_requests_expires_at_idx ON tidings.local_requests USING btree (expires_at);

CREATE INDEX local_requests_notification_id_idx ON tidings.local_requests USING btree (notification_id);

CREATE INDEX local_requests_recipient ON tidings.local_requests USING btree (tenant, recipient_id, device_id, notification_id);

CREATE INDEX local_wakes_due_at_idx ON tidings.local_wakes USING btree (due_at);

CREATE INDEX matches_other ON tidings.matches USING btree (tenant, other_id, one_id);

CREATE INDEX message_references_notification_id_idx ON tidings.message_references USING btree (notification_id);

CREATE INDEX notifications_event_id_idx ON ONLY tidings.notifications USING btree (event_id);

CREATE INDEX notifications_recipient_id_id_idx ON ONLY tidings.notifications USING btree (recipient_id, id);

CREATE INDEX outgoing_turn ON tidings.outgoing USING btree (attempts, created_at, id);

CREATE UNIQUE INDEX pauses_scope_name_idx ON tidings.pauses USING btree (scope, name) WHERE (resumed_at IS NULL);

CREATE INDEX recipients_id_idx ON tidings.recipients USING btree (id);

CREATE INDEX rejected_event_id_idx ON tidings.rejected USING btree (event_id);

CREATE INDEX rejected_look_on ON tidings.rejected USING btree (look_on);

CREATE INDEX rejected_names_others ON tidings.rejected USING btree (id) WHERE names_others;

CREATE INDEX rejected_open ON tidings.rejected USING btree (id) WHERE (state = 'open'::text);

CREATE INDEX rejected_recipient ON tidings.rejected USING btree ((recipients[1]), id);

CREATE INDEX rejected_recipients ON tidings.rejected USING gin (recipients) WHERE (cardinality(recipients) > 1);

CREATE INDEX rejected_source ON tidings.rejected USING btree (source, id);

CREATE INDEX reservations_id ON tidings.reservations USING btree (id);

ALTER INDEX tidings.engagement_pkey ATTACH PARTITION tidings.engagement_0_pkey;

ALTER INDEX tidings.engagement_received_at_idx ATTACH PARTITION tidings.engagement_0_received_at_idx;

ALTER INDEX tidings.idempotency_pkey ATTACH PARTITION tidings.idempotency_0_pkey;

ALTER INDEX tidings.inbox_deleted_at_idx ATTACH PARTITION tidings.inbox_0_deleted_at_idx;

ALTER INDEX tidings.inbox_pkey ATTACH PARTITION tidings.inbox_0_pkey;

ALTER INDEX tidings.inbox_changed_idx ATTACH PARTITION tidings.inbox_0_tenant_recipient_id_changed_idx;

ALTER INDEX tidings.inbox_position_idx ATTACH PARTITION tidings.inbox_0_tenant_recipient_id_position_idx;

ALTER INDEX tidings.inbox_snoozed_idx ATTACH PARTITION tidings.inbox_0_tenant_recipient_id_snoozed_until_position_idx;

CREATE TRIGGER note_catalogue_use AFTER INSERT OR UPDATE ON tidings.active_catalogue FOR EACH ROW EXECUTE FUNCTION tidings.note_catalogue_use();

CREATE TRIGGER record_activation AFTER INSERT OR UPDATE ON tidings.active_catalogue FOR EACH ROW EXECUTE FUNCTION tidings.record_activation();

CREATE TRIGGER refuse_claim BEFORE INSERT ON tidings.idempotency FOR EACH STATEMENT EXECUTE FUNCTION tidings.refuse_claim();

ALTER TABLE ONLY tidings.active_catalogue
    ADD CONSTRAINT active_catalogue_hash_fkey FOREIGN KEY (hash) REFERENCES tidings.catalogues(hash);

ALTER TABLE ONLY tidings.catalogue_types
    ADD CONSTRAINT catalogue_types_hash_fkey FOREIGN KEY (hash) REFERENCES tidings.catalogues(hash) ON DELETE CASCADE;

ALTER TABLE tidings.addresses ENABLE ROW LEVEL SECURITY;

CREATE POLICY api ON tidings.addresses TO tidings_run_api USING (true) WITH CHECK (true);

CREATE POLICY api ON tidings.endpoints TO tidings_run_api USING (true) WITH CHECK (true);

CREATE POLICY api ON tidings.inbox TO tidings_run_api USING (true) WITH CHECK (true);

CREATE POLICY api ON tidings.inboxes TO tidings_run_api USING (true) WITH CHECK (true);

CREATE POLICY api ON tidings.liked_people TO tidings_run_api USING (true) WITH CHECK (true);

CREATE POLICY api ON tidings.likes TO tidings_run_api USING (true) WITH CHECK (true);

CREATE POLICY api ON tidings.local_plans TO tidings_run_api USING (true) WITH CHECK (true);

CREATE POLICY api ON tidings.local_requests TO tidings_run_api USING (true) WITH CHECK (true);

CREATE POLICY api ON tidings.local_wakes TO tidings_run_api USING (true) WITH CHECK (true);

CREATE POLICY api ON tidings.matches TO tidings_run_api USING (true) WITH CHECK (true);

CREATE POLICY api ON tidings.recipients TO tidings_run_api USING (true) WITH CHECK (true);

ALTER TABLE tidings.endpoints ENABLE ROW LEVEL SECURITY;

ALTER TABLE tidings.engagement ENABLE ROW LEVEL SECURITY;

ALTER TABLE tidings.engagement_days ENABLE ROW LEVEL SECURITY;

ALTER TABLE tidings.inbox ENABLE ROW LEVEL SECURITY;

ALTER TABLE tidings.inboxes ENABLE ROW LEVEL SECURITY;

ALTER TABLE tidings.liked_people ENABLE ROW LEVEL SECURITY;

ALTER TABLE tidings.likes ENABLE ROW LEVEL SECURITY;

ALTER TABLE tidings.local_plans ENABLE ROW LEVEL SECURITY;

ALTER TABLE tidings.local_requests ENABLE ROW LEVEL SECURITY;

ALTER TABLE tidings.local_wakes ENABLE ROW LEVEL SECURITY;

ALTER TABLE tidings.matches ENABLE ROW LEVEL SECURITY;

CREATE POLICY person ON tidings.addresses TO tidings_app USING (((tenant = current_setting('tidings.tenant'::text, true)) AND (recipient_id = current_setting('tidings.recipient'::text, true))));

CREATE POLICY person ON tidings.endpoints TO tidings_app USING (((tenant = current_setting('tidings.tenant'::text, true)) AND (recipient_id = current_setting('tidings.recipient'::text, true)))) WITH CHECK (((tenant = current_setting('tidings.tenant'::text, true)) AND (recipient_id = current_setting('tidings.recipient'::text, true)) AND (channel = 'push'::text)));

CREATE POLICY person ON tidings.engagement TO tidings_app USING (((tenant = current_setting('tidings.tenant'::text, true)) AND (recipient_id = current_setting('tidings.recipient'::text, true))));

CREATE POLICY person ON tidings.engagement_days TO tidings_app USING (((tenant = current_setting('tidings.tenant'::text, true)) AND (recipient_id = current_setting('tidings.recipient'::text, true))));

CREATE POLICY person ON tidings.inbox TO tidings_app USING (((tenant = current_setting('tidings.tenant'::text, true)) AND (recipient_id = current_setting('tidings.recipient'::text, true))));

CREATE POLICY person ON tidings.inboxes TO tidings_app USING (((tenant = current_setting('tidings.tenant'::text, true)) AND (recipient_id = current_setting('tidings.recipient'::text, true))));

CREATE POLICY person ON tidings.liked_people TO tidings_app USING (((tenant = current_setting('tidings.tenant'::text, true)) AND (recipient_id = current_setting('tidings.recipient'::text, true))));

CREATE POLICY person ON tidings.likes TO tidings_app USING (((tenant = current_setting('tidings.tenant'::text, true)) AND (recipient_id = current_setting('tidings.recipient'::text, true))));

CREATE POLICY person ON tidings.local_plans TO tidings_app USING (((tenant = current_setting('tidings.tenant'::text, true)) AND (EXISTS ( SELECT
   FROM tidings.endpoints e
  WHERE ((e.tenant = current_setting('tidings.tenant'::text, true)) AND (e.recipient_id = current_setting('tidings.recipient'::text, true)) AND (e.id = local_plans.device_id) AND (e.channel = 'push'::text))))));

CREATE POLICY person ON tidings.local_requests TO tidings_app USING ((((tenant = current_setting('tidings.tenant'::text, true)) AND (recipient_id = current_setting('tidings.recipient'::text, true))) OR ((tenant = current_setting('tidings.tenant'::text, true)) AND (EXISTS ( SELECT
   FROM tidings.endpoints e
  WHERE ((e.tenant = current_setting('tidings.tenant'::text, true)) AND (e.recipient_id = current_setting('tidings.recipient'::text, true)) AND (e.id = local_requests.device_id) AND (e.channel = 'push'::text)))))));

CREATE POLICY person ON tidings.local_wakes TO tidings_app USING (((tenant = current_setting('tidings.tenant'::text, true)) AND (EXISTS ( SELECT
   FROM tidings.endpoints e
  WHERE ((e.tenant = current_setting('tidings.tenant'::text, true)) AND (e.recipient_id = current_setting('tidings.recipient'::text, true)) AND (e.id = local_wakes.device_id) AND (e.channel = 'push'::text))))));

CREATE POLICY person ON tidings.matches TO tidings_app USING (((tenant = current_setting('tidings.tenant'::text, true)) AND ((current_setting('tidings.recipient'::text, true) = one_id) OR (current_setting('tidings.recipient'::text, true) = other_id))));

CREATE POLICY person ON tidings.recipients TO tidings_app USING (((tenant = current_setting('tidings.tenant'::text, true)) AND (id = current_setting('tidings.recipient'::text, true))));

CREATE POLICY person ON tidings.unblurs TO tidings_app USING (((tenant = current_setting('tidings.tenant'::text, true)) AND (recipient_id = current_setting('tidings.recipient'::text, true))));

CREATE POLICY pipeline ON tidings.addresses TO tidings_run USING (true) WITH CHECK (true);

CREATE POLICY pipeline ON tidings.endpoints TO tidings_run USING (true) WITH CHECK (true);

CREATE POLICY pipeline ON tidings.engagement TO tidings_run USING (true) WITH CHECK (true);

CREATE POLICY pipeline ON tidings.engagement_days TO tidings_run USING (true) WITH CHECK (true);

CREATE POLICY pipeline ON tidings.inbox TO tidings_run USING (true) WITH CHECK (true);

CREATE POLICY pipeline ON tidings.inboxes TO tidings_run USING (true) WITH CHECK (true);

CREATE POLICY pipeline ON tidings.liked_people TO tidings_run USING (true) WITH CHECK (true);

CREATE POLICY pipeline ON tidings.likes TO tidings_run USING (true) WITH CHECK (true);

CREATE POLICY pipeline ON tidings.local_plans TO tidings_run USING (true) WITH CHECK (true);

CREATE POLICY pipeline ON tidings.local_requests TO tidings_run USING (true) WITH CHECK (true);

CREATE POLICY pipeline ON tidings.local_wakes TO tidings_run USING (true) WITH CHECK (true);

CREATE POLICY pipeline ON tidings.matches TO tidings_run USING (true) WITH CHECK (true);

CREATE POLICY pipeline ON tidings.recipients TO tidings_run USING (true) WITH CHECK (true);

CREATE POLICY pipeline ON tidings.unblurs TO tidings_run USING (true) WITH CHECK (true);

ALTER TABLE tidings.recipients ENABLE ROW LEVEL SECURITY;

ALTER TABLE tidings.unblurs ENABLE ROW LEVEL SECURITY;

GRANT USAGE ON SCHEMA tidings TO tidings_run;
GRANT USAGE ON SCHEMA tidings TO tidings_ops_read;
GRANT USAGE ON SCHEMA tidings TO tidings_app;
GRANT USAGE ON SCHEMA tidings TO tidings_run_api;

GRANT USAGE ON SCHEMA tidings_api TO tidings_run;
GRANT USAGE ON SCHEMA tidings_api TO tidings_produce;
GRANT USAGE ON SCHEMA tidings_api TO tidings_run_api;

GRANT USAGE ON SCHEMA tidings_ops TO tidings_run;
GRANT USAGE ON SCHEMA tidings_ops TO tidings_ops_read;
GRANT USAGE ON SCHEMA tidings_ops TO tidings_run_api;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.queue_samples TO tidings_run;

GRANT ALL ON FUNCTION tidings.clock() TO tidings_run;
GRANT ALL ON FUNCTION tidings.clock() TO tidings_app;
GRANT ALL ON FUNCTION tidings.clock() TO tidings_run_api;

REVOKE ALL ON FUNCTION tidings.ensure_partitions(days_back integer, days_ahead integer) FROM PUBLIC;
GRANT ALL ON FUNCTION tidings.ensure_partitions(days_back integer, days_ahead integer) TO tidings_run;

REVOKE ALL ON FUNCTION tidings.expire_partitions(retention interval) FROM PUBLIC;
GRANT ALL ON FUNCTION tidings.expire_partitions(retention interval) TO tidings_run;

GRANT ALL ON FUNCTION tidings.first_id(at timestamp with time zone) TO tidings_run;
GRANT ALL ON FUNCTION tidings.first_id(at timestamp with time zone) TO tidings_run_api;

GRANT ALL ON FUNCTION tidings.id_time(id uuid) TO tidings_run;
GRANT ALL ON FUNCTION tidings.id_time(id uuid) TO tidings_run_api;

GRANT ALL ON FUNCTION tidings.person_hash(tenant text, recipient text) TO tidings_run;
GRANT ALL ON FUNCTION tidings.person_hash(tenant text, recipient text) TO tidings_run_api;

GRANT ALL ON FUNCTION tidings.record_activation() TO tidings_run;

GRANT ALL ON FUNCTION tidings.token_hash(token text) TO tidings_run;
GRANT ALL ON FUNCTION tidings.token_hash(token text) TO tidings_app;
GRANT ALL ON FUNCTION tidings.token_hash(token text) TO tidings_run_api;

REVOKE ALL ON FUNCTION tidings_api.enqueue(type text, recipient text, data jsonb, key text, send_at timestamp with time zone, title text, body text, channels text[], source text, tenant text) FROM PUBLIC;
GRANT ALL ON FUNCTION tidings_api.enqueue(type text, recipient text, data jsonb, key text, send_at timestamp with time zone, title text, body text, channels text[], source text, tenant text) TO tidings_run;
GRANT ALL ON FUNCTION tidings_api.enqueue(type text, recipient text, data jsonb, key text, send_at timestamp with time zone, title text, body text, channels text[], source text, tenant text) TO tidings_produce;
GRANT ALL ON FUNCTION tidings_api.enqueue(type text, recipient text, data jsonb, key text, send_at timestamp with time zone, title text, body text, channels text[], source text, tenant text) TO tidings_run_api;

REVOKE ALL ON FUNCTION tidings_api.rejected(source text, since timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION tidings_api.rejected(source text, since timestamp with time zone) TO tidings_produce;

REVOKE ALL ON FUNCTION tidings_ops.explain(notification uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION tidings_ops.explain(notification uuid) TO tidings_run;
GRANT ALL ON FUNCTION tidings_ops.explain(notification uuid) TO tidings_ops_read;
GRANT ALL ON FUNCTION tidings_ops.explain(notification uuid) TO tidings_run_api;

REVOKE ALL ON FUNCTION tidings_ops.find(anything text) FROM PUBLIC;
GRANT ALL ON FUNCTION tidings_ops.find(anything text) TO tidings_run;
GRANT ALL ON FUNCTION tidings_ops.find(anything text) TO tidings_ops_read;

REVOKE ALL ON FUNCTION tidings_ops.find_enqueued(anything text) FROM PUBLIC;
GRANT ALL ON FUNCTION tidings_ops.find_enqueued(anything text) TO tidings_run;
GRANT ALL ON FUNCTION tidings_ops.find_enqueued(anything text) TO tidings_ops_read;

REVOKE ALL ON FUNCTION tidings_ops.kept_since() FROM PUBLIC;
GRANT ALL ON FUNCTION tidings_ops.kept_since() TO tidings_run;
GRANT ALL ON FUNCTION tidings_ops.kept_since() TO tidings_ops_read;

REVOKE ALL ON FUNCTION tidings_ops.promised(notification uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION tidings_ops.promised(notification uuid) TO tidings_run;
GRANT ALL ON FUNCTION tidings_ops.promised(notification uuid) TO tidings_ops_read;
GRANT ALL ON FUNCTION tidings_ops.promised(notification uuid) TO tidings_run_api;

REVOKE ALL ON FUNCTION tidings_ops.reconcile(source text, event_ids text[], since timestamp with time zone, tenant text) FROM PUBLIC;
GRANT ALL ON FUNCTION tidings_ops.reconcile(source text, event_ids text[], since timestamp with time zone, tenant text) TO tidings_run;
GRANT ALL ON FUNCTION tidings_ops.reconcile(source text, event_ids text[], since timestamp with time zone, tenant text) TO tidings_ops_read;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.active_catalogue TO tidings_run;
GRANT SELECT ON TABLE tidings.active_catalogue TO tidings_run_api;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.addresses TO tidings_run;
GRANT DELETE ON TABLE tidings.addresses TO tidings_run_api;

GRANT SELECT(tenant) ON TABLE tidings.addresses TO tidings_app;
GRANT SELECT(tenant),INSERT(tenant) ON TABLE tidings.addresses TO tidings_run_api;

GRANT SELECT(recipient_id) ON TABLE tidings.addresses TO tidings_app;
GRANT SELECT(recipient_id),INSERT(recipient_id) ON TABLE tidings.addresses TO tidings_run_api;

GRANT SELECT(id) ON TABLE tidings.addresses TO tidings_app;
GRANT SELECT(id) ON TABLE tidings.addresses TO tidings_run_api;

GRANT SELECT(kind) ON TABLE tidings.addresses TO tidings_app;
GRANT SELECT(kind),INSERT(kind) ON TABLE tidings.addresses TO tidings_run_api;

GRANT SELECT(value) ON TABLE tidings.addresses TO tidings_app;
GRANT SELECT(value),INSERT(value) ON TABLE tidings.addresses TO tidings_run_api;

GRANT SELECT(identity) ON TABLE tidings.addresses TO tidings_app;
GRANT SELECT(identity),INSERT(identity) ON TABLE tidings.addresses TO tidings_run_api;

GRANT SELECT(source) ON TABLE tidings.addresses TO tidings_app;
GRANT SELECT(source),INSERT(source),UPDATE(source) ON TABLE tidings.addresses TO tidings_run_api;

GRANT SELECT(consent) ON TABLE tidings.addresses TO tidings_app;
GRANT SELECT(consent),INSERT(consent),UPDATE(consent) ON TABLE tidings.addresses TO tidings_run_api;

GRANT SELECT(consent_at) ON TABLE tidings.addresses TO tidings_app;
GRANT SELECT(consent_at),INSERT(consent_at),UPDATE(consent_at) ON TABLE tidings.addresses TO tidings_run_api;

GRANT SELECT(verified_at) ON TABLE tidings.addresses TO tidings_app;
GRANT SELECT(verified_at),INSERT(verified_at),UPDATE(verified_at) ON TABLE tidings.addresses TO tidings_run_api;

GRANT SELECT(suppressed_at) ON TABLE tidings.addresses TO tidings_app;
GRANT SELECT(suppressed_at),UPDATE(suppressed_at) ON TABLE tidings.addresses TO tidings_run_api;

GRANT SELECT(suppressed_until) ON TABLE tidings.addresses TO tidings_app;
GRANT SELECT(suppressed_until),UPDATE(suppressed_until) ON TABLE tidings.addresses TO tidings_run_api;

GRANT SELECT(suppressed_because) ON TABLE tidings.addresses TO tidings_app;
GRANT SELECT(suppressed_because),UPDATE(suppressed_because) ON TABLE tidings.addresses TO tidings_run_api;

GRANT SELECT(created_at) ON TABLE tidings.addresses TO tidings_app;
GRANT SELECT(created_at),INSERT(created_at) ON TABLE tidings.addresses TO tidings_run_api;

GRANT SELECT(changed_at) ON TABLE tidings.addresses TO tidings_app;
GRANT SELECT(changed_at),INSERT(changed_at),UPDATE(changed_at) ON TABLE tidings.addresses TO tidings_run_api;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.api_keys TO tidings_run;
GRANT SELECT ON TABLE tidings.api_keys TO tidings_run_api;

GRANT UPDATE(last_used_at) ON TABLE tidings.api_keys TO tidings_run_api;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.attempts TO tidings_run;

GRANT SELECT,INSERT ON TABLE tidings.catalogue_history TO tidings_run;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.catalogue_types TO tidings_run;
GRANT SELECT ON TABLE tidings.catalogue_types TO tidings_run_api;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.catalogues TO tidings_run;
GRANT SELECT ON TABLE tidings.catalogues TO tidings_run_api;

GRANT SELECT ON TABLE tidings.clock_offset TO tidings_run;
GRANT SELECT ON TABLE tidings.clock_offset TO tidings_ops_read;
GRANT SELECT ON TABLE tidings.clock_offset TO tidings_app;
GRANT SELECT ON TABLE tidings.clock_offset TO tidings_run_api;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.database_timelines TO tidings_run;
GRANT INSERT ON TABLE tidings.database_timelines TO tidings_run_api;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.dead TO tidings_run;

GRANT USAGE ON SEQUENCE tidings.dead_id_seq TO tidings_run;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.decisions TO tidings_run;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.deliveries TO tidings_run;
GRANT SELECT,INSERT ON TABLE tidings.deliveries TO tidings_run_api;

GRANT UPDATE(state) ON TABLE tidings.deliveries TO tidings_run_api;

GRANT UPDATE(reason) ON TABLE tidings.deliveries TO tidings_run_api;

GRANT UPDATE(ended_at) ON TABLE tidings.deliveries TO tidings_run_api;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.due TO tidings_run;
GRANT SELECT,DELETE ON TABLE tidings.due TO tidings_run_api;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.early_reports TO tidings_run;
GRANT INSERT ON TABLE tidings.early_reports TO tidings_run_api;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.endpoints TO tidings_run;
GRANT DELETE ON TABLE tidings.endpoints TO tidings_app;
GRANT DELETE ON TABLE tidings.endpoints TO tidings_run_api;

GRANT SELECT(tenant),INSERT(tenant) ON TABLE tidings.endpoints TO tidings_app;
GRANT SELECT(tenant) ON TABLE tidings.endpoints TO tidings_run_api;

GRANT SELECT(recipient_id),INSERT(recipient_id) ON TABLE tidings.endpoints TO tidings_app;
GRANT SELECT(recipient_id),UPDATE(recipient_id) ON TABLE tidings.endpoints TO tidings_run_api;

GRANT SELECT(id),INSERT(id) ON TABLE tidings.endpoints TO tidings_app;
GRANT SELECT(id) ON TABLE tidings.endpoints TO tidings_run_api;

GRANT SELECT(channel),INSERT(channel) ON TABLE tidings.endpoints TO tidings_app;
GRANT SELECT(channel) ON TABLE tidings.endpoints TO tidings_run_api;

GRANT SELECT(provider),INSERT(provider),UPDATE(provider) ON TABLE tidings.endpoints TO tidings_app;
GRANT SELECT(provider) ON TABLE tidings.endpoints TO tidings_run_api;

GRANT SELECT(address),INSERT(address),UPDATE(address) ON TABLE tidings.endpoints TO tidings_app;
GRANT SELECT(address) ON TABLE tidings.endpoints TO tidings_run_api;

GRANT SELECT(permission),INSERT(permission),UPDATE(permission) ON TABLE tidings.endpoints TO tidings_app;

GRANT SELECT(gone_at),UPDATE(gone_at) ON TABLE tidings.endpoints TO tidings_app;
GRANT SELECT(gone_at),UPDATE(gone_at) ON TABLE tidings.endpoints TO tidings_run_api;

GRANT SELECT(changed_at),INSERT(changed_at),UPDATE(changed_at) ON TABLE tidings.endpoints TO tidings_app;
GRANT UPDATE(changed_at) ON TABLE tidings.endpoints TO tidings_run_api;

GRANT SELECT(platform),INSERT(platform),UPDATE(platform) ON TABLE tidings.endpoints TO tidings_app;

GRANT SELECT(environment),INSERT(environment),UPDATE(environment) ON TABLE tidings.endpoints TO tidings_app;

GRANT SELECT(market),INSERT(market),UPDATE(market) ON TABLE tidings.endpoints TO tidings_app;

GRANT SELECT(time_zone),INSERT(time_zone),UPDATE(time_zone) ON TABLE tidings.endpoints TO tidings_app;

GRANT SELECT(locale),INSERT(locale),UPDATE(locale) ON TABLE tidings.endpoints TO tidings_app;

GRANT SELECT(app_version),INSERT(app_version),UPDATE(app_version) ON TABLE tidings.endpoints TO tidings_app;

GRANT SELECT(registered_at),INSERT(registered_at),UPDATE(registered_at) ON TABLE tidings.endpoints TO tidings_app;
GRANT SELECT(registered_at) ON TABLE tidings.endpoints TO tidings_run_api;

GRANT SELECT(gone_reason),UPDATE(gone_reason) ON TABLE tidings.endpoints TO tidings_app;
GRANT UPDATE(gone_reason) ON TABLE tidings.endpoints TO tidings_run_api;

GRANT SELECT(token_identity),INSERT(token_identity),UPDATE(token_identity) ON TABLE tidings.endpoints TO tidings_app;
GRANT SELECT(token_identity) ON TABLE tidings.endpoints TO tidings_run_api;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.reports TO tidings_run;
GRANT SELECT,INSERT ON TABLE tidings.reports TO tidings_run_api;

GRANT SELECT ON TABLE tidings.ends_of_calls TO tidings_run;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.engagement TO tidings_run;
GRANT SELECT,INSERT ON TABLE tidings.engagement TO tidings_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.engagement_0 TO tidings_run;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.engagement_days TO tidings_run;
GRANT SELECT,INSERT ON TABLE tidings.engagement_days TO tidings_app;

GRANT UPDATE(day) ON TABLE tidings.engagement_days TO tidings_app;

GRANT UPDATE(n) ON TABLE tidings.engagement_days TO tidings_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.engagement_tally TO tidings_run;
GRANT INSERT ON TABLE tidings.engagement_tally TO tidings_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.engagement_totals TO tidings_run;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.erased_notifications TO tidings_run;
GRANT SELECT ON TABLE tidings.erased_notifications TO tidings_run_api;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.erased_people TO tidings_run;
GRANT SELECT,INSERT,DELETE ON TABLE tidings.erased_people TO tidings_run_api;

GRANT UPDATE(erasure) ON TABLE tidings.erased_people TO tidings_run_api;

GRANT UPDATE(erased_at) ON TABLE tidings.erased_people TO tidings_run_api;

GRANT SELECT ON TABLE tidings.erasure_key TO tidings_run;
GRANT SELECT ON TABLE tidings.erasure_key TO tidings_run_api;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.erasure_mentions TO tidings_run;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.erasures TO tidings_run;
GRANT INSERT ON TABLE tidings.erasures TO tidings_run_api;

GRANT SELECT(id) ON TABLE tidings.erasures TO tidings_run_api;

GRANT SELECT(state) ON TABLE tidings.erasures TO tidings_run_api;

GRANT UPDATE(readmitted_at) ON TABLE tidings.erasures TO tidings_run_api;

GRANT UPDATE(readmitted_by) ON TABLE tidings.erasures TO tidings_run_api;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.escalation_losses TO tidings_run;
GRANT SELECT,INSERT ON TABLE tidings.escalation_losses TO tidings_run_api;

GRANT UPDATE(noted_at) ON TABLE tidings.escalation_losses TO tidings_run_api;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.idempotency TO tidings_run;
GRANT SELECT ON TABLE tidings.idempotency TO tidings_run_api;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.idempotency_0 TO tidings_run;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.idempotency_recent TO tidings_run;
GRANT INSERT ON TABLE tidings.idempotency_recent TO tidings_run_api;

GRANT SELECT(key) ON TABLE tidings.idempotency_recent TO tidings_run_api;

GRANT SELECT ON TABLE tidings.idempotency_keys TO tidings_run;
GRANT SELECT ON TABLE tidings.idempotency_keys TO tidings_run_api;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.idempotent_requests TO tidings_run;
GRANT SELECT,INSERT,DELETE ON TABLE tidings.idempotent_requests TO tidings_run_api;

GRANT UPDATE(notification_ids) ON TABLE tidings.idempotent_requests TO tidings_run_api;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.inbox TO tidings_run;
GRANT SELECT ON TABLE tidings.inbox TO tidings_app;

GRANT SELECT(tenant) ON TABLE tidings.inbox TO tidings_run_api;

GRANT SELECT(recipient_id) ON TABLE tidings.inbox TO tidings_run_api;

GRANT SELECT(notification_id) ON TABLE tidings.inbox TO tidings_run_api;

GRANT UPDATE("position") ON TABLE tidings.inbox TO tidings_app;
GRANT SELECT("position") ON TABLE tidings.inbox TO tidings_run_api;

GRANT UPDATE(changed) ON TABLE tidings.inbox TO tidings_app;
GRANT SELECT(changed) ON TABLE tidings.inbox TO tidings_run_api;

GRANT UPDATE(seen_at) ON TABLE tidings.inbox TO tidings_app;

GRANT UPDATE(read_at) ON TABLE tidings.inbox TO tidings_app;

GRANT UPDATE(dismissed_at) ON TABLE tidings.inbox TO tidings_app;

GRANT UPDATE(deleted_at) ON TABLE tidings.inbox TO tidings_app;
GRANT SELECT(deleted_at) ON TABLE tidings.inbox TO tidings_run_api;

GRANT UPDATE(snoozed_until) ON TABLE tidings.inbox TO tidings_app;
GRANT SELECT(snoozed_until) ON TABLE tidings.inbox TO tidings_run_api;

GRANT UPDATE(woken_at) ON TABLE tidings.inbox TO tidings_app;
GRANT SELECT(woken_at) ON TABLE tidings.inbox TO tidings_run_api;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.inbox_0 TO tidings_run;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.inboxes TO tidings_run;
GRANT SELECT ON TABLE tidings.inboxes TO tidings_app;
GRANT SELECT ON TABLE tidings.inboxes TO tidings_run_api;

GRANT UPDATE("position") ON TABLE tidings.inboxes TO tidings_app;

GRANT UPDATE(total) ON TABLE tidings.inboxes TO tidings_app;

GRANT UPDATE(unread) ON TABLE tidings.inboxes TO tidings_app;

GRANT UPDATE(snoozed) ON TABLE tidings.inboxes TO tidings_app;

GRANT UPDATE(wakes_at) ON TABLE tidings.inboxes TO tidings_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.kept_days TO tidings_run;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.key_move TO tidings_run;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.liked_people TO tidings_run;
GRANT SELECT ON TABLE tidings.liked_people TO tidings_app;
GRANT SELECT ON TABLE tidings.liked_people TO tidings_run_api;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.likes TO tidings_run;
GRANT SELECT ON TABLE tidings.likes TO tidings_app;

GRANT SELECT(tenant) ON TABLE tidings.likes TO tidings_run_api;

GRANT SELECT(recipient_id) ON TABLE tidings.likes TO tidings_run_api;

GRANT SELECT(liker_id) ON TABLE tidings.likes TO tidings_run_api;

GRANT SELECT("position") ON TABLE tidings.likes TO tidings_run_api;

GRANT SELECT(name) ON TABLE tidings.likes TO tidings_run_api;

GRANT SELECT(photo_url) ON TABLE tidings.likes TO tidings_run_api;

GRANT UPDATE(passed) ON TABLE tidings.likes TO tidings_app;
GRANT SELECT(passed) ON TABLE tidings.likes TO tidings_run_api;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.local_plans TO tidings_run;
GRANT SELECT ON TABLE tidings.local_plans TO tidings_app;
GRANT SELECT ON TABLE tidings.local_plans TO tidings_run_api;

GRANT INSERT(tenant) ON TABLE tidings.local_plans TO tidings_app;

GRANT INSERT(device_id) ON TABLE tidings.local_plans TO tidings_app;

GRANT UPDATE(version) ON TABLE tidings.local_plans TO tidings_app;

GRANT UPDATE(acked_version) ON TABLE tidings.local_plans TO tidings_app;

GRANT UPDATE(forgotten_version) ON TABLE tidings.local_plans TO tidings_app;
GRANT UPDATE(forgotten_version) ON TABLE tidings.local_plans TO tidings_run_api;

GRANT UPDATE(synced_at) ON TABLE tidings.local_plans TO tidings_app;

GRANT UPDATE(acked_at) ON TABLE tidings.local_plans TO tidings_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.local_requests TO tidings_run;
GRANT SELECT,DELETE ON TABLE tidings.local_requests TO tidings_app;
GRANT DELETE ON TABLE tidings.local_requests TO tidings_run_api;

GRANT SELECT(tenant) ON TABLE tidings.local_requests TO tidings_run_api;

GRANT SELECT(device_id) ON TABLE tidings.local_requests TO tidings_run_api;

GRANT SELECT(notification_id) ON TABLE tidings.local_requests TO tidings_run_api;

GRANT SELECT(ordinal) ON TABLE tidings.local_requests TO tidings_run_api;

GRANT UPDATE(in_plan) ON TABLE tidings.local_requests TO tidings_app;
GRANT SELECT(in_plan) ON TABLE tidings.local_requests TO tidings_run_api;

GRANT UPDATE(version) ON TABLE tidings.local_requests TO tidings_app;
GRANT SELECT(version) ON TABLE tidings.local_requests TO tidings_run_api;

GRANT UPDATE(fires_at) ON TABLE tidings.local_requests TO tidings_app;
GRANT SELECT(fires_at) ON TABLE tidings.local_requests TO tidings_run_api;

GRANT UPDATE(zone) ON TABLE tidings.local_requests TO tidings_app;

GRANT UPDATE(confirmed_at) ON TABLE tidings.local_requests TO tidings_app;
GRANT SELECT(confirmed_at) ON TABLE tidings.local_requests TO tidings_run_api;

GRANT UPDATE(ends_as) ON TABLE tidings.local_requests TO tidings_app;
GRANT SELECT(ends_as),UPDATE(ends_as) ON TABLE tidings.local_requests TO tidings_run_api;

GRANT UPDATE(end_reason) ON TABLE tidings.local_requests TO tidings_app;
GRANT UPDATE(end_reason) ON TABLE tidings.local_requests TO tidings_run_api;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.local_wakes TO tidings_run;
GRANT INSERT ON TABLE tidings.local_wakes TO tidings_app;
GRANT INSERT ON TABLE tidings.local_wakes TO tidings_run_api;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.matches TO tidings_run;
GRANT SELECT ON TABLE tidings.matches TO tidings_app;
GRANT INSERT ON TABLE tidings.matches TO tidings_run_api;

GRANT SELECT(tenant) ON TABLE tidings.matches TO tidings_run_api;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.message_references TO tidings_run;
GRANT SELECT ON TABLE tidings.message_references TO tidings_run_api;

GRANT SELECT ON TABLE tidings.migrations TO tidings_run;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.notifications TO tidings_run;

GRANT SELECT(id) ON TABLE tidings.notifications TO tidings_run_api;

GRANT SELECT(tenant) ON TABLE tidings.notifications TO tidings_run_api;

GRANT SELECT(recipient_id) ON TABLE tidings.notifications TO tidings_run_api;

GRANT SELECT(critical) ON TABLE tidings.notifications TO tidings_run_api;

GRANT UPDATE(traceparent) ON TABLE tidings.notifications TO tidings_run_api;

GRANT SELECT(planned) ON TABLE tidings.notifications TO tidings_run_api;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.outgoing TO tidings_run;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.outgoing_claims TO tidings_run;

GRANT SELECT ON TABLE tidings.own_addresses TO tidings_run;
GRANT SELECT ON TABLE tidings.own_addresses TO tidings_app;

GRANT SELECT ON TABLE tidings.own_attempts TO tidings_run;
GRANT SELECT ON TABLE tidings.own_attempts TO tidings_app;

GRANT SELECT ON TABLE tidings.own_decisions TO tidings_run;
GRANT SELECT ON TABLE tidings.own_decisions TO tidings_app;

GRANT SELECT ON TABLE tidings.own_deliveries TO tidings_run;
GRANT SELECT ON TABLE tidings.own_deliveries TO tidings_app;

GRANT SELECT ON TABLE tidings.own_due TO tidings_run;
GRANT SELECT ON TABLE tidings.own_due TO tidings_app;

GRANT SELECT ON TABLE tidings.own_endpoints TO tidings_run;
GRANT SELECT ON TABLE tidings.own_endpoints TO tidings_app;

GRANT SELECT ON TABLE tidings.own_likes_given TO tidings_run;
GRANT SELECT ON TABLE tidings.own_likes_given TO tidings_app;

GRANT SELECT ON TABLE tidings.own_notifications TO tidings_run;
GRANT SELECT ON TABLE tidings.own_notifications TO tidings_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.rejected TO tidings_run;

GRANT SELECT ON TABLE tidings.own_rejected TO tidings_run;
GRANT SELECT ON TABLE tidings.own_rejected TO tidings_app;

GRANT SELECT ON TABLE tidings.own_reports TO tidings_run;
GRANT SELECT ON TABLE tidings.own_reports TO tidings_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.packs TO tidings_run;
GRANT SELECT,DELETE ON TABLE tidings.packs TO tidings_run_api;

GRANT UPDATE(notification_ids) ON TABLE tidings.packs TO tidings_run_api;

GRANT UPDATE(ordinals) ON TABLE tidings.packs TO tidings_run_api;

GRANT UPDATE(attempts) ON TABLE tidings.packs TO tidings_run_api;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.pauses TO tidings_run;
GRANT SELECT ON TABLE tidings.pauses TO tidings_run_api;

GRANT SELECT(id) ON TABLE tidings.pauses TO tidings_app;

GRANT SELECT(scope) ON TABLE tidings.pauses TO tidings_app;

GRANT SELECT(name) ON TABLE tidings.pauses TO tidings_app;

GRANT SELECT(until) ON TABLE tidings.pauses TO tidings_app;

GRANT SELECT(resumed_at) ON TABLE tidings.pauses TO tidings_app;

GRANT SELECT ON TABLE tidings.reason_codes TO tidings_run;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.recipients TO tidings_run;
GRANT SELECT ON TABLE tidings.recipients TO tidings_app;

GRANT INSERT(tenant) ON TABLE tidings.recipients TO tidings_app;
GRANT SELECT(tenant) ON TABLE tidings.recipients TO tidings_run_api;

GRANT INSERT(id) ON TABLE tidings.recipients TO tidings_app;
GRANT SELECT(id) ON TABLE tidings.recipients TO tidings_run_api;

GRANT UPDATE(time_zone) ON TABLE tidings.recipients TO tidings_app;

GRANT UPDATE(quiet_start) ON TABLE tidings.recipients TO tidings_app;

GRANT UPDATE(quiet_end) ON TABLE tidings.recipients TO tidings_app;

GRANT UPDATE(disabled_channels) ON TABLE tidings.recipients TO tidings_app;

GRANT UPDATE(disabled_categories) ON TABLE tidings.recipients TO tidings_app;

GRANT UPDATE(enabled_types) ON TABLE tidings.recipients TO tidings_app;

GRANT UPDATE(disabled_types) ON TABLE tidings.recipients TO tidings_app;

GRANT INSERT(changed_at),UPDATE(changed_at) ON TABLE tidings.recipients TO tidings_app;
GRANT UPDATE(changed_at) ON TABLE tidings.recipients TO tidings_run_api;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.rejected_days TO tidings_run;

GRANT USAGE ON SEQUENCE tidings.rejected_id_seq TO tidings_run;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.reservations TO tidings_run;
GRANT SELECT,INSERT,DELETE ON TABLE tidings.reservations TO tidings_run_api;

GRANT UPDATE(cancelled_at) ON TABLE tidings.reservations TO tidings_run_api;

GRANT UPDATE(cancel_reason) ON TABLE tidings.reservations TO tidings_run_api;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.tally TO tidings_run;
GRANT INSERT ON TABLE tidings.tally TO tidings_run_api;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.tally_totals TO tidings_run;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.unblurs TO tidings_run;
GRANT SELECT,INSERT ON TABLE tidings.unblurs TO tidings_app;

GRANT UPDATE(expires_at) ON TABLE tidings.unblurs TO tidings_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tidings.workers TO tidings_run;
GRANT SELECT,INSERT,UPDATE ON TABLE tidings.workers TO tidings_run_api;

GRANT SELECT ON TABLE tidings_ops.addresses TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.addresses TO tidings_ops_read;

GRANT SELECT ON TABLE tidings_ops.api_keys TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.api_keys TO tidings_ops_read;

GRANT SELECT ON TABLE tidings_ops.attempts TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.attempts TO tidings_ops_read;
GRANT SELECT ON TABLE tidings_ops.attempts TO tidings_run_api;

GRANT SELECT ON TABLE tidings_ops.workers TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.workers TO tidings_ops_read;

GRANT SELECT ON TABLE tidings_ops.bulk_yields TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.bulk_yields TO tidings_ops_read;

GRANT SELECT ON TABLE tidings_ops.catalogue_history TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.catalogue_history TO tidings_ops_read;

GRANT SELECT ON TABLE tidings_ops.catalogues TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.catalogues TO tidings_ops_read;

GRANT SELECT ON TABLE tidings_ops.database_timelines TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.database_timelines TO tidings_ops_read;

GRANT SELECT ON TABLE tidings_ops.dead_letters TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.dead_letters TO tidings_ops_read;

GRANT SELECT ON TABLE tidings_ops.decisions TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.decisions TO tidings_ops_read;
GRANT SELECT ON TABLE tidings_ops.decisions TO tidings_run_api;

GRANT SELECT ON TABLE tidings_ops.ended_deliveries TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.ended_deliveries TO tidings_ops_read;

GRANT SELECT ON TABLE tidings_ops.pending_deliveries TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.pending_deliveries TO tidings_ops_read;

GRANT SELECT ON TABLE tidings_ops.deliveries TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.deliveries TO tidings_ops_read;
GRANT SELECT ON TABLE tidings_ops.deliveries TO tidings_run_api;

GRANT SELECT ON TABLE tidings_ops.devices TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.devices TO tidings_ops_read;

GRANT SELECT ON TABLE tidings_ops.engagement TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.engagement TO tidings_ops_read;

GRANT SELECT ON TABLE tidings_ops.engagement_counts TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.engagement_counts TO tidings_ops_read;

GRANT SELECT ON TABLE tidings_ops.erasures TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.erasures TO tidings_ops_read;
GRANT SELECT ON TABLE tidings_ops.erasures TO tidings_run_api;

GRANT SELECT ON TABLE tidings_ops.errors TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.errors TO tidings_ops_read;

GRANT SELECT ON TABLE tidings_ops.growth TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.growth TO tidings_ops_read;

GRANT SELECT ON TABLE tidings_ops.inbox TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.inbox TO tidings_ops_read;

GRANT SELECT ON TABLE tidings_ops.inboxes TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.inboxes TO tidings_ops_read;

GRANT SELECT ON TABLE tidings_ops.local_plans TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.local_plans TO tidings_ops_read;
GRANT SELECT ON TABLE tidings_ops.local_plans TO tidings_run_api;

GRANT SELECT ON TABLE tidings_ops.notifications TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.notifications TO tidings_ops_read;
GRANT SELECT ON TABLE tidings_ops.notifications TO tidings_run_api;

GRANT SELECT ON TABLE tidings_ops.open_breakers TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.open_breakers TO tidings_ops_read;

GRANT SELECT ON TABLE tidings_ops.outbox TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.outbox TO tidings_ops_read;

GRANT SELECT ON TABLE tidings_ops.outcomes_by_market TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.outcomes_by_market TO tidings_ops_read;

GRANT SELECT ON TABLE tidings_ops.overdue TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.overdue TO tidings_ops_read;

GRANT SELECT ON TABLE tidings_ops.pauses TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.pauses TO tidings_ops_read;
GRANT SELECT ON TABLE tidings_ops.pauses TO tidings_run_api;

GRANT SELECT ON TABLE tidings_ops.possible_duplicates TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.possible_duplicates TO tidings_ops_read;

GRANT SELECT ON TABLE tidings_ops.queues TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.queues TO tidings_ops_read;

GRANT SELECT ON TABLE tidings_ops.reason_codes TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.reason_codes TO tidings_ops_read;
GRANT SELECT ON TABLE tidings_ops.reason_codes TO tidings_run_api;

GRANT SELECT ON TABLE tidings_ops.recent_failures TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.recent_failures TO tidings_ops_read;

GRANT SELECT ON TABLE tidings_ops.recipients TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.recipients TO tidings_ops_read;

GRANT SELECT ON TABLE tidings_ops.rejected TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.rejected TO tidings_ops_read;

GRANT SELECT ON TABLE tidings_ops.schema_version TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.schema_version TO tidings_ops_read;
GRANT SELECT ON TABLE tidings_ops.schema_version TO tidings_run_api;

GRANT SELECT ON TABLE tidings_ops.state_counts TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.state_counts TO tidings_ops_read;

GRANT SELECT ON TABLE tidings_ops.storage TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.storage TO tidings_ops_read;

GRANT SELECT ON TABLE tidings_ops.timeline TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.timeline TO tidings_ops_read;

GRANT SELECT ON TABLE tidings_ops.unaccounted TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.unaccounted TO tidings_ops_read;

GRANT SELECT ON TABLE tidings_ops.unconfirmed_packs TO tidings_run;
GRANT SELECT ON TABLE tidings_ops.unconfirmed_packs TO tidings_ops_read;

