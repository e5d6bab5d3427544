extension Migration {
    /// What `tidings_api.enqueue` takes is what the relay can publish: a mistake is told where it was made, while its transaction can still be
    /// rolled back.
    static let enqueueLimits = Migration(
        number: 6, name: "enqueue limits", kind: .expand,
        sql: #"""
            -- What the broker did not take goes behind what was tried less often.
            alter table tidings.outgoing add column attempts integer not null default 0;

            create or replace function tidings_api.enqueue(
                type text, recipient text, data jsonb default '{}', key text default null, send_at timestamptz default null,
                title text default null, body text default null, channels text[] default null, source text default '/sql',
                tenant text default 'default'
            ) returns text language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
            declare
                event_id text := coalesce(enqueue.key, gen_random_uuid()::text);
                built text;
                problem text := case
                    when coalesce(enqueue.type, '') = '' then 'type is empty'
                    when octet_length(enqueue.type) > 200 then 'type has more than 200 bytes'
                    when coalesce(enqueue.recipient, '') = '' then 'recipient is empty'
                    when octet_length(enqueue.recipient) > 256 then 'recipient has more than 256 bytes'
                    when event_id = '' then 'key is empty'
                    when octet_length(event_id) > 256 then 'key has more than 256 bytes'
                    when coalesce(enqueue.source, '') = '' then 'source is empty'
                    when octet_length(enqueue.source) > 512 then 'source has more than 512 bytes'
                    when not isfinite(enqueue.send_at) then 'send_at is not a time'
                end;
            begin
                built :=
                    json_build_object('specversion', '1.0', 'id', event_id, 'source', enqueue.source, 'type', enqueue.type,
                        'data', (select json_object_agg(member, value) from (values
                            ('recipient', to_json(enqueue.recipient)), ('tenant', to_json(enqueue.tenant)),
                            ('title', to_json(enqueue.title)), ('body', to_json(enqueue.body)),
                            ('channels', to_json(enqueue.channels)), ('data', enqueue.data::json),
                            ('scheduledFor', to_json(to_char(enqueue.send_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')))
                        ) as members(member, value) where value is not null))::text;
                if octet_length(built) > 262144 then problem := coalesce(problem, 'the event has more than 256 KiB'); end if;
                if problem is not null then raise exception 'tidings_api.enqueue: %', problem using errcode = '22023'; end if;
                insert into tidings.outgoing (type, event, created_at) values (enqueue.type, built, tidings.clock());
                return event_id;
            end $$;
            """#)
}
