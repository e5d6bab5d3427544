extension Migration {
    /// An end for rows that grew without one: refused intents, dead letters, totals of tenants and catalogues; and a daily budget for refused bytes.
    static let retention = Migration(
        number: 23, name: "retention", kind: .expand,
        sql: #"""
            -- The day on which retention looks at the row next. A column of its own: an index on last_at would be written with each refusal.
            -- Rows of an earlier build are looked at in the next turn. 30 days is the earliest end of a new row.
            alter table tidings.rejected add column if not exists look_on date not null default '2000-01-01';
            alter table tidings.rejected alter column look_on set default (tidings.clock() at time zone 'UTC')::date + 30;
            create index if not exists rejected_look_on on tidings.rejected (look_on);
            create index if not exists rejected_open on tidings.rejected (id) where state = 'open';
            alter table tidings.dead add column if not exists look_on date not null default '2000-01-01';
            alter table tidings.dead alter column look_on set default (tidings.clock() at time zone 'UTC')::date + 30;
            create index if not exists dead_look_on on tidings.dead (look_on);
            create index if not exists dead_open on tidings.dead (id) where state in ('open', 'quarantined', 'trying');

            -- Bytes of refused events that were kept on a day. share: a hash of the tenant, so that names of tenants add no rows.
            -- part: routers write different rows, or each would wait for the commit of the other.
            create table if not exists tidings.rejected_days (
                day date not null,
                share smallint not null,
                part smallint not null,
                kept_bytes bigint not null,
                without_bytes bigint not null,
                primary key (day, share, part)
            ) with (fillfactor = 50);

            -- The last day on which the total changed.
            alter table tidings.tally_totals add column if not exists changed_on date not null
                default (tidings.clock() at time zone 'UTC')::date;

            -- The last time at which a decision may have named the catalogue.
            alter table tidings.catalogues add column if not exists used_at timestamptz not null default tidings.clock();
            create or replace function tidings.note_catalogue_use() returns trigger language plpgsql as $$
            begin
                if tg_op = 'UPDATE' then
                    update tidings.catalogues set used_at = tidings.clock() where hash in (old.hash, new.hash);
                else
                    update tidings.catalogues set used_at = tidings.clock() where hash = new.hash;
                end if;
                return null;
            end $$;
            create or replace trigger note_catalogue_use after insert or update on tidings.active_catalogue
                for each row execute function tidings.note_catalogue_use();

            create or replace view tidings_ops.rejected as
                select id as rejected_id, reason as reason_code, pointer, message, tenant, source, event_id, type, exchange, routing_key,
                    content_type, size, occurrences, replayable, state, at as first_at, last_at, octet_length(raw) as bytes_kept
                from tidings.rejected;
            comment on column tidings_ops.rejected.bytes_kept is
                'Bytes that tidings rejected show gives: the first 64 KiB of what was too large, '
                '0 where size is not and the budget of the day was used up.';
            comment on column tidings_ops.rejected.replayable is
                'Whether tidings rejected replay publishes it: it was kept whole, and the same event may be accepted later, '
                'after a change of the catalogue for example. False for what would be refused again as it is.';
            comment on column tidings_ops.dead_letters.reason_code is
                'poison (taken back too often) or undecodablePack (no pack that the worker or router can read).';
            comment on column tidings_ops.state_counts.tenant is
                'Empty for what is in a queue, and for what ended for tenants without a total of their own: beyond 10,000 totals, or unchanged for 60 days.';

            do $$ begin
                if to_regrole('tidings_run') is not null then
                    grant select, insert, update, delete on tidings.rejected_days to tidings_run;
                end if;
            end $$;
            """#)
}
