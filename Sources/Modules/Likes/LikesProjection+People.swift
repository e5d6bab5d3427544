package import TidingsPostgres
package import TidingsStore

/// The people in the tables of likes.
extension LikesProjection {
    /// An export has the ids of the other people, and not their names and pictures: those are data of other people.
    package var personalTables: [PersonalTable] {
        [
            PersonalTable(
                LikeRow.table, .deletesPerson(["recipient_id", "liker_id"]), personal: "passed",
                sections: [
                    .person(
                        "likes", in: "recipient_id", keys: "liker_id text",
                        columns: "r.liker_id, r.position, r.notification_id, r.server_is_blurred, r.passed, r.created_at"),
                    .person(
                        "likes_given", in: "liker_id", keys: "recipient_id text", of: "own_likes_given",
                        columns: "r.recipient_id, r.name, r.photo_url, r.notification_id, r.created_at"),
                ]),
            PersonalTable(
                "liked_people", .deletesPerson(["recipient_id"]), personal: "recipient_id", other: "tenant newest",
                notExported: "the number of the newest like"),
            PersonalTable(
                "matches", .deletesPerson(["one_id", "other_id"]), personal: "one_id other_id matched_at", other: "tenant",
                sections: [.pair("matches", "one_id", "other_id", columns: "r.one_id, r.other_id, r.matched_at")]),
            PersonalTable(
                "unblurs", .deletesPerson(["recipient_id"]), personal: "recipient_id expires_at", other: "tenant",
                sections: [.person("unblurs", in: "recipient_id", columns: "r.expires_at")]),
        ]
    }

    /// Deletes likes that the person gave and matches of the person. The notification of a match has the id of its event in the outbox.
    package func forgetMentions(of person: RecipientKey, limit: Int64) -> SQL? {
        let (tenant, id) = (person.tenant, person.id)
        return """
            with liked as (
                delete from tidings.likes r where r.tenant = \(tenant) and r.liker_id = \(id) and r.recipient_id = any(array(
                    select s.recipient_id from tidings.likes s where s.tenant = \(tenant) and s.liker_id = \(id) limit \(limit)))
                returning recipient_id, earlier_ids || notification_id as ids
            ), matched as (
                delete from tidings.matches r where r.tenant = \(tenant) and (
                    (r.one_id = \(id) and r.other_id = any(array(
                        select s.other_id from tidings.matches s where s.tenant = \(tenant) and s.one_id = \(id) limit \(limit))))
                    or (r.other_id = \(id) and r.one_id = any(array(
                        select s.one_id from tidings.matches s where s.tenant = \(tenant) and s.other_id = \(id) limit \(limit)))))
                returning tenant, case when one_id = \(id) then other_id else one_id end as told
            )
            select 'likes', recipient_id, ids, null, null from liked
            union all
            select 'matches', told, '{}'::uuid[], \(Likes.source),
                \(Likes.matchEvent(tenant: "matched.tenant", person: "told", other: "\(id)::text")) from matched
            """
    }
}
