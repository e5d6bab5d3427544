import TidingsContracts
import TidingsPostgres
import TidingsStore

/// The answer of a person to a like. The raw values are those of the API.
package enum LikeAnswer: String, Sendable, Hashable, CaseIterable {
    case like, pass
}

/// The result of an answer to a like.
package enum LikeAnswerResult: Sendable, Hashable {
    /// The person has no like of that liker.
    case unknown
    case recorded
    /// The answer is recorded and has just made a match. Both people are told by a `match` intent.
    case matched
}

extension Likes {
    /// The CloudEvents source of the intents that this module makes.
    package static let source = "/tidings/likes"
    /// The type of those intents. If the active catalogue does not declare it, a match makes no intent.
    package static let matchType = "match"
    /// The longest name or address of a picture that a match tells, in bytes. Longer ones are left out: with them the event could exceed the
    /// limit of an event, and then the answer would fail each time.
    private static let longestTold = 8_192

    /// Records the answer of `recipient` to the like of `liker`. The same answer again changes nothing.
    ///
    /// The answer, the match and both intents are one transaction. `tidings_api.enqueue` makes the intents, so the rights of the process's
    /// database role count as for any producer (`producers` of the catalogue). The event ids are derived from the pair, so that even a pair
    /// whose row was erased is not told again while the keys are kept.
    package func answer(
        _ answer: LikeAnswer, of recipient: String, to liker: String, tenant: String
    ) async throws -> LikeAnswerResult {
        let record: SQL = """
            update tidings.likes set passed = \(answer == .pass)
            where tenant = \(tenant) and recipient_id = \(recipient) and liker_id = \(liker)
            """
        // The answer is the person's own row. The match concerns two people, so the process makes it.
        var trip = RoundTrip(running: [Store.beginPerson(RecipientKey(tenant: tenant, id: recipient))])
        let answered = trip.ask(.count(record))
        if answer == .like { trip.run(Store.endPerson) }
        let told = answer == .like ? trip.ask(.count(Self.match(recipient, liker, tenant))) : nil
        // Read committed: an answer that waited for the other one's match must see it instead of failing. Running again is safe.
        let found = try await store.pool.transaction(retryAmbiguous: true, isolation: .readCommitted) { [trip] transaction in
            try await transaction.send(trip)
        }
        guard try found[answered] > 0 else { return .unknown }
        return try told.map { try found[$0] > 0 } == true ? .matched : .recorded
    }

    /// Makes the match, and returns a row for each person who is told if it is new. Makes none if the liker has passed the recipient.
    ///
    /// A liker whom no intent can name is not told. ``LikesProjection`` takes no such liker, but an older row may have one.
    ///
    /// Of two answers at the same time, the second waits at the primary key until the first has committed, and then makes nothing.
    private static func match(_ recipient: String, _ liker: String, _ tenant: String) -> SQL {
        let told = [(person: recipient, other: liker), (person: liker, other: recipient)].filter {
            RecipientForm.fault(in: $0.person) == nil
        }
        return """
            with match as (
                insert into tidings.matches (tenant, one_id, other_id, matched_at)
                select l.tenant, least(l.recipient_id collate "C", l.liker_id collate "C"),
                    greatest(l.recipient_id collate "C", l.liker_id collate "C"), tidings.clock()
                from tidings.likes l where l.tenant = \(tenant) and l.recipient_id = \(recipient) and l.liker_id = \(liker)
                    and not exists (select from tidings.likes o
                        where o.tenant = l.tenant and o.recipient_id = l.liker_id and o.liker_id = l.recipient_id and o.passed)
                on conflict do nothing returning tenant
            )
            select case when not exists (select from tidings.active_catalogue a join tidings.catalogue_types t on t.hash = a.hash
                    where not \(matchType) = any(t.types))
                then tidings_api.enqueue(type => \(matchType), recipient => told.person, tenant => match.tenant, source => \(source),
                    key => \(matchEvent(tenant: "match.tenant", person: "told.person", other: "told.other")),
                    data => jsonb_strip_nulls(jsonb_build_object('userId', told.other,
                        'name', case when octet_length(l.name) <= \(longestTold) then l.name end,
                        'photoURL', case when octet_length(l.photo_url) <= \(longestTold) then l.photo_url end))) end
            from match cross join \(told.relation("told", [Column("person", \.person), Column("other", \.other)]))
            left join tidings.likes l on l.tenant = match.tenant and l.recipient_id = told.person and l.liker_id = told.other
            """
    }

    /// The id of the event that tells one of a pair of the match.
    static func matchEvent(tenant: SQL, person: SQL, other: SQL) -> SQL {
        "'match-' || encode(sha256(convert_to(json_build_array(\(tenant), \(person), \(other))::text, 'UTF8')), 'hex')"
    }
}
