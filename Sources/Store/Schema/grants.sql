-- Roles and their rights. Roles belong to the whole cluster, so they may exist already.
-- tidings_run is for the processes of Tidings, which do not own the schema. tidings_ops_read is for operators who only read.
-- tidings_produce is for producers. tidings_app is for one person at a time: a process takes this role for the statements of that person.
-- This file belongs to no step of the schema. It always describes the newest schema, and it comes after the last step, because it grants on
-- all tables of a schema. tidings db migrate runs it if a right is missing. tidings db grant runs it in any case.
-- The file may run again and again. Grants.swift lists the same rights, and a test compares both.

do $$ declare
    name text;
begin
    foreach name in array array['tidings_run', 'tidings_ops_read', 'tidings_produce', 'tidings_app'] loop
        continue when to_regrole(name) is not null;
        begin
            execute format('create role %I nologin', name);
        exception
            -- Another database of the cluster has created it meanwhile.
            when duplicate_object or unique_violation then null;
            when insufficient_privilege then
                raise notice 'role % was not created: ask an administrator to create it, then run tidings db grant', name;
        end;
    end loop;
end $$;

-- PostgreSQL lets every role call a new function. The functions here run with the rights of the owner.
revoke execute on all functions in schema tidings_ops, tidings_api from public;
revoke execute on function tidings.ensure_partitions(integer, integer), tidings.expire_partitions(interval) from public;

do $$ begin
    if to_regrole('tidings_run') is not null then
        grant usage on schema tidings, tidings_ops, tidings_api to tidings_run;
        grant select, insert, update, delete on all tables in schema tidings to tidings_run;
        -- The schema's version, the business clock, the reason codes and the key of the tombstones belong to the owner.
        revoke insert, update, delete on tidings.migrations, tidings.clock_offset, tidings.reason_codes, tidings.erasure_key
            from tidings_run;
        -- Rows are only added to the history.
        revoke update, delete on tidings.catalogue_history from tidings_run;
        -- Views over two tables: read only.
        revoke insert, update, delete on tidings.idempotency_keys, tidings.ends_of_calls from tidings_run;
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

-- Rows of the inbox are visible to the processes, and to the person that a transaction names. Without a name there is no row.
do $$ declare
    name text;
begin
    foreach name in array array['inbox', 'inboxes'] loop
        if to_regrole('tidings_run') is not null and not exists (
                select from pg_policy where polrelid = format('tidings.%I', name)::regclass and polname = 'pipeline') then
            execute format('create policy pipeline on tidings.%I to tidings_run using (true) with check (true)', name);
        end if;
        continue when to_regrole('tidings_app') is null or exists (
            select from pg_policy where polrelid = format('tidings.%I', name)::regclass and polname = 'person');
        execute format('create policy person on tidings.%I to tidings_app
            using (tenant = current_setting(''tidings.tenant'', true) and recipient_id = current_setting(''tidings.recipient'', true))', name);
    end loop;
    if to_regrole('tidings_app') is not null then
        grant usage on schema tidings to tidings_app;
        grant execute on function tidings.clock() to tidings_app;
        grant select on tidings.clock_offset to tidings_app;
        -- No insert and no delete: a deleted entry keeps its row until retention.
        grant select, update (position, changed, seen_at, read_at, dismissed_at, deleted_at, snoozed_until, woken_at)
            on tidings.inbox to tidings_app;
        -- A change of entries changes the counts, and takes a position.
        grant select, update (position, total, unread, snoozed, wakes_at) on tidings.inboxes to tidings_app;
    end if;
end $$;

-- The same for the tables of likes. A match is visible to both of its people. The places of liked_people are for the processes only.
do $$ declare
    name text;
    is_person text;
begin
    foreach name in array array['liked_people', 'likes', 'matches', 'unblurs'] loop
        if to_regrole('tidings_run') is not null and not exists (
                select from pg_policy where polrelid = format('tidings.%I', name)::regclass and polname = 'pipeline') then
            execute format('create policy pipeline on tidings.%I to tidings_run using (true) with check (true)', name);
        end if;
        continue when to_regrole('tidings_app') is null or name = 'liked_people' or exists (
            select from pg_policy where polrelid = format('tidings.%I', name)::regclass and polname = 'person');
        is_person := case name when 'matches' then 'in (one_id, other_id)' else '= recipient_id' end;
        execute format('create policy person on tidings.%I to tidings_app
            using (tenant = current_setting(''tidings.tenant'', true) and current_setting(''tidings.recipient'', true) %s)', name, is_person);
    end loop;
    if to_regrole('tidings_app') is not null then
        grant select, update (passed) on tidings.likes to tidings_app;
        grant select on tidings.matches to tidings_app;
        grant select, insert, update (expires_at) on tidings.unblurs to tidings_app;
    end if;
end $$;

-- The same for the events that apps report. A person adds events, and neither changes nor deletes them.
do $$ declare
    name text;
begin
    foreach name in array array['engagement', 'engagement_days'] loop
        if to_regrole('tidings_run') is not null and not exists (
                select from pg_policy where polrelid = format('tidings.%I', name)::regclass and polname = 'pipeline') then
            execute format('create policy pipeline on tidings.%I to tidings_run using (true) with check (true)', name);
        end if;
        continue when to_regrole('tidings_app') is null or exists (
            select from pg_policy where polrelid = format('tidings.%I', name)::regclass and polname = 'person');
        execute format('create policy person on tidings.%I to tidings_app
            using (tenant = current_setting(''tidings.tenant'', true) and recipient_id = current_setting(''tidings.recipient'', true))', name);
    end loop;
    if to_regrole('tidings_app') is not null then
        grant select, insert on tidings.engagement to tidings_app;
        grant select, insert, update (day, n) on tidings.engagement_days to tidings_app;
    end if;
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
    foreach name in array array['tidings_run',
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
