extension Migration {
    /// The private tables. A delivery's row is written once, when it has ended; until then it stands in exactly one pack (being delivered) or
    /// in exactly one `due` row (held, retrying, recovering). So nothing on the hot path is updated, and what is pending is small.
    static let tables = Migration(
        number: 1, name: "tables", kind: .expand,
        sql: #"""
            comment on schema tidings is 'Private tables of Tidings. Read tidings_ops instead: it is the contract, this schema changes.';

            -- Time. Business time is tidings.clock(), the database's clock plus an offset that only tests and tidings dev set.
            create table tidings.clock_offset (
                only_row boolean primary key default true check (only_row),
                shift interval not null default '0'
            );
            insert into tidings.clock_offset default values;
            create function tidings.clock() returns timestamptz language sql stable parallel safe
                as $$ select statement_timestamp() + (select shift from tidings.clock_offset) $$;
            comment on function tidings.clock() is 'Business time: the database''s clock, shifted only in tests.';

            -- The smallest UUIDv7 of a moment: the bounds of the partitions, and of every "since" over ids.
            create function tidings.first_id(at timestamptz) returns uuid language sql immutable parallel safe
                as $$ select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid $$;
            create function tidings.id_time(id uuid) returns timestamptz language sql immutable parallel safe
                as $$ select to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0) $$;

            create table tidings.notifications (
                id uuid not null,
                tenant text not null,
                source text not null,
                event_id text not null,
                recipient_id text not null,
                type text not null,
                category text not null,
                lane text not null,
                title text,
                body text,
                data text not null,
                group_key text,
                collapse_key text,
                market text,
                critical boolean not null,
                channels text[],
                scheduled_for timestamptz,
                expires_at timestamptz not null,
                accepted_at timestamptz not null,
                traceparent text,
                planned smallint not null,
                decision text not null,
                catalogue text not null,
                primary key (id)
            ) partition by range (id);
            create index on tidings.notifications (tenant, recipient_id, id);
            create index on tidings.notifications (event_id);

            create table tidings.decisions (
                notification_id uuid not null,
                ordinal smallint not null,
                at timestamptz not null,
                catalogue text not null,
                decision text not null
            ) partition by range (notification_id);
            create index on tidings.decisions (notification_id);

            create table tidings.deliveries (
                notification_id uuid not null,
                ordinal smallint not null,
                tenant text not null,
                channel text not null,
                provider text not null,
                endpoint text,
                state text not null,
                reason text not null,
                attempts smallint not null,
                provider_message_id text,
                ended_at timestamptz not null,
                primary key (notification_id, ordinal)
            ) partition by range (notification_id);

            create table tidings.attempts (
                notification_id uuid not null,
                ordinal smallint not null,
                attempt smallint not null,
                channel text not null,
                provider text not null,
                outcome text not null,
                reason text not null,
                status integer,
                detail text,
                possible_duplicate boolean not null default false,
                late boolean not null default false,
                idempotency_key text not null,
                worker text not null,
                started_at timestamptz not null,
                finished_at timestamptz not null
            ) partition by range (notification_id);
            create index on tidings.attempts (notification_id, ordinal);

            create table tidings.inbox (
                tenant text not null,
                recipient_id text not null,
                notification_id uuid not null,
                created_at timestamptz not null,
                seen_at timestamptz,
                read_at timestamptz,
                dismissed_at timestamptz,
                primary key (tenant, recipient_id, notification_id)
            ) partition by range (notification_id);

            -- The outbox: a row and a message for up to 50 deliveries. The arrays hold exactly the deliveries that are still to be settled here:
            -- settling or cancelling one takes it out, and the row goes with the last. A worker sends only what its claim returned.
            create table tidings.packs (
                id uuid primary key,
                channel text not null,
                provider text not null,
                lane text not null,
                notification_ids uuid[] not null,
                ordinals smallint[] not null,
                attempts smallint[] not null,
                decided_at timestamptz not null,
                confirmed_at timestamptz,
                claimed_at timestamptz,
                claimed_by text,
                lease_until timestamptz
            ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
                    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);

            -- What waits for its time. The only home of time in the system: nothing waits in the broker.
            create table tidings.due (
                notification_id uuid not null,
                ordinal smallint not null,
                lane text not null,
                due_at timestamptz not null,
                kind text not null check (kind in ('held', 'retry', 'recover', 'escalation')),
                tenant text not null,
                channel text not null,
                provider text not null,
                endpoint text,
                attempt smallint not null,
                reason text not null,
                since timestamptz not null,
                primary key (notification_id, ordinal)
            ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
            create index on tidings.due (lane, due_at, notification_id, ordinal);

            -- Who came first: 16 bytes of SHA-256 over tenant, source, id and recipient.
            create table tidings.idempotency (
                key uuid primary key,
                notification_id uuid not null,
                content_hash uuid not null
            ) partition by hash (key);
            do $$ begin
                for i in 0..7 loop
                    execute format('create table tidings.idempotency_%s partition of tidings.idempotency
                        for values with (modulus 8, remainder %s)', i, i);
                    execute format('create index on tidings.idempotency_%s using brin (notification_id)', i);
                end loop;
            end $$;

            create table tidings.recipients (
                tenant text not null,
                id text not null,
                time_zone text not null default 'UTC',
                quiet_start smallint check (quiet_start between 0 and 1439),
                quiet_end smallint check (quiet_end between 0 and 1439),
                disabled_channels text[] not null default '{}',
                disabled_categories text[] not null default '{}',
                enabled_types text[] not null default '{}',
                disabled_types text[] not null default '{}',
                market text,
                changed_at timestamptz not null,
                primary key (tenant, id)
            );

            create table tidings.endpoints (
                tenant text not null,
                recipient_id text not null,
                id text not null,
                channel text not null,
                provider text,
                address text not null,
                secrets text[] not null default '{}',
                permission text not null default 'authorized',
                gone_at timestamptz,
                changed_at timestamptz not null,
                primary key (tenant, recipient_id, id)
            );

            create table tidings.rejected (
                id bigint generated always as identity primary key,
                fingerprint uuid not null unique,
                at timestamptz not null,
                last_at timestamptz not null,
                occurrences bigint not null default 1,
                reason text not null,
                pointer text not null,
                message text not null,
                tenant text,
                source text,
                event_id text,
                type text,
                exchange text not null,
                routing_key text not null,
                content_type text,
                headers text not null,
                raw bytea not null,
                size integer not null,
                sha256 bytea not null,
                replayable boolean not null,
                state text not null default 'open' check (state in ('open', 'replayed', 'discarded')),
                acted_at timestamptz
            );

            create table tidings.dead (
                id bigint generated always as identity primary key,
                fingerprint uuid not null unique,
                at timestamptz not null,
                queue text not null,
                reason text not null,
                message text not null,
                deaths bigint not null,
                exchange text not null,
                routing_key text not null,
                content_type text,
                headers text not null,
                raw bytea not null,
                size integer not null,
                state text not null default 'open' check (state in ('open', 'trying', 'replayed', 'resolved', 'quarantined', 'discarded')),
                acted_at timestamptz
            );

            -- Conservation: every transaction appends what it took and what it ended; a releaser rolls the rows up.
            create table tidings.tally (
                kind text not null,
                tenant text not null default '',
                channel text not null default '',
                state text not null default '',
                reason text not null default '',
                n bigint not null
            ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
            create table tidings.tally_totals (
                kind text not null,
                tenant text not null,
                channel text not null,
                state text not null,
                reason text not null,
                n bigint not null,
                primary key (kind, tenant, channel, state, reason)
            ) with (fillfactor = 50);

            create table tidings.outgoing (
                id uuid primary key default gen_random_uuid(),
                type text not null,
                event text not null,
                created_at timestamptz not null
            );

            create table tidings.catalogues (
                hash text primary key,
                yaml text not null,
                applied_at timestamptz not null
            );
            create table tidings.active_catalogue (
                only_row boolean primary key default true check (only_row),
                hash text not null references tidings.catalogues (hash)
            );

            create table tidings.workers (
                id text primary key,
                role text not null,
                host text not null,
                pid integer not null,
                version text not null,
                started_at timestamptz not null,
                heartbeat_at timestamptz not null,
                handled bigint not null default 0
            );

            create table tidings.queue_samples (
                queue text primary key,
                ready bigint not null,
                consumers integer not null,
                sampled_at timestamptz not null
            );

            create table tidings.reason_codes (
                code text primary key,
                states text[] not null,
                meaning text not null,
                what_to_do text not null,
                retryable boolean not null,
                since text not null
            );

            -- Daily partitions by the id's own time. Attaching a ready table takes no lock that writers notice.
            create function tidings.ensure_partitions(days_back integer, days_ahead integer) returns integer language plpgsql as $$
            declare
                parent text;
                child text;
                day date;
                made integer := 0;
                today date := (tidings.clock() at time zone 'UTC')::date;
                keys constant text[] := array['notifications:id', 'decisions:notification_id', 'deliveries:notification_id',
                                              'attempts:notification_id', 'inbox:notification_id'];
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

            -- Drops the days that are past retention, but never one that a pack or a due row still points into.
            create function tidings.expire_partitions(retention interval) returns setof text language plpgsql as $$
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
                    continue when (day + 1)::timestamp at time zone 'UTC' > tidings.clock() - retention;
                    low := tidings.first_id(day::timestamp at time zone 'UTC');
                    high := tidings.first_id((day + 1)::timestamp at time zone 'UTC');
                    continue when exists (select from tidings.due where notification_id >= low and notification_id < high)
                        or exists (select from tidings.packs p, unnest(p.notification_ids) n where n >= low and n < high);
                    execute format('drop table tidings.notifications_p%s, tidings.decisions_p%1$s, tidings.deliveries_p%1$s,
                        tidings.attempts_p%1$s, tidings.inbox_p%1$s', right(child.relname, 8));
                    return next child.relname;
                end loop;
            end $$;

            select tidings.ensure_partitions(1, 7);
            """#)
}
