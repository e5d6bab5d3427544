-- Day partitions of the tables of notifications.sql and of tidings.reports: made ahead of time, and dropped when retention has passed.
-- A partition holds the ids of one day of UTC and is named <table>_pYYYYMMDD.
-- Both functions run with the rights of the owner, so that partitions belong to the owner of the schema, whichever role asks for them.

-- A partition is filled with columns and indexes first and attached last: attaching a ready table takes no lock that writers notice.
create function tidings.ensure_partitions(days_back integer, days_ahead integer) returns integer language plpgsql
    security definer set search_path = pg_catalog, pg_temp as $$
declare
    parent text;
    child text;
    day date;
    made integer := 0;
    today date := (tidings.clock() at time zone 'UTC')::date;
    keys constant text[] := array['notifications:id', 'decisions:notification_id', 'deliveries:notification_id',
                                  'attempts:notification_id', 'reports:notification_id'];
begin
    perform pg_advisory_xact_lock(hashtextextended('tidings.partitions', 0));
    foreach parent in array keys loop
        for offset_days in -days_back..days_ahead loop
            day := today + offset_days;
            child := format('%s_p%s', split_part(parent, ':', 1), to_char(day, 'YYYYMMDD'));
            if to_regclass('tidings.' || child) is null then
                execute format('create table tidings.%I (like tidings.%I including all)', child, split_part(parent, ':', 1));
                execute format('alter table tidings.%I attach partition tidings.%I for values from (%L) to (%L)',
                    split_part(parent, ':', 1), child, tidings.first_id(day::timestamp at time zone 'UTC'),
                    tidings.first_id((day + 1)::timestamp at time zone 'UTC'));
                made := made + 1;
            end if;
        end loop;
    end loop;
    return made;
end $$;
comment on function tidings.ensure_partitions(integer, integer) is
    'Makes the missing daily partitions, from days_back days ago to days_ahead days ahead. Returns the number of partitions it made.';

-- Days that stay beyond their own retention, because some of their deliveries were scheduled far ahead or paused for long.
create table tidings.kept_days (
    date      date        primary key,
    needed_at timestamptz not null  -- the last look at which a pack or a due row referred to the day
);

-- A day stays while a pack or a due row refers to one of its notifications, because that notification has deliveries that have not ended.
-- After their end it stays for the retention, as every other notification does after its day.
create function tidings.expire_partitions(retention interval) returns setof text language plpgsql
    security definer set search_path = pg_catalog, pg_temp as $$
declare
    child record;
    day date;
    low uuid;
    high uuid;
begin
    for child in
        select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'tidings.notifications'::regclass and c.relname ~ '_p\d{8}$' order by c.relname
    loop
        day := to_date(right(child.relname, 8), 'YYYYMMDD');
        -- Begin to look a day early, so that no delivery ends unseen between two looks.
        continue when (day + 1)::timestamp at time zone 'UTC' > tidings.clock() - retention + interval '1 day';
        low := tidings.first_id(day::timestamp at time zone 'UTC');
        high := tidings.first_id((day + 1)::timestamp at time zone 'UTC');
        if exists (select from tidings.due where notification_id >= low and notification_id < high)
            or exists (select from tidings.packs p, unnest(p.notification_ids) n where n >= low and n < high)
        then
            insert into tidings.kept_days (date, needed_at) values (day, tidings.clock())
                on conflict (date) do update set needed_at = excluded.needed_at;
            continue;
        end if;
        continue when (day + 1)::timestamp at time zone 'UTC' > tidings.clock() - retention
            or exists (select from tidings.kept_days k where k.date = day and k.needed_at > tidings.clock() - retention);
        execute format('drop table tidings.notifications_p%s, tidings.decisions_p%1$s, tidings.deliveries_p%1$s,
            tidings.attempts_p%1$s, tidings.reports_p%1$s', right(child.relname, 8));
        delete from tidings.kept_days k where k.date = day;
        return next child.relname;
    end loop;
end $$;
comment on function tidings.expire_partitions(interval) is
    'Drops the days past retention. Keeps a day while a pack or a due row refers to one of its notifications, and for the retention '
    'afterwards. Returns the dropped partitions of tidings.notifications.';

-- Make the first days. Releasers make the later days 7 days ahead, so that a week without a releaser loses nothing.
select tidings.ensure_partitions(1, 7);
