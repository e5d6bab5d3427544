import TidingsContracts
import TidingsCore
import TidingsJSON
import TidingsPostgres

/// Rows of `tidings.rejected`. If the same bad event is refused again, the counter of its row rises. A looping producer therefore fills no
/// disk.
struct RefusedRows {
    /// The largest number of people of one row: as many as a valid event names.
    private static let mostRecipients = IntentLimits().maximumRecipients

    private let rows: [Row]
    /// The counter row of this batch. A concurrent batch most likely uses another one, so the two seldom wait for each other.
    private let part = RejectedBudget.anyPart()

    /// Merges equal events of one batch, because one statement may touch a row only once.
    init(_ events: [RefusedEvent]) {
        var position: [Digest128: Int] = [:]
        var rows: [Row] = []
        for event in events {
            let fingerprint = event.fingerprint
            if let known = position[fingerprint] {
                rows[known].count(event)
            } else {
                position[fingerprint] = rows.count
                rows.append(Row(event))
            }
        }
        self.rows = rows
    }

    /// An event with the number of its refusals in the batch. An event may be refused once for each of its people.
    private struct Row: Sendable {
        private(set) var event: RefusedEvent
        private(set) var occurrences: Int64 = 1
        private var people: Set<[UInt8]> = []

        init(_ event: RefusedEvent) { self.event = event }

        mutating func count(_ again: RefusedEvent) {
            occurrences += 1
            let more = again.rejection.recipientIDs
            // Compare bytes: two people may have names that are only equivalent.
            guard !more.elementsEqual(event.rejection.recipientIDs, by: isSameText) else { return }
            if people.isEmpty { people = Set(event.rejection.recipientIDs.map { Array($0.utf8) }) }
            for person in more where event.rejection.recipientIDs.count < RefusedRows.mostRecipients {
                if people.insert(Array(person.utf8)).inserted { event.rejection.recipientIDs.append(person) }
            }
        }
    }

    private static let columns: [Column<Row>] = [
        Column("fingerprint", \.event.fingerprint), Column("occurrences", \.occurrences), Column("reason", \.event.rejection.reason),
        Column("pointer") { storable($0.event.rejection.pointer) }, Column("message") { storable($0.event.rejection.message) },
        Column("tenant") { storable($0.event.rejection.tenant) }, Column("source") { storable($0.event.rejection.source) },
        Column("event_id") { storable($0.event.rejection.eventID) }, Column("type") { storable($0.event.rejection.type) },
        Column("exchange") { storable($0.event.exchange) }, Column("routing_key") { storable($0.event.routingKey) },
        Column("content_type") { storable($0.event.rejection.contentType) }, Column("headers", \.event.headers),
        Column("raw", \.event.rejection.raw), Column(integer: "size", \.event.rejection.size),
        Column("sha256", \.event.rejection.sha256), Column("replayable", \.event.rejection.isReplayable),
        Column(smallint: "share") { Int(RejectedBudget.share(of: $0.event.rejection)) }, Column("producer") { storable($0.event.producer) },
        Column("replay_headers", \.event.replayHeaders), Column("verified", \.event.rejection.isVerified),
        // The people of an event travel as a JSON array.
        Column("people") { row in JSON.array(row.event.rejection.recipientIDs.map { .string(storable($0)) }).serialized },
        Column("names_others", \.event.rejection.mayNameOthers),
    ]

    /// The statement that inserts the rows. Nil if there are none. An event beyond the ``RejectedBudget`` keeps its row without its bytes,
    /// and with one of its people at most.
    var insert: SQL? {
        guard !rows.isEmpty else { return nil }
        return """
            with today as materialized (select (tidings.clock() at time zone 'UTC')::date as day
            ), spent as materialized (
                select share, sum(kept_bytes) as bytes from tidings.rejected_days where day = (select day from today) group by share
            ), given as materialized (
                select *, case when exists (select from tidings.rejected k where k.fingerprint = g.fingerprint) then 0
                    else octet_length(raw) end as bytes, array(select json_array_elements_text(g.people::json)) as recipients
                from \(rows.relation("g", Self.columns))
            ), weighed as materialized (
                select *, bytes = 0
                    or sum(bytes) over (order by fingerprint) + (select coalesce(sum(s.bytes), 0) from spent s)
                        <= \(RejectedBudget.bytesADay)
                    and sum(bytes) over (partition by share order by fingerprint)
                        + (select coalesce(sum(s.bytes), 0) from spent s where s.share = given.share)
                        <= \(RejectedBudget.bytesADayOfTenant) as fits
                from given
            ), written as (
                insert into tidings.rejected as kept
                    (fingerprint, at, last_at, occurrences, reason, pointer, message, tenant, source, event_id, type, exchange, routing_key,
                     content_type, headers, raw, size, sha256, replayable, producer, replay_headers, verified, recipients,
                     names_others)
                select fingerprint, tidings.clock(), tidings.clock(), occurrences, reason, pointer, message, tenant, source, event_id, type,
                    exchange, routing_key, content_type, headers, case when fits then raw else '' end, size, sha256, replayable and fits,
                    producer, replay_headers, verified, case when fits then recipients else recipients[1:1] end, names_others and fits
                from weighed order by fingerprint
                on conflict (fingerprint) do update set occurrences = kept.occurrences + excluded.occurrences, last_at = excluded.last_at,
                    state = 'open', recipients = \(Self.allRecipients)
                returning fingerprint, xmax = 0 as is_new
            )
            insert into tidings.rejected_days as counted (day, share, part, kept_bytes, without_bytes)
            select (select day from today), share, \(part), coalesce(sum(bytes) filter (where fits), 0)::bigint, count(*) filter (where not fits)
            from written join weighed using (fingerprint) where is_new and bytes > 0 group by share order by share
            on conflict (day, share, part) do update set kept_bytes = counted.kept_bytes + excluded.kept_bytes,
                without_bytes = counted.without_bytes + excluded.without_bytes
            """
    }
}

extension RefusedRows {
    /// The people of a row that exists, with those of a further refusal. A row without its bytes keeps one person only.
    private static let allRecipients: SQL = """
        case when octet_length(kept.raw) = 0 or kept.recipients = excluded.recipients then kept.recipients
            else (kept.recipients || array(select e from unnest(excluded.recipients) e where e <> all (kept.recipients))
                )[1:\(Int32(mostRecipients))] end
        """
}

extension RefusedEvent {
    /// The digest of everything that tells this refusal from another one: the event, its attributes in headers, reason, place, routing key and
    /// producer. Headers that the broker adds are no part of it, so a redelivery has the same digest.
    ///
    /// A replay has the same digest as well. It names no content type and no producer by an empty text.
    var fingerprint: Digest128 {
        let texts = [rejection.reason.rawValue, rejection.pointer, routingKey, rejection.contentType ?? "", producer ?? ""]
        return Digest128(hashingParts: [rejection.sha256] + texts.map { Array($0.utf8) } + rejection.attributes.identity)
    }
}

extension [HeaderAttribute] {
    /// Name and value of each, for a digest.
    var identity: [[UInt8]] { flatMap { [[UInt8]($0.name.utf8), [UInt8]($0.value.utf8)] } }
}
