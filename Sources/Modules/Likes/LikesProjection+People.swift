package import TidingsStore

/// The people in the tables of likes.
extension LikesProjection {
    /// An export has the ids of the other people, and not their names and pictures: those are data of other people.
    package var personalTables: [PersonalTable] {
        [
            PersonalTable(
                "likes", .deletesPerson(["recipient_id", "liker_id"]),
                personal: "recipient_id liker_id name photo_url passed",
                other: "tenant position notification_id earlier_ids server_is_blurred created_at",
                sections: [
                    .person(
                        "likes", in: "recipient_id", keys: "liker_id text",
                        columns: "r.liker_id, r.position, r.notification_id, r.server_is_blurred, r.passed, r.created_at"),
                    .person(
                        "likes_given", in: "liker_id", keys: "recipient_id text",
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
}
