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
    package var name: String { "likes" }

    package init() {}

    package func statements(for intents: [ProjectedIntent]) -> [SQL] {
        guard let now = intents.first?.acceptedAt else { return [] }
        var rows = LikeRows()
        for intent in intents { rows.add(intent) }
        return rows.insert(at: now).map { [$0] } ?? []
    }

    /// The liker of a like, and the other person of a match.
    package func people(in intent: Intent, isProjected: Bool) -> [String] {
        let isMatch = intent.source.utf8.elementsEqual(Likes.source.utf8) && intent.type.utf8.elementsEqual(Likes.matchType.utf8)
        guard isProjected || isMatch, let data = try? JSON.parse(intent.content.data) else { return [] }
        return LikeRows.liker(in: data).map { [$0] } ?? []
    }
}

/// The likes of one batch, as columns.
private struct LikeRows {
    private var tenants: [String] = []
    private var recipients: [String] = []
    private var likers: [String] = []
    private var ids: [PostgresUUID] = []
    private var names: [String?] = []
    private var photos: [String?] = []
    private var blurred: [Bool] = []

    mutating func add(_ projected: ProjectedIntent) {
        let intent = projected.intent
        guard let data = try? JSON.parse(intent.content.data), let liker = Self.liker(in: data),
            !liker.utf8.elementsEqual(intent.recipient.utf8)
        else { return }
        tenants.append(intent.tenant)
        recipients.append(intent.recipient)
        likers.append(liker)
        ids.append(PostgresUUID(high: projected.id.high, low: projected.id.low))
        names.append(data["name"]?.stringValue?.ifPresent)
        photos.append(data["photoURL"]?.stringValue?.ifPresent)
        blurred.append(Self.isBlurred(data["serverIsBlurred"]))
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
    func insert(at now: Timestamp) -> SQL? {
        guard !ids.isEmpty else { return nil }
        return """
            with given as (
                select distinct on (tenant, recipient_id, liker_id) *,
                    array_agg(notification_id) over (partition by tenant, recipient_id, liker_id) as ids
                from unnest(\(tenants), \(recipients), \(likers), \(ids), \(names), \(photos), \(blurred))
                    as given(tenant, recipient_id, liker_id, notification_id, name, photo_url, server_is_blurred)
                order by tenant, recipient_id, liker_id, notification_id desc
            ), people as (
                insert into tidings.liked_people as p (tenant, recipient_id, newest)
                select tenant, recipient_id, count(*) from given group by tenant, recipient_id order by tenant, recipient_id
                on conflict (tenant, recipient_id) do update set newest = p.newest + excluded.newest
                returning tenant, recipient_id, newest
            )
            insert into tidings.likes as l
                (tenant, recipient_id, liker_id, position, notification_id, earlier_ids, name, photo_url, server_is_blurred, created_at)
            select tenant, recipient_id, liker_id,
                newest + 1 - row_number() over (partition by tenant, recipient_id order by notification_id desc),
                notification_id, (array_remove(ids, notification_id))[:32], name, photo_url, server_is_blurred,
                \(PostgresTimestamp(microseconds: now.microseconds))
            from given join people using (tenant, recipient_id)
            order by tenant, recipient_id, liker_id
            on conflict (tenant, recipient_id, liker_id) do update set notification_id = excluded.notification_id,
                earlier_ids = (l.earlier_ids || l.notification_id || excluded.earlier_ids)
                    [greatest(cardinality(l.earlier_ids) + cardinality(excluded.earlier_ids) - 30, 1):],
                name = coalesce(excluded.name, l.name), photo_url = coalesce(excluded.photo_url, l.photo_url),
                server_is_blurred = excluded.server_is_blurred
            """
    }
}
