-- The module Likes: likes, matches and unblurs of a dating app. Only Sources/Modules/Likes reads and writes these tables.
-- A router fills liked_people and likes in the transaction of the intent. The API writes the answers, matches and unblurs.
-- Each table has row-level security. The rights and the rows that a person sees stand in LikesModule+Schema.swift.

-- The newest position of each person who was ever liked. A router locks this row until its commit.
-- So positions of a person become visible in their order, and a reader who knows position n never misses one below n.
create table tidings.liked_people (
    tenant       text   not null,
    recipient_id text   not null,
    newest       bigint not null,  -- position of the newest like
    primary key (tenant, recipient_id)
) with (fillfactor = 70);

create table tidings.likes (
    tenant            text        not null,
    recipient_id      text        not null,  -- the person who is liked
    liker_id          text        not null,
    position          bigint      not null,  -- 1 for the first like of the person; never changes
    notification_id   uuid        not null,  -- newest like of this liker
    earlier_ids       uuid[]      not null default '{}',  -- notifications of earlier likes of this liker, at most 32, the newest last
    name              text,
    photo_url         text,
    server_is_blurred boolean     not null,
    passed            boolean     not null default false,
    created_at        timestamptz not null,  -- first like of this liker
    primary key (tenant, recipient_id, liker_id)
) with (fillfactor = 90);
create unique index likes_position on tidings.likes (tenant, recipient_id, position);
-- For the erasure and the export of a liker.
create index likes_liker on tidings.likes (tenant, liker_id, recipient_id);

-- One row for each pair of people who like each other. The primary key decides who of the two has made the match.
-- The collation is fixed, so that the smaller of two ids is the same on every server.
create table tidings.matches (
    tenant     text        not null,
    one_id     text        collate "C" not null,  -- smaller id
    other_id   text        collate "C" not null,
    matched_at timestamptz not null,
    primary key (tenant, one_id, other_id),
    check (one_id < other_id)
);
-- For the erasure and the export of a person.
create index matches_other on tidings.matches (tenant, other_id, one_id);

create table tidings.unblurs (
    tenant       text        not null,
    recipient_id text        not null,
    expires_at   timestamptz not null,
    primary key (tenant, recipient_id)
) with (fillfactor = 70);

-- For an export: the likes that a person gave. The answer of the liked person, passed, is not the liker's to know.
create view tidings.own_likes_given with (security_barrier) as
    select l.tenant, l.recipient_id, l.liker_id, l.name, l.photo_url, l.notification_id, l.created_at from tidings.likes l
    where l.tenant = current_setting('tidings.tenant', true) and l.liker_id = current_setting('tidings.recipient', true);
