-- Views of the rows of one person: the person whom the transaction names, as in the policies of grants.sql. Without a name there is no row.
-- A statement of a person reads them as tidings_app, which has no right on the tables behind them. So a wrong condition finds no row of others.
-- These tables have no row-level security. A router copies notifications, and PostgreSQL refuses COPY into a table that has it. The other
-- tables name no person but a notification, and a policy would make each delivery look at its notification.
-- security_barrier: a condition of the statement sees no row that the condition of the view has not let through.

create view tidings.own_notifications with (security_barrier) as
    select n.* from tidings.notifications n
    where n.tenant = current_setting('tidings.tenant', true) and n.recipient_id = current_setting('tidings.recipient', true);

-- offset 0 makes PostgreSQL look up one notification at a time, in the partition of its day.
do $$ declare
    name text;
begin
    foreach name in array array['decisions', 'deliveries', 'attempts', 'reports', 'due'] loop
        execute format('create view tidings.own_%s with (security_barrier) as
            select r.* from tidings.%1$I r where exists (select from tidings.notifications n where n.id = r.notification_id
                and n.tenant = current_setting(''tidings.tenant'', true) and n.recipient_id = current_setting(''tidings.recipient'', true)
                offset 0)', name);
    end loop;
end $$;

-- The bytes of an event that may name other people are not the person's. Store/Erasure/ErasureTurn+Refused.swift has the same condition.
create view tidings.own_rejected with (security_barrier) as
    select r.id, r.at, r.last_at, r.reason, r.source, r.event_id, r.type, r.state,
        case when cardinality(r.recipients) = 1 and not r.names_others
            then replace(encode(r.raw, 'base64'), E'\n', '') end as event_base64
    from tidings.rejected r
    where coalesce(r.tenant, 'default') = current_setting('tidings.tenant', true)
        and (r.recipients[1] = current_setting('tidings.recipient', true)
            or (cardinality(r.recipients) > 1 and r.recipients @> array[current_setting('tidings.recipient', true)]));

-- A token is a capability: whoever has it can send to it. An export has its end.
create view tidings.own_endpoints with (security_barrier) as
    select e.tenant, e.recipient_id, e.id, e.channel, e.provider, right(e.address, 8) as address_end, e.permission, e.platform,
        e.environment, e.market, e.time_zone, e.locale, e.app_version, e.registered_at, e.changed_at, e.gone_at, e.gone_reason
    from tidings.endpoints e
    where e.tenant = current_setting('tidings.tenant', true) and e.recipient_id = current_setting('tidings.recipient', true);

-- An e-mail address and a telephone number are the person's own data. The URL of a webhook is a capability, as a token is.
create view tidings.own_addresses with (security_barrier) as
    select a.tenant, a.recipient_id, a.id, a.kind, case a.kind when 'webhook' then right(a.value, 8) else a.value end as value, a.source,
        a.consent, a.consent_at, a.verified_at, a.suppressed_at, a.suppressed_until, a.suppressed_because, a.created_at, a.changed_at
    from tidings.addresses a
    where a.tenant = current_setting('tidings.tenant', true) and a.recipient_id = current_setting('tidings.recipient', true);
