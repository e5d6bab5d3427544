-- Keys with which backends and operators call the HTTP API. A key is tid_<id>_<secret>; only the SHA-256 of the secret is stored.
-- A secret has 256 random bits, so its hash needs neither salt nor many rounds.

-- A rotated key has two valid secrets until former_until.
-- fillfactor: last_used_at changes once a minute and is in no index, so the new version of the row fits beside the old one.
create table tidings.api_keys (
    id           text        primary key check (id ~ '^[0-9a-f]{16}$'),
    name         text        not null,
    tenant       text        not null,  -- '*' for every tenant
    scopes       text[]      not null,
    secret_hash  bytea       not null check (octet_length(secret_hash) = 32),
    former_hash  bytea       check (octet_length(former_hash) = 32),
    former_until timestamptz,
    created_at   timestamptz not null,
    created_by   text        not null,
    rotated_at   timestamptz,
    rotated_by   text,
    last_used_at timestamptz,           -- to a minute
    expires_at   timestamptz,
    revoked_at   timestamptz,
    revoked_by   text
) with (fillfactor = 50);
-- The name is the producer of the key's events (key:<name>), so it must mean one key.
create unique index api_keys_name on tidings.api_keys (name) where revoked_at is null;

-- For operators -------------------------------------------------------------------------------------------------------------------------

create view tidings_ops.api_keys as
    select id as key_id, name, tenant, scopes,
        case when revoked_at is not null then 'revoked' when expires_at <= tidings.clock() then 'expired' else 'valid' end as state,
        last_used_at, expires_at, created_at, created_by, rotated_at, rotated_by,
        case when former_until > tidings.clock() then former_until end as former_secret_until, revoked_at, revoked_by
    from tidings.api_keys;

comment on view tidings_ops.api_keys is 'Keys of the HTTP API, also revoked ones, without their secrets. See tidings key.';
comment on column tidings_ops.api_keys.key_id is 'The id of the key: the middle part of tid_<id>_<secret>. It is no secret.';
comment on column tidings_ops.api_keys.name is 'The name. The producer of the events that come with the key is key:<name>.';
comment on column tidings_ops.api_keys.tenant is 'The tenant that the key may name. * means every tenant.';
comment on column tidings_ops.api_keys.scopes is 'The operations that the key allows, for example intents:write.';
comment on column tidings_ops.api_keys.state is 'valid, expired or revoked.';
comment on column tidings_ops.api_keys.last_used_at is 'Time of the last request with the key, to a minute. Null: never used.';
comment on column tidings_ops.api_keys.expires_at is 'From this time on the key is refused. Null: it does not expire.';
comment on column tidings_ops.api_keys.created_at is 'Time at which the key was made.';
comment on column tidings_ops.api_keys.created_by is 'The user who made the key.';
comment on column tidings_ops.api_keys.rotated_at is 'Time at which the key last got a new secret. Null: never.';
comment on column tidings_ops.api_keys.rotated_by is 'The user who gave the key its last secret. Null: never rotated.';
comment on column tidings_ops.api_keys.former_secret_until is 'Until this time the secret before the last rotation is valid too. Null: it is not.';
comment on column tidings_ops.api_keys.revoked_at is 'Time at which the key was revoked. Null for a key that was not.';
comment on column tidings_ops.api_keys.revoked_by is 'The user who revoked the key. Null for a key that was not revoked.';
