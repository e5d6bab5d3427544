extension Migration {
    /// Idempotency keys are claimed in a small table, and moved in the order of keys into the one that holds all older ones.
    ///
    /// Keys have no order, so in one table of 25,000,000 each changed a page of the index that nobody had changed since the last checkpoint, which is
    /// logged whole and written back: 8 KB each way for a row of 48 bytes. The large table is only read now while intents come.
    static let recentKeys = Migration(
        number: 20, name: "recent keys", kind: .contract,
        sql: #"""
            -- Keys claimed since yesterday or the day before. Moves: Store+RecentKeys.
            create table tidings.idempotency_recent (key uuid primary key, notification_id uuid not null, content_hash uuid not null);

            -- How far the move is; one row.
            create table tidings.key_move (
                phase text not null check (phase in ('waiting', 'copying', 'copied', 'deleting')),
                -- Keys of notifications before this one are moved.
                before uuid not null,
                -- Keys up to this one have been looked at in this phase.
                position uuid not null
            );
            create unique index on tidings.key_move ((true));
            insert into tidings.key_move values ('waiting', tidings.first_id('epoch'), '00000000-0000-0000-0000-000000000000');

            -- While a key is moved it may be in both, with the same answer.
            create view tidings.idempotency_keys as
                select key, notification_id, content_hash from tidings.idempotency_recent
                union all select key, notification_id, content_hash from tidings.idempotency;

            -- A router of an earlier build would claim a key there that another has claimed in the other. It tries again until it is stopped; what it
            -- has taken from its queue goes to the next one.
            create function tidings.refuse_claim() returns trigger language plpgsql as $$
            begin
                if current_setting('tidings.moves_keys', true) is distinct from 'on' then
                    raise exception 'keys are claimed in tidings.idempotency_recent: stop this router, it is of an earlier build'
                        using errcode = 'serialization_failure';
                end if;
                return null;
            end $$;
            create trigger refuse_claim before insert on tidings.idempotency for each statement execute function tidings.refuse_claim();

            do $$ begin
                if to_regrole('tidings_run') is not null then
                    grant select, insert, update, delete on tidings.idempotency_recent, tidings.key_move to tidings_run;
                    grant select on tidings.idempotency_keys to tidings_run;
                end if;
            end $$;
            """#)
}
