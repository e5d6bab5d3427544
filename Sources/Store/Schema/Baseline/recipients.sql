-- People and their devices: settings and tokens. Their other addresses stand in addresses.sql.
-- Rows of tidings.recipients exist only for people with settings, devices or addresses. Everybody else has the defaults.
-- A change of changed_at makes workers judge every earlier decision for the person again before they send.

create table tidings.recipients (
    tenant              text        not null,
    id                  text        not null,
    time_zone           text        not null default 'UTC',                 -- IANA name
    quiet_start         smallint    check (quiet_start between 0 and 1439), -- minute of the person's day
    quiet_end           smallint    check (quiet_end between 0 and 1439),
    disabled_channels   text[]      not null default '{}',
    disabled_categories text[]      not null default '{}',
    enabled_types       text[]      not null default '{}',
    disabled_types      text[]      not null default '{}',
    market              text,                                               -- null: the default market
    changed_at          timestamptz not null,
    primary key (tenant, id)
);
-- tidings find looks for a person of any tenant.
create index recipients_id_idx on tidings.recipients (id);

create table tidings.endpoints (
    tenant        text        not null,
    recipient_id  text        not null,
    id            text        not null,
    channel       text        not null,
    provider      text,                                  -- the issuer of a token; null: any provider
    address       text        not null,                  -- the token
    permission    text        not null default 'authorized',
    gone_at       timestamptz,                           -- from this time on nothing is sent to the device
    changed_at    timestamptz not null,
    platform      text,                                  -- ios, android or web
    environment   text,                                  -- production or sandbox
    market        text,                                  -- null: the market of the person
    time_zone     text,
    locale        text,
    app_version   text,
    registered_at timestamptz,                           -- provider answers about an earlier time do not count
    gone_reason   text,
    token_identity text,                                 -- the part of the token that names the device; null: all of the address
    primary key (tenant, recipient_id, id)
);

-- A token may be too long for an index, so the index holds its hash. Immutable, because the encoding of a database never changes.
-- The module of the provider has made the one form of the token before it is stored.
create function tidings.token_hash(token text) returns bytea language sql immutable parallel safe
    as $$ select sha256(convert_to(token, 'UTF8')) $$;

-- One token is one device of a tenant, whichever person holds it.
create unique index endpoints_token on tidings.endpoints (tidings.token_hash(coalesce(token_identity, address)), tenant)
    where channel = 'push';
create index endpoints_device on tidings.endpoints (id) where channel = 'push';

-- A person's statements run as tidings_app, which sees only the rows of that person (grants.sql), as in the inbox.
do $$ declare
    name text;
begin
    foreach name in array array['recipients', 'endpoints'] loop
        execute format('alter table tidings.%I enable row level security', name);
        execute format('alter table tidings.%I force row level security', name);
    end loop;
end $$;

-- For operators -------------------------------------------------------------------------------------------------------------------------

create view tidings_ops.recipients as
    select tenant, id as recipient_id, time_zone, market, changed_at from tidings.recipients;

comment on view tidings_ops.recipients is 'People whose settings are known. Indexed filter: tenant with recipient_id.';
comment on column tidings_ops.recipients.tenant is 'The tenant of the person.';
comment on column tidings_ops.recipients.recipient_id is 'The name that producers use.';
comment on column tidings_ops.recipients.time_zone is 'The time zone of the person.';
comment on column tidings_ops.recipients.market is 'The market of the person. Null for the default market.';
comment on column tidings_ops.recipients.changed_at is 'Time of the last change of these settings.';

create view tidings_ops.devices as
    select tenant, recipient_id, id as device_id, platform, provider, environment, permission, market, time_zone, locale,
        app_version, case when gone_at is null then 'active' else 'gone' end as state, gone_reason as reason_code,
        right(address, 8) as token_end, registered_at, changed_at, gone_at
    from tidings.endpoints where channel = 'push';

comment on view tidings_ops.devices is 'The devices of each person, with the reason for a device that is gone.';
comment on column tidings_ops.devices.tenant is 'The tenant of the person.';
comment on column tidings_ops.devices.recipient_id is
    'The person who has the device now. If another person registers the token, the device moves to that person.';
comment on column tidings_ops.devices.device_id is
    'The id that Tidings gave the device. It stays the same when the token or the person changes.';
comment on column tidings_ops.devices.platform is 'ios, android or web.';
comment on column tidings_ops.devices.provider is
    'The name or kind of the provider that issued the token. Null: the device accepts any provider.';
comment on column tidings_ops.devices.environment is 'production or sandbox: the servers of the platform that issued the token.';
comment on column tidings_ops.devices.permission is
    'The permission that the owner of the device gave: authorized, provisional, ephemeral, notDetermined or denied.';
comment on column tidings_ops.devices.market is 'The market whose providers serve the device. Null for the market of the person.';
comment on column tidings_ops.devices.time_zone is 'IANA name, as the device reported it. Null if it reported none.';
comment on column tidings_ops.devices.locale is 'BCP 47 tag, as the device reported it.';
comment on column tidings_ops.devices.app_version is 'Version of the app, as the device reported it.';
comment on column tidings_ops.devices.state is 'active or gone.';
comment on column tidings_ops.devices.reason_code is
    'The reason why the device is gone: endpointGone (a provider said so), unregistered (the app said so) or deviceLimit (the person has '
    'newer devices).';
comment on column tidings_ops.devices.token_end is 'The last 8 characters of the token, to compare with a log.';
comment on column tidings_ops.devices.registered_at is
    'Time of the last registration of the token by the app. Tidings ignores an answer of a provider about an earlier time.';
comment on column tidings_ops.devices.changed_at is 'Time of the last change of the device.';
comment on column tidings_ops.devices.gone_at is 'Time from which the device is never used. Null while the device is active.';
