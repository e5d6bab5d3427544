-- The three schemas, the business clock, and functions over ids.
-- Schema tidings is private. Schema tidings_ops is the contract for operators, and schema tidings_api the contract for producers.
-- Every file reads the time from tidings.clock(), so that a test can move the time. An id is a UUIDv7, which carries its own time.
-- The program creates schema tidings and table tidings.migrations before the first file.

comment on schema tidings is 'Private tables of Tidings, which change. Read tidings_ops instead: it is the contract.';

-- An administrator may have created a schema for an owner who may not. Not "if not exists": it needs the right to create all the same.
do $$ declare
    name text;
begin
    foreach name in array array['tidings_ops', 'tidings_api'] loop
        if to_regnamespace(name) is null then execute format('create schema %I', name); end if;
    end loop;
end $$;

comment on schema tidings_ops is
    'Views of everything that happened, with reasons: the contract for operators. Columns are only ever added.';

comment on schema tidings_api is 'Functions that producers call inside their own transaction.';

-- Clock ---------------------------------------------------------------------------------------------------------------------------------

-- One row. Only tests and tidings dev change the shift.
create table tidings.clock_offset (
    only_row boolean  primary key default true check (only_row),
    shift    interval not null default '0'
);
insert into tidings.clock_offset default values;

create function tidings.clock() returns timestamptz language sql stable parallel safe
    as $$ select statement_timestamp() + (select shift from tidings.clock_offset) $$;
comment on function tidings.clock() is 'Business time: the database''s clock, shifted only in tests.';

-- Ids -----------------------------------------------------------------------------------------------------------------------------------

-- The bound of a day partition, and of every filter of ids by time.
create function tidings.first_id(at timestamptz) returns uuid language sql immutable parallel safe
    as $$ select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid $$;
comment on function tidings.first_id(timestamptz) is
    'The smallest UUIDv7 of a moment. A UUIDv7 that is equal or larger was made at that moment or later.';

create function tidings.id_time(id uuid) returns timestamptz language sql immutable parallel safe
    as $$ select to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0) $$;
comment on function tidings.id_time(uuid) is 'The moment at which a UUIDv7 was made, to the millisecond.';

-- Schema version ------------------------------------------------------------------------------------------------------------------------

-- The program writes one row of tidings.migrations for each step, in the transaction of the step.
comment on column tidings.migrations.oldest_binary_schema is
    'A binary with an older schema than this does not start any more. Null: the step allows every binary.';

create view tidings_ops.schema_version as
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
comment on column tidings_ops.schema_version.migrated_at is 'Time at which the newest migration was applied.';
comment on column tidings_ops.schema_version.as_of is 'The time of this answer, by the clock that every other view uses.';
