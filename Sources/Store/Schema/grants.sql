-- Roles and their rights. Roles belong to the whole cluster, so they may exist already.
-- tidings_run is for the processes of Tidings, which do not own the schema. tidings_run_api is for processes that only serve the API.
-- tidings_ops_read is for operators who only read. tidings_produce is for producers. tidings_app is for one person at a time: a process
-- takes this role for the statements of that person.
-- A module has the rights on its tables in its folder (SchemaPart.swift). They are given after those of this file.
-- This file belongs to no step of the schema. It always describes the newest schema, and it comes after the last step, because it grants on
-- all tables of a schema. tidings db migrate runs it if a right is missing. tidings db grant runs it in any case.
-- The file may run again and again. Grants.swift lists the same rights, and a test compares both.

-- noinherit: a process of the API has the rights of tidings_app only in a transaction that takes this role.
do $$ declare
    wanted record;
begin
    for wanted in
        select v.* from (values ('tidings_run', ''), ('tidings_run_api', 'noinherit'), ('tidings_ops_read', ''), ('tidings_produce', ''),
            ('tidings_app', '')) as v(name, attribute)
    loop
        continue when to_regrole(wanted.name) is not null;
        begin
            execute format('create role %I nologin %s', wanted.name, wanted.attribute);
        exception
            -- Another database of the cluster has created it meanwhile.
            when duplicate_object or unique_violation then null;
            when insufficient_privilege then
                raise notice 'role % was not created: ask an administrator to create it, then run tidings db grant', wanted.name;
        end;
    end loop;
end $$;

-- PostgreSQL lets every role call a new function. The functions here run with the rights of the owner.
revoke execute on all functions in schema tidings_ops, tidings_api from public;
revoke execute on function tidings.ensure_partitions(integer, integer), tidings.expire_partitions(interval) from public;

do $$ declare
    name text;
begin
    if to_regrole('tidings_run') is not null then
        grant usage on schema tidings, tidings_ops, tidings_api to tidings_run;
        grant select, insert, update, delete on all tables in schema tidings to tidings_run;
        -- The schema's version, the business clock, the reason codes and the key of the tombstones belong to the owner.
        revoke insert, update, delete on tidings.migrations, tidings.clock_offset, tidings.reason_codes, tidings.erasure_key
            from tidings_run;
        -- Rows are only added to the history.
        revoke update, delete on tidings.catalogue_history from tidings_run;
        -- Views: read only.
        for name in select relname from pg_class where relnamespace = 'tidings'::regnamespace and relkind = 'v' loop
            execute format('revoke insert, update, delete on tidings.%I from tidings_run', name);
        end loop;
        grant usage on sequence tidings.rejected_id_seq, tidings.dead_id_seq to tidings_run;
        grant execute on function tidings.clock(), tidings.first_id(timestamptz), tidings.id_time(uuid), tidings.token_hash(text),
            tidings.person_hash(text, text), tidings.record_activation(), tidings.ensure_partitions(integer, integer),
            tidings.expire_partitions(interval) to tidings_run;
        grant select on all tables in schema tidings_ops to tidings_run;
        grant execute on all functions in schema tidings_ops to tidings_run;
        grant execute on function
            tidings_api.enqueue(text, text, jsonb, text, timestamptz, text, text, text[], text, text) to tidings_run;
    end if;
    if to_regrole('tidings_ops_read') is not null then
        grant usage on schema tidings_ops to tidings_ops_read;
        grant select on all tables in schema tidings_ops to tidings_ops_read;
        grant execute on all functions in schema tidings_ops to tidings_ops_read;
        -- Views call tidings.clock() with the rights of the reader. It reads this one row, which holds no personal data.
        grant usage on schema tidings to tidings_ops_read;
        grant select on tidings.clock_offset to tidings_ops_read;
    end if;
    if to_regrole('tidings_produce') is not null then
        grant usage on schema tidings_api to tidings_produce;
        grant execute on all functions in schema tidings_api to tidings_produce;
    end if;
end $$;

-- Rows of people are visible to the processes, and to the person that a transaction names. Without a name there is no row.
-- A device has its plan, and the notifications in it: the person who has the device now must be able to take back those of an earlier
-- person.
do $$ declare
    tenant constant text := 'tenant = current_setting(''tidings.tenant'', true)';
    person constant text := 'current_setting(''tidings.recipient'', true)';
    own constant text := format('%s and recipient_id = %s', tenant, person);
    device constant text := format('%s and exists (select from tidings.endpoints e where e.%1$s and e.recipient_id = %s
        and e.id = device_id and e.channel = ''push'')', tenant, person);
    bound record;
    granted record;
begin
    for bound in
        -- The rows that a person sees, and the rows that a person may write. Null: the rows that the person sees.
        select v.* from (values ('inbox', own, null), ('inboxes', own, null), ('engagement', own, null),
            ('engagement_days', own, null), ('recipients', format('%s and id = %s', tenant, person), null),
            -- A person writes devices, and no other endpoint. A person sees the own addresses and changes none.
            ('endpoints', own, own || ' and channel = ''push'''), ('addresses', own, null),
            ('local_plans', device, null), ('local_wakes', device, null),
            ('local_requests', format('(%s) or (%s)', own, device), null)) as v(name, visible, written)
    loop
        for granted in
            select v.* from (values ('pipeline', 'tidings_run', 'true', 'true'),
                -- Only statements of a person touch the other two.
                ('api', 'tidings_run_api', case when bound.name not in ('engagement', 'engagement_days') then 'true' end, 'true'),
                ('person', 'tidings_app', bound.visible, bound.written)) as v(policy, role, visible, written)
        loop
            continue when granted.visible is null or to_regrole(granted.role) is null or exists (
                select from pg_policy where polrelid = format('tidings.%I', bound.name)::regclass and polname = granted.policy);
            execute format('create policy %I on tidings.%I to %I using (%s)', granted.policy, bound.name, granted.role, granted.visible)
                || case when granted.written is null then '' else format(' with check (%s)', granted.written) end;
        end loop;
    end loop;
end $$;

-- The rights of one person, for the statements that a process runs as tidings_app.
do $$ begin
    if to_regrole('tidings_app') is null then return; end if;
    grant usage on schema tidings to tidings_app;
    grant execute on function tidings.clock(), tidings.token_hash(text) to tidings_app;
    grant select on tidings.clock_offset to tidings_app;
    -- No insert and no delete: a deleted entry keeps its row until retention.
    grant select, update (position, changed, seen_at, read_at, dismissed_at, deleted_at, snoozed_until, woken_at)
        on tidings.inbox to tidings_app;
    -- A change of entries changes the counts, and takes a position.
    grant select, update (position, total, unread, snoozed, wakes_at) on tidings.inboxes to tidings_app;
    -- A person adds events, and neither changes nor deletes them. The counts name no person.
    grant select, insert on tidings.engagement to tidings_app;
    grant select, insert, update (day, n) on tidings.engagement_days to tidings_app;
    grant insert on tidings.engagement_tally to tidings_app;
    -- An operator sets the market of a person.
    grant select, insert (tenant, id, changed_at), update (changed_at, time_zone, quiet_start, quiet_end, disabled_channels,
        disabled_categories, enabled_types, disabled_types) on tidings.recipients to tidings_app;
    -- No other owner of a device: a process moves a device, because that concerns two people.
    grant select (tenant, recipient_id, id, channel, provider, address, permission, gone_at, changed_at, platform, environment, market,
        time_zone, locale, app_version, registered_at, gone_reason, token_identity),
        insert (tenant, recipient_id, id, channel, provider, address, permission, changed_at, platform, environment, market, time_zone,
        locale, app_version, registered_at, token_identity),
        update (provider, address, permission, gone_at, changed_at, platform, environment, market, time_zone, locale, app_version,
        registered_at, gone_reason, token_identity), delete on tidings.endpoints to tidings_app;
    -- No secret of a webhook, and no change: consent and the way to a person come from a backend or an operator.
    grant select (tenant, recipient_id, id, kind, value, identity, source, consent, consent_at, verified_at, suppressed_at,
        suppressed_until, suppressed_because, created_at, changed_at)
        on tidings.addresses to tidings_app;
    grant select, insert (tenant, device_id), update (version, acked_version, forgotten_version, synced_at, acked_at)
        on tidings.local_plans to tidings_app;
    grant select, update (in_plan, version, fires_at, zone, confirmed_at, ends_as, end_reason), delete
        on tidings.local_requests to tidings_app;
    grant insert on tidings.local_wakes to tidings_app;
    -- A pause names no person. Its reason and its author are for operators.
    grant select (id, scope, name, until, resumed_at) on tidings.pauses to tidings_app;
    grant select on tidings.own_notifications, tidings.own_decisions, tidings.own_deliveries, tidings.own_attempts, tidings.own_reports,
        tidings.own_due, tidings.own_rejected, tidings.own_endpoints, tidings.own_addresses to tidings_app;
end $$;

-- The rights of a process that only serves the API. Strangers reach it, so it owns nothing. Outside of the statements of a person it reads
-- no title, body or data, and no refused event. It reads no secret of a webhook, and adds no key, no rule and no pack.
do $$ begin
    if to_regrole('tidings_run_api') is null then return; end if;
    grant usage on schema tidings, tidings_ops, tidings_api to tidings_run_api;
    grant execute on function tidings.clock(), tidings.first_id(timestamptz), tidings.id_time(uuid), tidings.token_hash(text),
        tidings.person_hash(text, text), tidings_ops.explain(uuid), tidings_ops.promised(uuid),
        tidings_api.enqueue(text, text, jsonb, text, timestamptz, text, text, text[], text, text) to tidings_run_api;
    -- Rules, heartbeats, and the timelines of the server.
    grant select on tidings.clock_offset, tidings.active_catalogue, tidings.catalogues, tidings.catalogue_types, tidings.pauses
        to tidings_run_api;
    grant select, insert, update on tidings.workers to tidings_run_api;
    grant insert on tidings.database_timelines to tidings_run_api;
    -- It verifies keys and notes their use.
    grant select, update (last_used_at) on tidings.api_keys to tidings_run_api;
    -- Promised ids, the first answers to named requests, and the cancel of a promise.
    grant select, insert, update (notification_ids), delete on tidings.idempotent_requests to tidings_run_api;
    grant select, insert, update (cancelled_at, cancel_reason), delete on tidings.reservations to tidings_run_api;
    grant select on tidings.idempotency, tidings.idempotency_keys to tidings_run_api;
    grant select (key), insert on tidings.idempotency_recent to tidings_run_api;
    -- Answers to producers.
    grant select on tidings_ops.schema_version, tidings_ops.notifications, tidings_ops.deliveries, tidings_ops.attempts,
        tidings_ops.decisions, tidings_ops.local_plans, tidings_ops.reason_codes, tidings_ops.pauses, tidings_ops.erasures
        to tidings_run_api;
    -- Cancels, reports of providers, and receipts. A right on one column lets a statement lock rows: nothing writes traceparent.
    grant select (id, tenant, recipient_id, planned, critical), update (traceparent) on tidings.notifications to tidings_run_api;
    grant select, insert, update (state, reason, ended_at) on tidings.deliveries to tidings_run_api;
    grant select, delete on tidings.due to tidings_run_api;
    grant select, update (notification_ids, ordinals, attempts), delete on tidings.packs to tidings_run_api;
    grant insert on tidings.tally to tidings_run_api;
    grant select, insert on tidings.reports to tidings_run_api;
    -- A releaser records the reports that came before their message was known.
    grant insert on tidings.early_reports to tidings_run_api;
    -- A releaser starts the next channel after a push that failed after all.
    grant select, insert, update (noted_at) on tidings.escalation_losses to tidings_run_api;
    grant select on tidings.message_references, tidings.erased_notifications to tidings_run_api;
    -- Devices that move to another person, or that a provider reports as gone.
    grant select (tenant, recipient_id, id, channel, provider, address, gone_at, registered_at, token_identity),
        update (recipient_id, gone_at, changed_at, gone_reason), delete on tidings.endpoints to tidings_run_api;
    grant select (tenant, id), update (changed_at) on tidings.recipients to tidings_run_api;
    -- Addresses that backends set and change. Without the column id no row is a webhook: its URL says where other processes call.
    grant select (tenant, recipient_id, id, kind, value, identity, source, consent, consent_at, verified_at, suppressed_at,
        suppressed_until, suppressed_because, created_at, changed_at),
        insert (tenant, recipient_id, kind, value, identity, source, consent, consent_at, verified_at, created_at, changed_at),
        update (source, consent, consent_at, verified_at, suppressed_at, suppressed_until, suppressed_because, changed_at), delete
        on tidings.addresses to tidings_run_api;
    -- Planned notifications that a producer cancels.
    grant select, update (forgotten_version) on tidings.local_plans to tidings_run_api;
    grant select (tenant, device_id, notification_id, ordinal, in_plan, version, fires_at, confirmed_at, ends_as),
        update (ends_as, end_reason), delete on tidings.local_requests to tidings_run_api;
    grant insert on tidings.local_wakes to tidings_run_api;
    -- News of many streams: ids and counts.
    grant select (tenant, recipient_id, notification_id, position, changed, deleted_at, snoozed_until, woken_at)
        on tidings.inbox to tidings_run_api;
    grant select on tidings.inboxes to tidings_run_api;
    -- Requests for erasures and readmissions.
    grant select on tidings.erasure_key to tidings_run_api;
    grant select, insert, update (erasure, erased_at), delete on tidings.erased_people to tidings_run_api;
    grant select (id, state), insert, update (readmitted_at, readmitted_by) on tidings.erasures to tidings_run_api;
end $$;

-- The owner sees every row as well, because its views and functions read the rows. Forced row-level security binds the owner of a table,
-- and a table may get another owner, so the policy follows. A superuser ignores policies.
do $$ declare
    bound record;
begin
    for bound in
        select c.relname as name, c.relowner as owner, o.rolname as owner_name,
            (select p.polroles from pg_policy p where p.polrelid = c.oid and p.polname = 'owner') as roles
        from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_roles o on o.oid = c.relowner
        where n.nspname = 'tidings' and c.relrowsecurity and not c.relispartition and not o.rolsuper
    loop
        if bound.roles is null then
            execute format('create policy owner on tidings.%I to %I using (true) with check (true)', bound.name, bound.owner_name);
        elsif bound.roles <> array[bound.owner] then
            execute format('alter policy owner on tidings.%I to %I', bound.name, bound.owner_name);
        end if;
    end loop;
end $$;

-- "set role" needs membership. The owner needs it too, because the owner of a small installation also runs the processes.
do $$ declare
    name text;
    -- From PostgreSQL 16 on, a user who creates a role is a member that may not take the role.
    needed constant text := case when current_setting('server_version_num')::integer >= 160000 then 'set' else 'member' end;
begin
    if to_regrole('tidings_app') is null then return; end if;
    foreach name in array array['tidings_run', 'tidings_run_api',
            (select o.rolname::text from pg_namespace n join pg_roles o on o.oid = n.nspowner where n.nspname = 'tidings')] loop
        continue when to_regrole(quote_ident(name)) is null or pg_has_role(name, 'tidings_app', needed);
        begin
            execute format('grant tidings_app to %I', name);
        exception
            -- Another database of the cluster has granted it meanwhile.
            when unique_violation then null;
            when insufficient_privilege then
                raise notice 'tidings_app was not granted to %: ask an administrator to run: grant tidings_app to %', name, quote_ident(name);
        end;
    end loop;
end $$;
