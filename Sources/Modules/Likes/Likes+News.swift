import TidingsPostgres
package import TidingsStore

/// The place up to which somebody knows the likes of a person, for the realtime signal "new likes available".
package struct LikesMark: Sendable, Hashable {
    package let tenant: String
    package let recipient: String
    /// The newest position that is known. Nil before the first look.
    package var position: Int64?

    package init(tenant: String, recipient: String, position: Int64? = nil) {
        self.tenant = tenant
        self.recipient = recipient
        self.position = position
    }
}

/// The number of likes that came after a mark.
package struct NewLikes: Sendable, Hashable {
    /// At most ``Likes/mostCounted``. 0 for a mark without a position.
    package var count: Int
    /// The mark of this moment.
    package var mark: LikesMark
}

extension Likes {
    /// Counting stops here: an app shows no larger number, and one popular person must not slow the others.
    package static let mostCounted = 100

    /// People whose new likes one statement counts. It reads at most ``mostCounted`` entries of an index for each.
    package static let watchersPerQuery = 500

    /// Counts the new likes of many people, in the order of the marks. Runs with the rights of the process, and reads no names or pictures.
    package func news(since marks: [LikesMark]) async throws -> [NewLikes] {
        var news: [NewLikes] = []
        for start in stride(from: 0, to: marks.count, by: Self.watchersPerQuery) {
            news += try await count(Array(marks[start..<min(start + Self.watchersPerQuery, marks.count)]))
        }
        return news
    }

    /// Counts the new likes of one person, with the rights of the person.
    package func news(since mark: LikesMark) async throws -> NewLikes {
        // A text of its own: PostgreSQL plans a statement anew if another role runs it.
        return try await own(mark.recipient, mark.tenant, .one(Self.count([mark]) + " limit 1") { try NewLikes($0, mark) })
    }

    /// The people of those marks beyond which a like has come. One query, however many marks there are.
    package func people(withNewsSince marks: [LikesMark]) async throws -> [RecipientKey] {
        guard !marks.isEmpty else { return [] }
        let query: SQL = """
            select asked.turn from \(marks.relation("asked", Self.columns, numbered: "turn"))
            cross join lateral (
                select p.newest from tidings.liked_people p where p.tenant = asked.tenant and p.recipient_id = asked.recipient_id limit 1
            ) p
            where p.newest > asked.position
            """
        return try await store.pool.query(.rows(query) { try $0.decode("turn", as: Int.self) }).map { turn in
            RecipientKey(tenant: marks[turn - 1].tenant, id: marks[turn - 1].recipient)
        }
    }

    private static let columns: [Column<LikesMark>] = [
        Column("tenant", \.tenant), Column("recipient_id", \.recipient), Column("position", \.position),
    ]

    private func count(_ marks: [LikesMark]) async throws -> [NewLikes] {
        try await store.pool.query(
            Statement(Self.count(marks)) { result in try zip(marks, result.rows).map { mark, row in try NewLikes(row, mark) } })
    }

    private static func count(_ marks: [LikesMark]) -> SQL {
        """
        select coalesce(p.newest, 0), case when asked.position < p.newest then (select count(*) from (
            select from tidings.likes l where l.tenant = asked.tenant and l.recipient_id = asked.recipient_id
                and l.position > asked.position limit \(mostCounted)) few) else 0 end
        from \(marks.relation("asked", columns, numbered: "turn"))
        left join tidings.liked_people p using (tenant, recipient_id)
        order by turn
        """
    }
}

extension NewLikes {
    fileprivate init(_ row: PostgresRow, _ mark: LikesMark) throws {
        let (newest, count) = try row.decode((Int64, Int).self)
        self.init(count: count, mark: LikesMark(tenant: mark.tenant, recipient: mark.recipient, position: newest))
    }
}
