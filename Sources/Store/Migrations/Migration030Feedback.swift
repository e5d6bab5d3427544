extension Migration {
    /// A producer asks what became of its refused events, with no right to read anybody else's.
    static let feedback = Migration(
        number: 30, name: "feedback", kind: .expand,
        sql: #"""
            create index if not exists rejected_source on tidings.rejected (source, id);

            -- The newest 10,000 refusals of the source are looked at, so that a producer that goes wrong for days costs no more than others.
            create or replace function tidings_api.rejected(source text, since timestamptz default null)
                returns table (rejected_id bigint, event_id text, type text, reason_code text, what_to_do text, pointer text, message text,
                    occurrences bigint, first_at timestamptz, last_at timestamptz, state text)
                language sql stable security definer set search_path = pg_catalog, pg_temp as $$
                select r.id, r.event_id, r.type, r.reason, c.what_to_do, r.pointer, r.message, r.occurrences, r.at, r.last_at, r.state
                from (select * from tidings.rejected k where k.source = rejected.source order by k.id desc limit 10000) r
                left join tidings.reason_codes c on c.code = r.reason
                where r.last_at >= coalesce(rejected.since, tidings.clock() - interval '1 day')
                    and (r.producer is null or r.producer in (session_user::text, 'db:' || session_user::text))
                order by r.last_at desc, r.id desc limit 1000
            $$;
            comment on function tidings_api.rejected(text, timestamptz) is
                'Refused events of a source, by default of the last day, newest first, at most 1,000: those that this login published, over AMQP by '
                'the same user name or by enqueue, and those whose publisher is not known. what_to_do says how to mend the reason.';
            revoke execute on function tidings_api.rejected(text, timestamptz) from public;

            do $$ begin
                if to_regrole('tidings_produce') is not null then
                    grant execute on function tidings_api.rejected(text, timestamptz) to tidings_produce;
                end if;
            end $$;
            """#)
}
