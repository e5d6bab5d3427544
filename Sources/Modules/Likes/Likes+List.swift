import TidingsCore
import TidingsPostgres
import TidingsStore

/// A part of the list of likes, the newest first.
package struct LikesPage: Sendable {
    package var likes: [Like]
    /// Leads to the likes that are older than the last one of the page. Nil if there is none, and for an answer to
    /// ``LikesRequest/newer(than:)`` without a reset: the app keeps the cursor that it has.
    package var nextCursor: LikesCursor?
    /// Whether the app must replace its list by this page.
    package var isReset: Bool
}

extension Likes {
    package static let defaultLimit = 20
    /// Most likes of a page that an app may ask for.
    package static let maximumLimit = 100
    /// An app that misses so many newer likes gets a new list instead.
    package static let resetThreshold = 50

    /// Returns likes of a person, with every status.
    ///
    /// Pages never repeat or leave out a like, however many arrive meanwhile: a like keeps its position, and a new like gets a higher one.
    ///
    /// - Parameter limit: The number of likes of a page, brought to 1 to ``maximumLimit``. ``LikesRequest/newer(than:)`` returns all newer
    ///   likes instead. If ``resetThreshold`` or more are newer, or the person has no like of that liker, it returns the latest page with
    ///   ``LikesPage/isReset``.
    package func list(
        _ request: LikesRequest, of recipient: String, tenant: String, limit: Int = Likes.defaultLimit
    ) async throws -> LikesPage {
        switch request {
        case .latest: return try await page(of: recipient, tenant, below: .max, limit: limit)
        case .older(let cursor): return try await page(of: recipient, tenant, below: cursor.position, limit: limit)
        case .newer(let liker):
            if let newer = try await newer(than: liker, of: recipient, tenant) {
                return LikesPage(likes: newer, nextCursor: nil, isReset: false)
            }
            var latest = try await page(of: recipient, tenant, below: .max, limit: limit)
            latest.isReset = true
            return latest
        }
    }

    private func page(of recipient: String, _ tenant: String, below position: Int64, limit: Int) async throws -> LikesPage {
        let limit = min(max(limit, 1), Self.maximumLimit)
        // One more than asked for tells whether older ones are left.
        let query = Self.select(of: recipient, tenant) + " and l.position < \(position) order by l.position desc limit \(limit + 1)"
        let found = try await own(recipient, tenant, .rows(query, PositionedLike.init))
        let likes = found.prefix(limit)
        return LikesPage(
            likes: likes.map(\.like), nextCursor: found.count > limit ? likes.last.map { LikesCursor(position: $0.position) } : nil,
            isReset: false)
    }

    /// Nil if there are too many, or if the person has no like of the liker.
    private func newer(than liker: String, of recipient: String, _ tenant: String) async throws -> [Like]? {
        let known: SQL =
            "select position from tidings.likes where tenant = \(tenant) and recipient_id = \(recipient) and liker_id = \(liker)"
        guard let position = try await own(recipient, tenant, .first(known) { try $0.decode(Int64.self) }) else { return nil }
        let query =
            Self.select(of: recipient, tenant) + " and l.position > \(position) order by l.position desc limit \(Self.resetThreshold)"
        let likes = try await own(recipient, tenant, .rows(query) { try PositionedLike($0).like })
        return likes.count < Self.resetThreshold ? likes : nil
    }

    private static func select(of recipient: String, _ tenant: String) -> SQL {
        """
        select l.position, l.liker_id, l.name, l.photo_url, l.created_at, l.server_is_blurred, (case when l.passed then 2
            when exists (select from tidings.matches m where m.tenant = l.tenant
                and m.one_id = least(l.recipient_id collate "C", l.liker_id collate "C")
                and m.other_id = greatest(l.recipient_id collate "C", l.liker_id collate "C")) then 1 else 0 end)::smallint as status
        from tidings.likes l where l.tenant = \(tenant) and l.recipient_id = \(recipient)
        """
    }
}

private struct PositionedLike {
    let position: Int64
    let like: Like

    init(_ row: PostgresRow) throws {
        position = try row.decode("position")
        like = Like(
            id: try row.decode("liker_id"), name: try row.decode("name"), photoURL: try row.decode("photo_url"),
            status: Like.Status(rawValue: try row.decode("status")) ?? .incoming,
            createdAt: Timestamp(microseconds: try row.decode("created_at", as: PostgresTimestamp.self).microseconds),
            serverIsBlurred: try row.decode("server_is_blurred"))
    }
}
