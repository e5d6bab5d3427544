package import TidingsModules
import TidingsPostgres
package import TidingsStore

/// The realtime signal "new likes available".
extension Likes: StreamTopic {
    package var name: String { Self.name }

    /// Counting stops here: an app shows no larger number, and one popular person must not slow the others.
    package static let mostCounted = 100

    /// People whose new likes one statement counts. It reads at most ``mostCounted`` entries of an index for each.
    package static let watchersPerQuery = 500

    /// Counts the new likes of many people, in the order of the marks. Runs with the rights of the process, and reads no names or pictures.
    package func news(since marks: [TopicMark]) async throws -> [TopicNews] {
        var news: [TopicNews] = []
        for start in stride(from: 0, to: marks.count, by: Self.watchersPerQuery) {
            news += try await count(Array(marks[start..<min(start + Self.watchersPerQuery, marks.count)]))
        }
        return news
    }

    /// Counts the new likes of one person, with the rights of the person.
    package func news(since mark: TopicMark) async throws -> TopicNews {
        // A text of its own: PostgreSQL plans a statement anew if another role runs it.
        return try await own(mark.recipient, mark.tenant, .one(Self.count([mark]) + " limit 1") { try TopicNews($0, mark) })
    }

    /// The people of those marks beyond which a like has come. One query, however many marks there are.
    package func people(withNewsSince marks: [TopicMark]) async throws -> [RecipientKey] {
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

    private static let columns: [Column<TopicMark>] = [
        Column("tenant", \.tenant), Column("recipient_id", \.recipient), Column("position", \.position),
    ]

    private func count(_ marks: [TopicMark]) async throws -> [TopicNews] {
        try await store.pool.query(
            Statement(Self.count(marks)) { result in try zip(marks, result.rows).map { mark, row in try TopicNews(row, mark) } })
    }

    private static func count(_ marks: [TopicMark]) -> SQL {
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

extension TopicNews {
    fileprivate init(_ row: PostgresRow, _ mark: TopicMark) throws {
        let (newest, count) = try row.decode((Int64, Int).self)
        self.init(count: count, mark: TopicMark(tenant: mark.tenant, recipient: mark.recipient, position: newest))
    }
}
