extension Migration {
    /// The ids that people outside hold: a producer's event id under a name of its own, and two more forms that `tidings find` reads.
    static let identities = Migration(
        number: 28, name: "identities", kind: .expand,
        sql: #"""
            create or replace view tidings_ops.notifications as
                select n.id as notification_id, n.tenant, n.type, n.category, n.recipient_id, n.lane, n.source,
                    n.event_id as idempotency_key, n.traceparent as trace_id, n.accepted_at, n.scheduled_for as send_at, n.expires_at,
                    case when e.ended = n.planned then 'done' else 'pending' end as state,
                    n.planned as deliveries, e.delivered, e.sent, e.failed, e.not_sent,
                    case when e.ended = n.planned then e.finished_at end as finished_at, n.catalogue, n.event_id
                from tidings.notifications n
                cross join lateral (
                    select count(*)::smallint as ended, max(ended_at) as finished_at,
                        count(*) filter (where state = 'delivered') as delivered,
                        count(*) filter (where state = 'sent') as sent,
                        count(*) filter (where state in ('failed', 'expired')) as failed,
                        count(*) filter (where state in ('suppressed', 'cancelled')) as not_sent
                    from tidings.deliveries d where d.notification_id = n.id
                ) e;
            comment on view tidings_ops.notifications is
                'One row for each accepted intent and recipient. Indexed filters: notification_id, recipient_id, event_id.';
            comment on column tidings_ops.notifications.event_id is
                'The producer''s event id: the CloudEvents id. An intent is accepted once for each tenant, source, event id and recipient.';
            comment on column tidings_ops.notifications.idempotency_key is
                'The same as event_id, under its older name. It is not idempotency_key of attempts, which is what a provider gets.';
            comment on column tidings_ops.attempts.idempotency_key is
                'What every attempt of the delivery carries to the provider, such as a webhook''s webhook-id: <notification_id>-<ordinal>. It is not '
                'the producer''s event id.';
            comment on column tidings_ops.possible_duplicates.idempotency_key is
                'What both sends carried to the provider: <notification_id>-<ordinal>. It is not the producer''s event id.';

            -- In a new session nearly all of its time goes into opening each day's table and planning for it. One statement over all days costs less
            -- than one for each, and the second finds everything open. To open the days to come is cheaper than a bound, which would be planned for
            -- at each of the others.
            create or replace function tidings_ops.find(anything text)
                returns table (kind text, id text, matched_on text, at timestamptz) language plpgsql stable
                security definer set search_path = pg_catalog, pg_temp set jit = off as $$
            declare
                named_tenant text;
                person text;
            begin
                -- A notification, a delivery (notification/ordinal), or the key that a provider got (notification-ordinal).
                if anything ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}([/-]\d+)?$' then
                    return query select 'notification', n.id::text,
                            case when substr(anything, 37, 1) = '-' then 'attempts.idempotency_key' else 'notification_id' end, n.accepted_at
                        from tidings.notifications n where n.id = left(anything, 36)::uuid;
                    if found then return; end if;
                end if;
                -- Ordered by what has no index: a day without statistics must not be walked in the order of its ids.
                return query select 'notification', n.id::text, 'idempotency_key', n.accepted_at from tidings.notifications n
                    where n.event_id = anything order by n.accepted_at desc limit 20;
                -- The latest are enough, and their times are those of their ids, which saves reading the rows.
                return query select 'notification', n.id::text, 'recipient_id', tidings.id_time(n.id) from tidings.notifications n
                    where n.recipient_id = anything order by n.id desc limit 10;
                return query select 'recipient', r.tenant || '/' || r.id, 'recipient_id', r.changed_at from tidings.recipients r where r.id = anything;
                -- tenant/recipient, as the line above prints it. The index has the person alone, so the bound is on what is read of theirs.
                if strpos(anything, '/') > 1 then
                    named_tenant := split_part(anything, '/', 1);
                    person := substr(anything, strpos(anything, '/') + 1);
                    return query select 'notification', l.id::text, 'recipient_id', tidings.id_time(l.id)
                        from (select n.id, n.tenant from tidings.notifications n where n.recipient_id = person order by n.id desc limit 100) l
                        where l.tenant = named_tenant order by l.id desc limit 10;
                    return query select 'recipient', r.tenant || '/' || r.id, 'recipient_id', r.changed_at from tidings.recipients r
                        where r.tenant = named_tenant and r.id = person;
                end if;
                return query select 'device', e.id, 'device_id', e.changed_at from tidings.endpoints e where e.channel = 'push' and e.id = anything;
                return query select 'device', e.id, 'token', e.changed_at from tidings.endpoints e
                    where e.channel = 'push' and tidings.token_hash(e.address) = tidings.token_hash(anything);
                return query select 'rejected', r.id::text, 'event_id', r.last_at from tidings.rejected r
                    where r.event_id = anything order by r.id desc limit 20;
            end $$;
            comment on function tidings_ops.find(text) is
                'Finds the record of any id: a notification, a delivery, an event, a provider''s idempotency key, a recipient with their latest '
                'notifications (also as tenant/recipient), a device or its token. A trace id and a provider''s own message id have no index.';
            """#)
}
