extension Migration {
    /// Deliveries that move from one provider to the next, and what came of everything in each market.
    static let failover = Migration(
        number: 12, name: "failover", kind: .expand,
        sql: #"""
            -- Not validated: every row satisfies the narrower check that this takes the place of.
            alter table tidings.due drop constraint due_kind_check;
            alter table tidings.due add constraint due_kind_check
                check (kind in ('held', 'retry', 'recover', 'escalation', 'failover', 'again')) not valid;

            -- An empty moved_from stands for an operator's retry: providers that failed before count again.
            alter table tidings.decisions add column moved_from text, add column moved_because text;

            create or replace view tidings_ops.decisions as
                select n.id as notification_id, (p.position - 1)::smallint as ordinal, n.accepted_at as decided_at,
                    p.planned ->> 'channel' as channel, p.planned ->> 'provider' as provider, p.planned ->> 'verdict' as verdict,
                    p.planned ->> 'reason' as reason_code, (p.planned ->> 'until')::timestamptz as held_until,
                    n.decision::json ->> 'strategy' as strategy, n.catalogue, n.decision::json -> 'rules' as rules,
                    n.decision::json -> 'notes' as notes,
                    coalesce(p.planned ->> 'market', n.decision::json ->> 'market', 'default') as market,
                    coalesce((p.planned ->> 'standby')::boolean, false) as has_standby,
                    null::text as moved_from, null::text as moved_because
                from tidings.notifications n
                cross join lateral json_array_elements(n.decision::json -> 'deliveries') with ordinality as p(planned, position)
                union all
                select d.notification_id, d.ordinal, d.at, d.decision::json ->> 'channel', d.decision::json ->> 'provider',
                    d.decision::json ->> 'verdict', d.decision::json ->> 'reason', (d.decision::json ->> 'until')::timestamptz,
                    null, d.catalogue, null, null, coalesce(d.decision::json ->> 'market', 'default'),
                    coalesce((d.decision::json ->> 'standby')::boolean, false), nullif(d.moved_from, ''),
                    case when d.moved_from <> '' then d.moved_because end
                from tidings.decisions d;
            comment on column tidings_ops.decisions.market is 'Whose providers were looked at: the person''s market, or a device''s own.';
            comment on column tidings_ops.decisions.has_standby is
                'Another provider of the market takes over should this one be misconfigured, refuse, or not be called because it has been failing.';
            comment on column tidings_ops.decisions.moved_from is
                'The provider that gave it up, when it moved on to the one here; null otherwise.';
            comment on column tidings_ops.decisions.moved_because is 'Why that one gave it up; see tidings_ops.reason_codes.';

            create or replace view tidings_ops.timeline as
                select n.id as notification_id, null::smallint as ordinal, n.accepted_at as at, 'router' as actor, null::text as channel,
                    'accepted' as event, null::text as reason_code, n.type || ' for ' || n.recipient_id || ' from ' || n.source as summary
                from tidings.notifications n
                union all
                select d.notification_id, d.ordinal, d.decided_at, 'router', d.channel, 'decided', d.reason_code,
                    d.verdict || coalesce(' until ' || to_char(d.held_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), '')
                from tidings_ops.decisions d
                union all
                select d.notification_id, d.ordinal, d.decided_at, 'release', d.channel, 'moved', d.moved_because,
                    'from ' || d.moved_from || ' to ' || d.provider
                from tidings_ops.decisions d where d.moved_from is not null
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

            create view tidings_ops.outcomes_by_market as
                with judged_last as (
                    select distinct on (notification_id, ordinal) notification_id, ordinal, coalesce(decision::json ->> 'market', 'default') as market
                    from tidings.decisions order by notification_id, ordinal, at desc
                ), outcomes as (
                    select coalesce(j.market, n.decision::json #>> array['deliveries', d.ordinal::text, 'market'], n.decision::json ->> 'market',
                            'default') as market,
                        d.channel, d.provider, n.type, n.category, d.state as outcome, d.reason as reason_code, d.ended_at as at
                    from tidings.deliveries d join tidings.notifications n on n.id = d.notification_id
                    left join judged_last j on j.notification_id = d.notification_id and j.ordinal = d.ordinal
                    union all
                    select coalesce(m.decision::json ->> 'market', 'default'), m.decision::json ->> 'channel', m.moved_from, n.type, n.category,
                        'gaveUp', m.moved_because, m.at
                    from tidings.decisions m join tidings.notifications n on n.id = m.notification_id
                    where m.moved_from <> ''
                )
                select market, channel, provider, type, category, outcome, reason_code, count(*) as n, max(at) as last_at
                from outcomes group by market, channel, provider, type, category, outcome, reason_code;
            comment on view tidings_ops.outcomes_by_market is
                'How deliveries ended in each market, by provider and type. Adds up everything that is kept: for reports, not for a dashboard.';
            comment on column tidings_ops.outcomes_by_market.market is 'Whose providers carried it: the person''s market, or a device''s own.';
            comment on column tidings_ops.outcomes_by_market.channel is 'As in tidings_ops.deliveries.';
            comment on column tidings_ops.outcomes_by_market.provider is
                'By its name in the catalogue; empty for what was refused before one was chosen.';
            comment on column tidings_ops.outcomes_by_market.type is 'The notification''s type.';
            comment on column tidings_ops.outcomes_by_market.category is 'The type''s category when it was accepted.';
            comment on column tidings_ops.outcomes_by_market.outcome is
                'The state in which deliveries ended, or gaveUp: the provider could not do it, and the next one took over.';
            comment on column tidings_ops.outcomes_by_market.reason_code is 'Why; see tidings_ops.reason_codes.';
            comment on column tidings_ops.outcomes_by_market.n is 'How many.';
            comment on column tidings_ops.outcomes_by_market.last_at is 'When the latest of them ended, or was given up.';

            do $$ begin
                if to_regrole('tidings_run') is not null then
                    grant select on tidings_ops.outcomes_by_market to tidings_run;
                end if;
                if to_regrole('tidings_ops_read') is not null then
                    grant select on tidings_ops.outcomes_by_market to tidings_ops_read;
                end if;
            end $$;
            """#)
}
