extension Migration {
    /// Idempotency keys are claimed in a small table, and moved in the order of keys into the one that holds all older ones.
    ///
    /// Keys have no order, so in one table of 25,000,000 each changed a page of the index that nobody had changed since the last checkpoint, which is
    /// logged whole and written back: 8 KB each way for a row of 48 bytes. The large table is only read now while intents come.
    static let recentKeys = Migration(
        number: 20, name: "recent keys", kind: .expand,
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

            do $$ begin
                if to_regrole('tidings_run') is not null then
                    grant select, insert, update, delete on tidings.idempotency_recent, tidings.key_move to tidings_run;
                    grant select on tidings.idempotency_keys to tidings_run;
                end if;
            end $$;
            """#)
}
