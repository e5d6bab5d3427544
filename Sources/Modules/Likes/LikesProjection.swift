import TidingsContracts
package import TidingsCore
import TidingsJSON
package import TidingsPostgres
package import TidingsStore

/// Puts likes into `tidings.likes` in the transaction that routes them.
///
/// The fields of the intent's data, none of which the intent must have:
///
/// - `userId`, or `id` if there is none: the liker, a text or a whole number of any size.
/// - `name`, `photoURL`: texts.
/// - `serverIsBlurred`: `false`, `"false"` or absent if the picture is not blurred. Any other value means that it is.
///
/// A member that is null or an empty text counts as absent.
///
/// An intent without a liker is a notification like any other, and no like. The same holds for a liker whom no intent can name by the rules
/// of ``RecipientForm``, and for a person who likes themselves.
package struct LikesProjection: Projection {
    package var name: String { Likes.name }

    package init() {}

    package func statements(for intents: [ProjectedIntent]) -> [SQL] {
        guard let now = intents.first?.acceptedAt else { return [] }
        return LikeRow.insert(liked: intents.compactMap { LikeRow($0, at: now) }).map { [$0] } ?? []
    }

    /// The liker of a like, and the other person of a match.
    package func people(in intent: Intent, isProjected: Bool) -> [String] {
        let isMatch = intent.source.utf8.elementsEqual(Likes.source.utf8) && intent.type.utf8.elementsEqual(Likes.matchType.utf8)
        guard isProjected || isMatch, let data = try? JSON.parse(intent.content.data) else { return [] }
        return LikeRow.liker(in: data).map { [$0] } ?? []
    }
}

/// A row of `tidings.likes`.
struct LikeRow: TableRow {
    let tenant: String
    let recipient: String
    let liker: String
    let id: NotificationID
    let name: String?
    let photoURL: String?
    let isBlurred: Bool
    let createdAt: Timestamp

    static let table = Table<LikeRow>(
        "tidings.likes as l",
        personal: [
            Column("recipient_id", \.recipient), Column("liker_id", \.liker), Column("name", \.name), Column("photo_url", \.photoURL),
        ],
        other: [
            Column("tenant", \.tenant), Column("notification_id", \.id), Column("server_is_blurred", \.isBlurred),
            Column("created_at", \.createdAt),
        ],
        computing: [
            "position": "newest + 1 - row_number() over (partition by tenant, recipient_id order by notification_id desc)",
            "earlier_ids": "(array_remove(ids, notification_id))[:32]",
        ])

    /// Nil if the intent is no like.
    init?(_ projected: ProjectedIntent, at now: Timestamp) {
        let intent = projected.intent
        guard let data = try? JSON.parse(intent.content.data), let liker = Self.liker(in: data),
            !liker.utf8.elementsEqual(intent.recipient.utf8)
        else { return nil }
        (tenant, recipient, id) = (intent.tenant, intent.recipient, projected.id)
        self.liker = liker
        name = data["name"]?.stringValue?.ifPresent
        photoURL = data["photoURL"]?.stringValue?.ifPresent
        isBlurred = Self.isBlurred(data["serverIsBlurred"])
        createdAt = now
    }

    static func liker(in data: JSON) -> String? {
        let text: String
        switch [data["userId"], data["id"]].compactMap({ $0 }).first(where: { !$0.isNull && $0 != "" }) {
        case .string(let value)?: text = value
        case .number(let number)? where number.isInteger: text = number.exact.canonicalText
        default: return nil
        }
        // A match tells both people, so each of them must be a recipient that an intent can name.
        return RecipientForm.fault(in: text) == nil ? text : nil
    }

    /// Only a value that says "not blurred" counts so. With any other spelling of true, the app would show a picture that it must hide.
    private static func isBlurred(_ value: JSON?) -> Bool {
        switch value {
        case nil, .null?, .bool(false)?, .string("")?, .string("false")?: false
        default: true
        }
    }

    /// Nil if there is nothing to insert.
    ///
    /// The rows of `liked_people` are locked in the order of their keys, and before any row of `likes`. Each like of a person gets the next
    /// position, in the order of the notifications.
    ///
    /// A later like of the same liker refreshes name, photo and blur, and leaves the position, the answer and the match. A list that is
    /// being paged must not move, and a person who has passed must not be asked again. The position that the later like would have had stays
    /// unused. The ids of the last 32 earlier notifications stay, because an erasure of the liker erases them.
    static func insert(liked rows: [LikeRow]) -> SQL? {
        guard !rows.isEmpty else { return nil }
        return """
            with given as (
                select distinct on (tenant, recipient_id, liker_id) *,
                    array_agg(notification_id) over (partition by tenant, recipient_id, liker_id) as ids
                from \(rows.relation("given", table.columns))
                order by tenant, recipient_id, liker_id, notification_id desc
            ), people as (
                insert into tidings.liked_people as p (tenant, recipient_id, newest)
                select tenant, recipient_id, count(*) from given group by tenant, recipient_id order by tenant, recipient_id
                on conflict (tenant, recipient_id) do update set newest = p.newest + excluded.newest
                returning tenant, recipient_id, newest
            )
            \(insert(from: "given join people using (tenant, recipient_id) order by tenant, recipient_id, liker_id"))
            on conflict (tenant, recipient_id, liker_id) do update set notification_id = excluded.notification_id,
                earlier_ids = (l.earlier_ids || l.notification_id || excluded.earlier_ids)
                    [greatest(cardinality(l.earlier_ids) + cardinality(excluded.earlier_ids) - 30, 1):],
                name = coalesce(excluded.name, l.name), photo_url = coalesce(excluded.photo_url, l.photo_url),
                server_is_blurred = excluded.server_is_blurred
            """
    }
}
