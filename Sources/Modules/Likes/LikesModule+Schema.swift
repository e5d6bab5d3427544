package import TidingsStore

extension LikesModule {
    package var schema: SchemaPart {
        SchemaPart(
            of: Likes.name, sql: String(decoding: PackageResources.likes_sql, as: UTF8.self),
            tables: [
                .init("liked_people", seenBy: "recipient_id"), .init("likes", seenBy: "recipient_id"),
                .init("matches", seenBy: "one_id", "other_id"), .init("unblurs", seenBy: "recipient_id"),
            ],
            rights: [
                .init(.app, .select, on: "likes liked_people matches unblurs own_likes_given"),
                // The answer of the person.
                .init(.app, .update, on: "likes", columns: "passed"),
                .init(.app, .insert, on: "unblurs"),
                .init(.app, .update, on: "unblurs", columns: "expires_at"),
                // News of many streams: ids and counts.
                .init(.api, .select, on: "liked_people"),
                // A match concerns two people, so the process itself makes it.
                .init(.api, .select, on: "likes", columns: "tenant recipient_id liker_id position passed name photo_url"),
                .init(.api, .select, on: "matches", columns: "tenant"),
                .init(.api, .insert, on: "matches"),
            ])
    }
}
