-- Catalogues: every stored file, the active one, and the history of changes.
-- A catalogue is named by the SHA-256 of its content, and a decision stores that name.
-- Triggers keep the time of last use and the history complete, whichever program changes the active catalogue.

create table tidings.catalogues (
    hash       text        primary key,
    yaml       text        not null,
    applied_at timestamptz not null,                         -- time at which it was first stored
    used_at    timestamptz not null default tidings.clock()  -- last time at which a decision may have named it; retention reads it
);

-- At most one row. Without a row the built-in catalogue of each binary is active.
create table tidings.active_catalogue (
    only_row boolean primary key default true check (only_row),
    hash     text    not null references tidings.catalogues (hash)
);

-- The types of each catalogue. tidings_api.enqueue reads them and refuses any other type.
-- tidings_api.rejected reads producer_tenants: the tenants that each producer may name, an array by the name of the producer.
create table tidings.catalogue_types (
    hash             text   primary key references tidings.catalogues (hash) on delete cascade,
    types            text[] not null,
    producer_tenants jsonb   -- null: the catalogue names no producer, and every producer may name every tenant
);

-- One row for each change of the active catalogue. No row is deleted: an operator seldom makes a change, and a row has
-- about 300 bytes.
create table tidings.catalogue_history (
    id            bigint      generated always as identity primary key,
    hash          text        not null,
    replaced      text,                  -- the catalogue that was active before, the built-in one included; null: not known
    activated_at  timestamptz not null,
    -- start: the catalogue became active without a request, such as the first catalogue of tidings dev. A file replaces it under the same
    -- rules as the built-in catalogue.
    action        text        not null check (action in ('start', 'apply', 'rollback')),
    author        text        not null,
    database_role text        not null,
    reason        text
);

-- Use -----------------------------------------------------------------------------------------------------------------------------------

create function tidings.note_catalogue_use() returns trigger language plpgsql as $$
begin
    if tg_op = 'UPDATE' then
        update tidings.catalogues set used_at = tidings.clock() where hash in (old.hash, new.hash);
    else
        update tidings.catalogues set used_at = tidings.clock() where hash = new.hash;
    end if;
    return null;
end $$;
create trigger note_catalogue_use after insert or update on tidings.active_catalogue
    for each row execute function tidings.note_catalogue_use();

-- History -------------------------------------------------------------------------------------------------------------------------------

-- Tidings writes its own row first, with author and reason. The newest row then already names the new hash, so the trigger writes no row.
-- The trigger writes a row only if another program changes the active catalogue.
create function tidings.record_activation() returns trigger language plpgsql as $$
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
create trigger record_activation after insert or update on tidings.active_catalogue
    for each row execute function tidings.record_activation();

-- For operators -------------------------------------------------------------------------------------------------------------------------

create view tidings_ops.catalogues as
    select c.hash, c.applied_at as kept_since, exists (select from tidings.active_catalogue a where a.hash = c.hash) as active, c.yaml
    from tidings.catalogues c;

comment on view tidings_ops.catalogues is
    'Every catalogue that is kept, active or not. A catalogue names the places of secrets and contains no secret.';
comment on column tidings_ops.catalogues.hash is 'The SHA-256 of the content. Decisions name the catalogue by this hash.';
comment on column tidings_ops.catalogues.kept_since is 'Time at which the catalogue was first stored.';
comment on column tidings_ops.catalogues.active is 'True if the catalogue is active: every role follows it now.';
comment on column tidings_ops.catalogues.yaml is 'The text of the file.';

create view tidings_ops.catalogue_history as
    select h.id as activation_id, h.hash, h.activated_at, lead(h.activated_at) over (order by h.id) as ended_at, h.action, h.author,
        h.database_role, h.reason, h.replaced, c.hash is not null as kept
    from tidings.catalogue_history h left join tidings.catalogues c on c.hash = h.hash;

comment on view tidings_ops.catalogue_history is
    'Each change of the active catalogue, kept for ever. Before the first row the built-in catalogue was active. See tidings catalogue '
    'history.';
comment on column tidings_ops.catalogue_history.activation_id is 'Number of the change. A later change has a larger number.';
comment on column tidings_ops.catalogue_history.hash is 'The catalogue that became active. Decisions name the catalogue by this hash.';
comment on column tidings_ops.catalogue_history.activated_at is 'Time at which the catalogue became active.';
comment on column tidings_ops.catalogue_history.ended_at is
    'Time at which another catalogue replaced this catalogue. Null for the active catalogue.';
comment on column tidings_ops.catalogue_history.action is
    'apply, rollback or start. start: the catalogue became active without a request, such as the first catalogue of tidings dev.';
comment on column tidings_ops.catalogue_history.author is
    'The author of the change: --by, or the user and host of the command. unknown: the catalogue was active before this table existed.';
comment on column tidings_ops.catalogue_history.database_role is 'The role of PostgreSQL that logged in for the change.';
comment on column tidings_ops.catalogue_history.reason is 'The reason, in the words of the author. Null if none was given.';
comment on column tidings_ops.catalogue_history.replaced is 'The catalogue that was active before. Null if it is not known.';
comment on column tidings_ops.catalogue_history.kept is
    'True if the file is kept. tidings catalogue show and tidings catalogue rollback need the file.';
