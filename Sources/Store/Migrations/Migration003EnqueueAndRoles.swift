extension Migration {
    /// `tidings_api.enqueue` for producers that share the database, and the read-only role for operators.
    static let enqueueAndRoles = Migration(
        number: 3, name: "enqueue and roles", kind: .expand,
        sql: #"""
            create schema tidings_api;
            comment on schema tidings_api is 'What producers call inside their own transaction.';

            create function tidings_api.enqueue(
                type text, recipient text, data jsonb default '{}', key text default null, send_at timestamptz default null,
                title text default null, body text default null, channels text[] default null, source text default '/sql',
                tenant text default 'default'
            ) returns text language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
            declare
                event_id text := coalesce(enqueue.key, gen_random_uuid()::text);
            begin
                if coalesce(enqueue.type, '') = '' then raise exception 'tidings_api.enqueue: type is empty' using errcode = '22023'; end if;
                if coalesce(enqueue.recipient, '') = '' then raise exception 'tidings_api.enqueue: recipient is empty' using errcode = '22023'; end if;
                insert into tidings.outgoing (type, event, created_at) values (
                    enqueue.type,
                    json_build_object('specversion', '1.0', 'id', event_id, 'source', enqueue.source, 'type', enqueue.type,
                        'data', (select json_object_agg(member, value) from (values
                            ('recipient', to_json(enqueue.recipient)), ('tenant', to_json(enqueue.tenant)),
                            ('title', to_json(enqueue.title)), ('body', to_json(enqueue.body)),
                            ('channels', to_json(enqueue.channels)), ('data', enqueue.data::json),
                            ('scheduledFor', to_json(to_char(enqueue.send_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')))
                        ) as members(member, value) where value is not null))::text,
                    tidings.clock());
                return event_id;
            end $$;
            comment on function tidings_api.enqueue(text, text, jsonb, text, timestamptz, text, text, text[], text, text) is
                'Sends a notification if and only if the calling transaction commits. Returns the event id; the same key is sent once.';

            do $$ begin
                create role tidings_ops_read nologin;
            exception
                when duplicate_object or unique_violation then null;
                when insufficient_privilege then
                    raise notice 'role tidings_ops_read was not created: ask an administrator to, then run this migration''s grants again';
            end $$;
            do $$ begin
                if to_regrole('tidings_ops_read') is not null then
                    grant usage on schema tidings_ops to tidings_ops_read;
                    grant select on all tables in schema tidings_ops to tidings_ops_read;
                    grant execute on all functions in schema tidings_ops to tidings_ops_read;
                end if;
            end $$;
            alter function tidings_ops.explain(uuid) security definer;
            alter function tidings_ops.explain(uuid) set search_path = pg_catalog, pg_temp;
            alter function tidings_ops.find(text) security definer;
            alter function tidings_ops.find(text) set search_path = pg_catalog, pg_temp;
            revoke execute on all functions in schema tidings_ops from public;
            """#)
}
