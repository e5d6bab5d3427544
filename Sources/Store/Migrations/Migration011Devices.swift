extension Migration {
    /// Devices: endpoints of the channel push with what an app tells of them, found by token, and by `tidings find`.
    static let devices = Migration(
        number: 11, name: "devices", kind: .expand,
        sql: #"""
            alter table tidings.endpoints
                add column platform text, add column environment text, add column market text, add column time_zone text,
                add column locale text, add column app_version text, add column registered_at timestamptz, add column gone_reason text;

            -- Tokens may be longer than an index takes. Immutable, because the encoding of a database never changes.
            create function tidings.token_hash(token text) returns bytea language sql immutable parallel safe
                as $$ select sha256(convert_to(token, 'UTF8')) $$;
            -- One token is one device, whoever holds it.
            create unique index endpoints_token on tidings.endpoints (tidings.token_hash(address), tenant) where channel = 'push';
            create index endpoints_device on tidings.endpoints (id) where channel = 'push';

            create view tidings_ops.devices as
                select tenant, recipient_id, id as device_id, platform, provider, environment, permission, market, time_zone, locale,
                    app_version, case when gone_at is null then 'active' else 'gone' end as state, gone_reason as reason_code,
                    right(address, 8) as token_end, registered_at, changed_at, gone_at
                from tidings.endpoints where channel = 'push';
            comment on view tidings_ops.devices is 'Who has which devices, and which of them are gone and why.';
            comment on column tidings_ops.devices.tenant is 'Of the person.';
            comment on column tidings_ops.devices.recipient_id is 'Whose it is now; a token that another person registers moves to them.';
            comment on column tidings_ops.devices.device_id is 'Ours; stays the same when the token or the person changes.';
            comment on column tidings_ops.devices.platform is 'ios, android or web.';
            comment on column tidings_ops.devices.provider is 'Name or kind of the provider that issued the token; null for any.';
            comment on column tidings_ops.devices.environment is 'production or sandbox: which of the platform''s servers issued the token.';
            comment on column tidings_ops.devices.permission is
                'What its owner lets it show: authorized, provisional, ephemeral, notDetermined or denied.';
            comment on column tidings_ops.devices.market is 'Whose providers serve it; null for the person''s market.';
            comment on column tidings_ops.devices.time_zone is 'IANA name, as the device told; null when it did not.';
            comment on column tidings_ops.devices.locale is 'BCP 47, as the device told.';
            comment on column tidings_ops.devices.app_version is 'As the device told.';
            comment on column tidings_ops.devices.state is 'active or gone.';
            comment on column tidings_ops.devices.reason_code is
                'Why it is gone: endpointGone (a provider said so), unregistered (the app did), deviceLimit (the person has newer ones).';
            comment on column tidings_ops.devices.token_end is 'The last 8 characters of the token, to compare with a log.';
            comment on column tidings_ops.devices.registered_at is
                'When the app last registered the token. What a provider says about an older time does not count.';
            comment on column tidings_ops.devices.changed_at is 'When anything of it last changed.';
            comment on column tidings_ops.devices.gone_at is 'Since when it is never used; null while active.';

            -- In a new session nearly all of its time goes into opening partitions. So a notification's id ends the search, no id is looked for in
            -- partitions of days to come, and tenants come first, each asked by its index: a join took longer to plan than to run.
            create or replace function tidings_ops.find(anything text)
                returns table (kind text, id text, matched_on text, at timestamptz) language plpgsql stable
                security definer set search_path = pg_catalog, pg_temp as $$
            declare
                owner text;
                latest constant uuid := tidings.first_id(tidings.clock() + interval '1 hour');
            begin
                if anything ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(/\d+)?$' then
                    return query select 'notification', n.id::text, 'notification_id', n.accepted_at
                        from tidings.notifications n where n.id = split_part(anything, '/', 1)::uuid;
                    if found then return; end if;
                end if;
                return query
                    (select 'notification', n.id::text, 'idempotency_key', n.accepted_at from tidings.notifications n
                        where n.event_id = anything and n.id < latest order by n.id desc limit 20);
                for owner in select r.tenant from tidings.recipients r where r.id = anything union select 'default' loop
                    return query
                        (select 'notification', n.id::text, 'recipient_id', n.accepted_at from tidings.notifications n
                            where n.tenant = owner and n.recipient_id = anything and n.id < latest order by n.id desc limit 20);
                end loop;
                return query select 'recipient', r.tenant || '/' || r.id, 'recipient_id', r.changed_at from tidings.recipients r where r.id = anything;
                return query select 'device', e.id, 'device_id', e.changed_at from tidings.endpoints e where e.channel = 'push' and e.id = anything;
                return query select 'device', e.id, 'token', e.changed_at from tidings.endpoints e
                    where e.channel = 'push' and tidings.token_hash(e.address) = tidings.token_hash(anything);
                return query select 'rejected', r.id::text, 'event_id', r.last_at from tidings.rejected r
                    where r.event_id = anything order by r.id desc limit 20;
            end $$;
            comment on function tidings_ops.find(text) is
                'Finds the record of any id: a notification, a delivery, a producer''s event id, a recipient, a device or its token.';

            do $$ begin
                if to_regrole('tidings_run') is not null then
                    grant select on tidings_ops.devices to tidings_run;
                    grant execute on function tidings.token_hash(text) to tidings_run;
                end if;
                if to_regrole('tidings_ops_read') is not null then
                    grant select on tidings_ops.devices to tidings_ops_read;
                end if;
            end $$;
            """#)
}
