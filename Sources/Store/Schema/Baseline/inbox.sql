-- The inbox of each person: one row for each notification that arrived on the channel inApp.
-- A row carries everything that an app shows, because the notification's own day may be dropped earlier (day-partitions.sql).
-- Icon, colour and deep link are not stored: they come from the catalogue in force when a person reads.

-- Partitions by person: a listing reads one partition. Partitions by day would make it read all of them.
-- fillfactor: a later mark such as read_at writes the new version of the row beside the old one.
create table tidings.inbox (
    tenant          text        not null,
    recipient_id    text        not null,
    notification_id uuid        not null,
    position        bigint      not null,  -- place in the listing, the highest first: position of the arrival; a woken entry arrives anew
    changed         bigint,                -- position of the last change; null: none since the first arrival
    type            text        not null,
    category        text        not null,
    title           text,                  -- final text: templates are rendered when an intent is decoded
    body            text,
    data            text        not null,  -- JSON
    image_url       text,
    group_key       text,
    scheduled_for   timestamptz,
    created_at      timestamptz not null,  -- acceptance of the notification
    seen_at         timestamptz,
    read_at         timestamptz,
    dismissed_at    timestamptz,
    deleted_at      timestamptz,           -- hidden; an undo brings the row back until its time limit
    snoozed_until   timestamptz,           -- not null: snoozed, and so not in the listing; a releaser wakes it after this time
    woken_at        timestamptz,           -- end of the last snooze
    primary key (tenant, recipient_id, notification_id)
) partition by hash (tenant, recipient_id);

-- Retention finds entries past their time. No BRIN index: new rows take the room of deleted ones, and the ranges of a BRIN index never
-- forget their oldest time. Each part has the index under a name of its own, because PostgreSQL would name it after the function.
do $$ begin
    for i in 0..15 loop
        execute format('create table tidings.inbox_%s partition of tidings.inbox
            for values with (modulus 16, remainder %s) with (fillfactor = 90)', i, i);
        execute format('create index inbox_%s_kept_since_idx on tidings.inbox_%1$s
            ((greatest(created_at, scheduled_for, woken_at))) where deleted_at is null and snoozed_until is null', i);
    end loop;
end $$;
create index inbox_deleted_at_idx on tidings.inbox (deleted_at) where deleted_at is not null;

-- The listing of a person. Deleted and snoozed entries are not in it, so that a page reads only its own entries.
create unique index inbox_position_idx on tidings.inbox (tenant, recipient_id, position)
    where deleted_at is null and snoozed_until is null;
-- Changes since a position, for an app that was away. Only changed entries are in it, so an arrival pays nothing.
create index inbox_changed_idx on tidings.inbox (tenant, recipient_id, changed) where changed is not null;
-- Snoozed entries of a person, the soonest first.
create index inbox_snoozed_idx on tidings.inbox (tenant, recipient_id, snoozed_until, position)
    where snoozed_until is not null and deleted_at is null;

-- The counts and the newest position of each person's inbox, and its lock: a transaction that writes entries of a person first locks this row,
-- until its commit. So positions become visible in their order, and the counts are those of the entries at any moment.
-- A position is given to each arrival and to each change. The first one is the time in milliseconds, so that an inbox that was removed and
-- begins anew never gives a position twice.
-- fillfactor: each arrival changes the row.
create table tidings.inboxes (
    tenant       text    not null,
    recipient_id text    not null,
    position     bigint  not null,  -- newest position
    forgotten    bigint  not null,  -- changes up to this position cannot all be named, because their rows are gone
    total        integer not null,  -- entries of the listing
    unread       integer not null,  -- entries of the listing that are neither read nor dismissed
    snoozed      integer not null,  -- snoozed entries, which are not in the listing
    wakes_at     timestamptz,       -- not later than the end of the earliest snooze; null: no entry is snoozed
    primary key (tenant, recipient_id)
) with (fillfactor = 70);
-- For the releaser that ends snoozes.
create index inboxes_wakes_at_idx on tidings.inboxes (wakes_at) where wakes_at is not null;

-- A person's statements run as tidings_app, which sees only the rows of that person (grants.sql), even if a statement has a wrong condition.
-- "force" binds the owner too, so grants.sql also gives the owner a policy.
do $$ declare
    name text;
begin
    foreach name in array array['inbox', 'inboxes'] loop
        execute format('alter table tidings.%I enable row level security', name);
        execute format('alter table tidings.%I force row level security', name);
    end loop;
end $$;

-- For operators -------------------------------------------------------------------------------------------------------------------------

create view tidings_ops.inbox as
    select tenant, recipient_id, notification_id, type, category, created_at, seen_at, read_at, dismissed_at, deleted_at, snoozed_until,
        position, woken_at
    from tidings.inbox;

comment on view tidings_ops.inbox is
    'The inbox of each person, without titles, bodies and data. Indexed filter: tenant with recipient_id, also with notification_id.';
comment on column tidings_ops.inbox.tenant is 'The tenant of the person.';
comment on column tidings_ops.inbox.recipient_id is 'The name that producers use.';
comment on column tidings_ops.inbox.notification_id is 'The notification.';
comment on column tidings_ops.inbox.type is 'The type of the notification.';
comment on column tidings_ops.inbox.category is 'The category of the type at acceptance.';
comment on column tidings_ops.inbox.created_at is 'Time at which the notification was accepted.';
comment on column tidings_ops.inbox.seen_at is 'Time at which the person first saw the entry. Null: not seen, or snoozed since.';
comment on column tidings_ops.inbox.read_at is 'Time at which the person read the entry. Null for an unread entry.';
comment on column tidings_ops.inbox.dismissed_at is
    'Time at which the person dismissed the entry. It stays in the listing and does not count as unread. Null: not dismissed.';
comment on column tidings_ops.inbox.deleted_at is
    'Time at which the person deleted the entry, or its retention ended. The row is deleted a day after the limit for undo. Null: not deleted.';
comment on column tidings_ops.inbox.snoozed_until is
    'Until this time the entry is hidden and not counted. Then it arrives anew, and this column becomes null. Null: not snoozed.';
comment on column tidings_ops.inbox.position is
    'Place of the entry in the listing, the highest first. It grows for each person in the order of arrival.';
comment on column tidings_ops.inbox.woken_at is 'Time at which the last snooze of the entry ended. Null: no snooze has ended.';

create view tidings_ops.inboxes as
    select tenant, recipient_id, total, unread, snoozed, position, wakes_at from tidings.inboxes;

comment on view tidings_ops.inboxes is 'The counts of each inbox. tidings db verify compares them with the entries. Indexed filter: tenant with recipient_id.';
comment on column tidings_ops.inboxes.tenant is 'The tenant of the person.';
comment on column tidings_ops.inboxes.recipient_id is 'The name that producers use.';
comment on column tidings_ops.inboxes.total is 'Number of entries in the listing.';
comment on column tidings_ops.inboxes.unread is 'Number of entries in the listing that are neither read nor dismissed.';
comment on column tidings_ops.inboxes.snoozed is 'Number of snoozed entries. They are not in the listing.';
comment on column tidings_ops.inboxes.position is 'The newest position. Each arrival and each change of an entry gets the next one.';
comment on column tidings_ops.inboxes.wakes_at is 'Time at which the earliest snooze ends, or an earlier time. Null: no entry is snoozed.';
