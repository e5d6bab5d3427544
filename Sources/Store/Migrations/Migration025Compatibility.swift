extension Migration {
    /// The oldest binary that each step still allows, so that the previous release starts on a newer schema.
    static let compatibility = Migration(
        number: 25, name: "compatibility", kind: .expand, oldestBinary: 25,
        sql: #"""
            -- Null: the step asks nothing of a binary. Binaries before this step know only their own number and start on no other.
            alter table tidings.migrations add column if not exists oldest_binary_schema integer;
            comment on column tidings.migrations.oldest_binary_schema is
                'A binary whose own schema is older does not start any more. Null: the step allows every binary.';

            create or replace view tidings_ops.schema_version as
                select coalesce(max(number), 0)::integer as version,
                    coalesce(max(oldest_binary_schema), 0)::integer as oldest_binary_schema,
                    (array_agg(number || ' ' || name order by oldest_binary_schema desc, number)
                        filter (where oldest_binary_schema is not null))[1] as required_by,
                    max(applied_at) as migrated_at, tidings.clock() as as_of
                from tidings.migrations;
            comment on view tidings_ops.schema_version is 'One row: the schema of this database, and which binaries may start on it.';
            comment on column tidings_ops.schema_version.version is 'The number of the newest migration.';
            comment on column tidings_ops.schema_version.oldest_binary_schema is
                'A binary starts if it knows at least this number. tidings db plan prints the numbers that a binary knows.';
            comment on column tidings_ops.schema_version.required_by is 'The migration that excludes older binaries.';
            comment on column tidings_ops.schema_version.migrated_at is 'When the newest migration was applied.';
            comment on column tidings_ops.schema_version.as_of is 'The time of this answer, by the clock that every other view uses.';

            do $$ begin
                if to_regrole('tidings_run') is not null then
                    grant select on tidings_ops.schema_version to tidings_run;
                end if;
                if to_regrole('tidings_ops_read') is not null then
                    grant select on tidings_ops.schema_version to tidings_ops_read;
                end if;
            end $$;
            """#)
}
