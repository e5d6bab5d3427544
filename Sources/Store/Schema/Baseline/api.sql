-- For producers: functions that they call inside their own transaction.
-- The functions run with the rights of the owner, and a producer needs no right on a table.
-- enqueue refuses what the router would refuse with its default limits, while the producer can still roll back. The router also checks what
-- only the catalogue knows: the schema of the data, the title, rights of producers. DoorTests sends the same inputs to both.

-- Whether a number in the data has more than 1,000 characters.
create function tidings.has_long_number(data jsonb) returns boolean language sql immutable parallel safe
    set search_path = pg_catalog, pg_temp as $$
    select exists (select from jsonb_path_query(data, 'strict $.** ? (@.type() == "number")') n where octet_length(n::text) > 1000)
$$;

-- The checks have no query, so PL/pgSQL evaluates them without the executor. Costly ones come after a guard.
create function tidings_api.enqueue(
    type text, recipient text, data jsonb default '{}', key text default null, send_at timestamptz default null,
    title text default null, body text default null, channels text[] default null, source text default '/sql',
    tenant text default 'default'
) returns text language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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
end $$;
comment on function tidings_api.enqueue(text, text, jsonb, text, timestamptz, text, text, text[], text, text) is
    'Sends a notification if and only if the calling transaction commits. Returns the event id. Two calls with the same key send one '
    'notification.';

-- The function reads only the newest 10,000 refusals of the source. So a producer whose events fail for days costs no more than any other.
-- Anybody may have published an event without a proved publisher. If the catalogue names producers, such an event belongs to its tenant.
-- A role of the database without an entry may name the tenant default, as in the router.
create function tidings_api.rejected(source text, since timestamptz default null)
    returns table (rejected_id bigint, event_id text, type text, reason_code text, what_to_do text, pointer text, message text,
        occurrences bigint, first_at timestamptz, last_at timestamptz, state text, verified boolean)
    language sql stable security definer set search_path = pg_catalog, pg_temp as $$
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
comment on function tidings_api.rejected(text, timestamptz) is
    'Refused events of a source, newest first, at most 1,000, by default of the last day. Returns events that this login published, by '
    'enqueue or over AMQP with the same user name, and events whose publisher is not known. If the catalogue names producers, the latter '
    'are only those of tenants that this login may name. what_to_do has the next step for each reason. verified is false if the event is '
    'broken, or if its publisher may not name this source: anybody may have written it.';
