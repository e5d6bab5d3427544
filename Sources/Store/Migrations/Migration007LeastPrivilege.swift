extension Migration {
    /// Roles of PostgreSQL with no more rights than their users need, and what lets the roles of Tidings run without owning the schema.
    static let leastPrivilege = Migration(
        number: 7, name: "least privilege", kind: .expand,
        sql: #"""
            comment on column tidings_ops.dead_letters.deaths is 'How often these same bytes were set aside since they were last processed.';

            -- Partitions belong to the owner of the schema, whoever asks for them.
            alter function tidings.ensure_partitions(integer, integer) security definer;
            alter function tidings.ensure_partitions(integer, integer) set search_path = pg_catalog, pg_temp;
            alter function tidings.expire_partitions(interval) security definer;
            alter function tidings.expire_partitions(interval) set search_path = pg_catalog, pg_temp;
            revoke execute on function tidings.ensure_partitions(integer, integer), tidings.expire_partitions(interval) from public;
            revoke execute on all functions in schema tidings_api from public;

            do $$ declare name text; begin
                foreach name in array array['tidings_run', 'tidings_produce'] loop
                    begin
                        execute format('create role %I nologin', name);
                    exception
                        when duplicate_object or unique_violation then null;
                        when insufficient_privilege then
                            raise notice 'role % was not created: ask an administrator to, then run this migration''s grants again', name;
                    end;
                end loop;
                if to_regrole('tidings_run') is not null then
                    grant usage on schema tidings, tidings_ops, tidings_api to tidings_run;
                    grant select, insert, update, delete on all tables in schema tidings to tidings_run;
                    -- The schema's version and the business clock are the owner's.
                    revoke insert, update, delete on tidings.migrations, tidings.clock_offset, tidings.reason_codes from tidings_run;
                    grant usage on all sequences in schema tidings to tidings_run;
                    grant execute on all functions in schema tidings to tidings_run;
                    grant execute on all functions in schema tidings_ops to tidings_run;
                    grant execute on all functions in schema tidings_api to tidings_run;
                    grant select on all tables in schema tidings_ops to tidings_run;
                end if;
                if to_regrole('tidings_produce') is not null then
                    grant usage on schema tidings_api to tidings_produce;
                    grant execute on all functions in schema tidings_api to tidings_produce;
                end if;
            end $$;
            """#)
}
