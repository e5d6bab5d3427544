extension Migration {
    /// Pauses of a channel, provider, type or tenant, and which of them a waiting delivery waits for.
    static let pauses = Migration(
        number: 8, name: "pauses", kind: .expand,
        sql: #"""
            create table tidings.pauses (
                id bigint generated always as identity primary key,
                scope text not null check (scope in ('channel', 'provider', 'type', 'tenant')),
                name text not null,
                reason text not null,
                paused_by text not null,
                since timestamptz not null,
                until timestamptz,
                resumed_at timestamptz,
                resumed_by text
            );
            create unique index on tidings.pauses (scope, name) where resumed_at is null;

            -- A paused delivery waits for its pause; its due_at, the pause's end or its own expiry, only bounds that. Nothing is written when a
            -- pause ends: whoever releases looks which pauses still hold something, one step of this index for each place.
            alter table tidings.due add column pause_id bigint;
            create index due_paused on tidings.due (pause_id, lane, channel, provider, notification_id, ordinal) where pause_id is not null;

            create view tidings_ops.pauses as
                select p.id as pause_id, p.scope, p.name as target, p.reason, p.paused_by, p.since as since_at, p.until as until_at,
                    case when p.resumed_at is not null or p.until <= tidings.clock() then 'over' else 'paused' end as state,
                    coalesce(p.resumed_at, case when p.until <= tidings.clock() then p.until end) as ended_at, p.resumed_by,
                    (select count(*) from tidings.due w where w.pause_id = p.id) as deliveries
                from tidings.pauses p;
            comment on view tidings_ops.pauses is
                'What operators have stopped for a while, and what they had, for as long as notifications are kept. See tidings pause.';
            comment on column tidings_ops.pauses.pause_id is 'As tidings_ops.deliveries.pause_id names it.';
            comment on column tidings_ops.pauses.scope is 'What of a delivery it looks at: channel, provider, type or tenant.';
            comment on column tidings_ops.pauses.target is 'The channel, provider, type or tenant that is paused.';
            comment on column tidings_ops.pauses.reason is 'Why, in the words of whoever paused it.';
            comment on column tidings_ops.pauses.paused_by is 'Who paused it, or last changed its reason or end.';
            comment on column tidings_ops.pauses.since_at is 'When it began.';
            comment on column tidings_ops.pauses.until_at is 'When it ends by itself; null: when somebody resumes it.';
            comment on column tidings_ops.pauses.state is 'paused, or over.';
            comment on column tidings_ops.pauses.ended_at is 'When it was resumed or ended by itself; null while it is paused.';
            comment on column tidings_ops.pauses.resumed_by is 'Who resumed it; null while it is paused, and when it ended by itself.';
            comment on column tidings_ops.pauses.deliveries is 'How many deliveries wait for it now.';

            create or replace view tidings_ops.deliveries as
                select n.id || '/' || d.ordinal as delivery_id, d.notification_id, d.ordinal, n.tenant, n.type, n.category, n.recipient_id,
                    d.channel, d.provider, d.endpoint, d.state, d.reason as reason_code, d.attempts, null::timestamptz as due_at,
                    d.provider_message_id, n.accepted_at as created_at, d.ended_at as finished_at, null::bigint as pause_id
                from tidings.deliveries d join tidings.notifications n on n.id = d.notification_id
                union all
                select n.id || '/' || w.ordinal, w.notification_id, w.ordinal, n.tenant, n.type, n.category, n.recipient_id,
                    w.channel, w.provider, w.endpoint, case when w.kind in ('held', 'escalation') then 'held' else 'retrying' end,
                    w.reason, (w.attempt - 1)::smallint, case when w.pause_id is null then nullif(w.due_at, 'infinity') end, null,
                    n.accepted_at, null, w.pause_id
                from tidings.due w join tidings.notifications n on n.id = w.notification_id
                union all
                select n.id || '/' || e.ordinal, e.notification_id, e.ordinal, n.tenant, n.type, n.category, n.recipient_id,
                    p.channel, p.provider, null, 'queued', case when p.claimed_at is null then 'inQueue' else 'inFlight' end,
                    (e.attempt - 1)::smallint, null, null, n.accepted_at, null, null
                from tidings.packs p
                cross join lateral unnest(p.notification_ids, p.ordinals, p.attempts) as e(notification_id, ordinal, attempt)
                join tidings.notifications n on n.id = e.notification_id;
            comment on column tidings_ops.deliveries.pause_id is
                'The pause it waits for, as tidings_ops.pauses has it; null unless its reason_code is paused.';

            create or replace view tidings_ops.timeline as
                select n.id as notification_id, null::smallint as ordinal, n.accepted_at as at, 'router' as actor, null::text as channel,
                    'accepted' as event, null::text as reason_code, n.type || ' for ' || n.recipient_id || ' from ' || n.source as summary
                from tidings.notifications n
                union all
                select d.notification_id, d.ordinal, d.decided_at, 'router', d.channel, 'decided', d.reason_code,
                    d.verdict || coalesce(' until ' || to_char(d.held_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), '')
                from tidings_ops.decisions d
                union all
                select a.notification_id, a.ordinal, a.finished_at, coalesce(a.worker_id, 'deliver'), a.channel, 'attempt ' || a.attempt,
                    a.reason_code, a.outcome || coalesce(' ' || a.provider_status, '') || coalesce(': ' || a.error_text, '')
                from tidings_ops.attempts a
                union all
                select d.notification_id, d.ordinal, d.ended_at, 'deliver', d.channel, d.state, d.reason, d.provider
                from tidings.deliveries d
                union all
                select w.notification_id, w.ordinal, w.since, 'release', w.channel, 'waiting', w.reason,
                    case when w.pause_id is null then w.kind || coalesce(' until '
                            || to_char(nullif(w.due_at, 'infinity') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), '')
                        else 'until ' || coalesce(p.scope || ' ' || p.name || ' is resumed: ' || p.reason, 'the next release') end
                from tidings.due w left join tidings.pauses p on p.id = w.pause_id;

            do $$ begin
                if to_regrole('tidings_run') is not null then
                    grant select, insert, update, delete on tidings.pauses to tidings_run;
                    grant select on tidings_ops.pauses to tidings_run;
                end if;
                if to_regrole('tidings_ops_read') is not null then
                    grant select on tidings_ops.pauses to tidings_ops_read;
                end if;
            end $$;
            """#)
}
