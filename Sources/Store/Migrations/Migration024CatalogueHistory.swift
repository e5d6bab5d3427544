extension Migration {
    /// Which catalogue was active when, by whom and why.
    static let catalogueHistory = Migration(
        number: 24, name: "catalogue history", kind: .expand,
        sql: #"""
            -- One row for each change of the active catalogue. Nothing prunes it: a change is an operator's act, and a row has about 300 bytes.
            create table if not exists tidings.catalogue_history (
                id bigint generated always as identity primary key,
                hash text not null,
                -- The catalogue that was active before: the built-in one where nothing had been applied. Null: not known.
                replaced text,
                activated_at timestamptz not null,
                -- start: nobody asked for it, such as the catalogue that tidings dev begins with. It is replaced as the built-in one is.
                action text not null check (action in ('start', 'apply', 'rollback')),
                author text not null,
                database_role text not null,
                reason text
            );

            -- The catalogue that is active already counts as applied by hand: it is not replaced without --remove.
            insert into tidings.catalogue_history (hash, activated_at, action, author, database_role)
                select a.hash, c.applied_at, 'apply', 'unknown', 'unknown'
                from tidings.active_catalogue a join tidings.catalogues c on c.hash = a.hash
                where not exists (select from tidings.catalogue_history);

            -- A binary of an earlier release changes the active catalogue without a row here. The trigger writes the row for it. This release writes
            -- its own row first, with author and reason, so that the newest row names the new hash already.
            create or replace function tidings.record_activation() returns trigger language plpgsql as $$
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
            create or replace trigger record_activation after insert or update on tidings.active_catalogue
                for each row execute function tidings.record_activation();

            create or replace view tidings_ops.catalogue_history as
                select h.id as activation_id, h.hash, h.activated_at, lead(h.activated_at) over (order by h.id) as ended_at, h.action, h.author,
                    h.database_role, h.reason, h.replaced, c.hash is not null as kept
                from tidings.catalogue_history h left join tidings.catalogues c on c.hash = h.hash;
            comment on view tidings_ops.catalogue_history is
                'Each change of the active catalogue, for ever. Before the first row the built-in catalogue was active. See tidings catalogue history.';
            comment on column tidings_ops.catalogue_history.activation_id is 'Larger for a later change.';
            comment on column tidings_ops.catalogue_history.hash is 'The catalogue that became active, as decisions name it.';
            comment on column tidings_ops.catalogue_history.activated_at is 'When it became active.';
            comment on column tidings_ops.catalogue_history.ended_at is 'When another catalogue took its place; null for the active one.';
            comment on column tidings_ops.catalogue_history.action is
                'apply, rollback, or start for a catalogue that nobody asked for, such as the one that tidings dev begins with.';
            comment on column tidings_ops.catalogue_history.author is
                'Who did it: --by, or the user and host of the command. unknown for what was active before this table was.';
            comment on column tidings_ops.catalogue_history.database_role is 'The role of PostgreSQL that logged in to do it.';
            comment on column tidings_ops.catalogue_history.reason is 'Why, in the words of its author; null where none was given.';
            comment on column tidings_ops.catalogue_history.replaced is 'The catalogue that was active before; null where it is not known.';
            comment on column tidings_ops.catalogue_history.kept is 'Whether its file is kept: tidings catalogue show and rollback need it.';

            create or replace view tidings_ops.catalogues as
                select c.hash, c.applied_at as kept_since, exists (select from tidings.active_catalogue a where a.hash = c.hash) as active, c.yaml
                from tidings.catalogues c;
            comment on view tidings_ops.catalogues is 'Every catalogue that is kept, active or not. Catalogues name secrets and hold none.';
            comment on column tidings_ops.catalogues.hash is 'The SHA-256 of its content, as decisions name it.';
            comment on column tidings_ops.catalogues.kept_since is 'When it was first stored.';
            comment on column tidings_ops.catalogues.active is 'Whether every role follows it now.';
            comment on column tidings_ops.catalogues.yaml is 'The file.';

            do $$ begin
                if to_regrole('tidings_run') is not null then
                    grant select, insert on tidings.catalogue_history to tidings_run;
                    grant execute on function tidings.record_activation() to tidings_run;
                    grant select on tidings_ops.catalogue_history, tidings_ops.catalogues to tidings_run;
                end if;
                if to_regrole('tidings_ops_read') is not null then
                    grant select on tidings_ops.catalogue_history, tidings_ops.catalogues to tidings_ops_read;
                end if;
            end $$;
            """#)
}
