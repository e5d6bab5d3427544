-- Places beside devices where people can be reached: e-mail addresses, telephone numbers, URLs of webhooks.
-- Consent, verification and suppression belong to an address, so that they hold for every provider that would send to it.

create table tidings.addresses (
    tenant             text        not null,
    recipient_id       text        not null,
    id                 text        not null default gen_random_uuid()::text,
    kind               text        not null check (kind in ('email', 'sms', 'webhook')),
    value              text        not null,                   -- as it was written
    identity           text        not null,                   -- its canonical form (Core/Facts/Address.swift)
    secrets            text[]      not null default '{}',      -- they sign webhooks; the current secret first
    source             text        not null,                   -- the place that the address comes from
    consent            text        not null default 'unknown' check (consent in ('granted', 'denied', 'unknown')),
    consent_at         timestamptz,                            -- time at which Tidings was told of the consent
    verified_at        timestamptz,                            -- time at which the person was known to have the address
    suppressed_at      timestamptz,                            -- nothing is sent to the address from this time on
    suppressed_until   timestamptz,                            -- null: until somebody lifts the suppression
    suppressed_because text,
    created_at         timestamptz not null,
    changed_at         timestamptz not null,
    primary key (tenant, recipient_id, id),
    constraint addresses_consent_time check (consent = 'unknown' or consent_at is not null),
    constraint addresses_suppression check ((suppressed_at is null) = (suppressed_because is null)),
    constraint addresses_suppression_end check (suppressed_until is null or suppressed_at is not null),
    -- A person has one webhook, whose id is its kind. The API may not set an id, so it can store no webhook (grants.sql).
    constraint addresses_webhook check ((kind = 'webhook') = (id = 'webhook'))
);
-- An address that a person has already is found again, however it was written.
create unique index addresses_identity on tidings.addresses (tenant, recipient_id, kind, identity);

alter table tidings.addresses enable row level security;
alter table tidings.addresses force row level security;

-- For operators -------------------------------------------------------------------------------------------------------------------------

create view tidings_ops.addresses as
    select tenant, recipient_id, id as address_id, kind,
        case kind
            when 'email' then left(value, 1) || '…@' || split_part(value, '@', 2)
            when 'sms' then '…' || right(identity, 4)
            else coalesce(lower(split_part(value, '://', 1)) || '://'
                || nullif(regexp_replace(substring(value, '(?i)^https?://([^/?#]*)'), '^.*@', ''), '') || '/…', '…')
        end as value_masked,
        source, consent, consent_at, verified_at,
        case
            when consent = 'denied' then 'denied'
            when suppressed_at is null or suppressed_until <= tidings.clock() then 'active'
            else 'suppressed'
        end as state,
        suppressed_because, suppressed_at, suppressed_until, cardinality(secrets) as secrets, created_at, changed_at
    from tidings.addresses;

comment on view tidings_ops.addresses is
    'The addresses of each person beside devices, without their secrets. Indexed filter: tenant with recipient_id. See tidings address.';
comment on column tidings_ops.addresses.tenant is 'The tenant of the person.';
comment on column tidings_ops.addresses.recipient_id is 'The person who has the address.';
comment on column tidings_ops.addresses.address_id is
    'The id that Tidings gave the address, and webhook for a webhook. It is the endpoint of tidings_ops.deliveries.';
comment on column tidings_ops.addresses.kind is 'email, sms or webhook: the channel whose messages go to the address.';
comment on column tidings_ops.addresses.value_masked is
    'The part of the address that an operator may recognise: the first letter and the domain of an e-mail address, the last 4 digits of a '
    'telephone number, the origin of a URL.';
comment on column tidings_ops.addresses.source is
    'The place that the address comes from: a text of its sender, key:<name> for a backend that named none, or operator.';
comment on column tidings_ops.addresses.consent is
    'granted or denied by the person, or unknown. Nothing is sent to an address whose consent is denied.';
comment on column tidings_ops.addresses.consent_at is 'Time at which Tidings was told of the consent. Null: never.';
comment on column tidings_ops.addresses.verified_at is
    'Time at which the person was known to have the address. Null: never. Deliveries do not wait for it.';
comment on column tidings_ops.addresses.state is 'active, suppressed or denied. Messages go to an active address only.';
comment on column tidings_ops.addresses.suppressed_because is
    'The reason of the last suppression: endpointGone (a provider said that the address does not exist), or the words of its author.';
comment on column tidings_ops.addresses.suppressed_at is 'Time of the last suppression. Null: there was none, or it was lifted.';
comment on column tidings_ops.addresses.suppressed_until is
    'Time at which the suppression ends. Null: it ends when somebody lifts it or sets the webhook again.';
comment on column tidings_ops.addresses.secrets is 'Number of the secrets that sign the messages of a webhook. 0 for another kind.';
comment on column tidings_ops.addresses.created_at is 'Time at which the person got the address.';
comment on column tidings_ops.addresses.changed_at is 'Time of the last change of the address.';
