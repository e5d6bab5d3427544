import TidingsPostgres

/// A row that a filter found, without its bytes.
public struct RefusedRow: Sendable {
    public let id: Int64
    public let state: String
    public let reason: String
    /// The event's type, or the dead letter's queue.
    public let subject: String
    /// The reason why the row cannot be published again. Nil if it can.
    public let whyNot: WhyNot?
    /// The number of bytes that a replay reads.
    public let bytes: Int
}

/// The result of one step through a table: the rows found, and the place where the next step begins.
public struct RefusedPage: Sendable {
    public let rows: [RefusedRow]
    /// The last number that the step looked at. Nil at the end of the table.
    public let last: Int64?
}

extension Store {
    /// The largest number of rows that one step looks at, whether the filter matches them or not. So a step takes about the same time in
    /// any table.
    package static let refusedLook: Int64 = 2_000
}

extension Store.Refused {
    /// The largest number of a row at present. A replay ends at this number. An event that is refused again under a new number is therefore
    /// not replayed in the same run.
    public func last(in table: RefusedTable) async throws -> Int64 {
        try await pool.query(.value("select coalesce(max(r.id), 0) from \(table.name) r"))
    }

    /// The rows of the filter after the number `after`, up to `end`, in order. One step looks at no more than ``refusedLook`` rows, also if
    /// the filter names ids.
    public func page(
        in table: RefusedTable, _ filter: RefusedFilter, after: Int64, upTo end: Int64
    ) async throws -> RefusedPage {
        let among: SQL = filter.ids.isEmpty ? table.isOpen : "r.id = any(\(filter.ids))"
        let looking: SQL = """
            select max(looked.id) from (select r.id from \(table.name) r
                where r.id > \(after) and r.id <= \(end) and \(among) order by r.id limit \(Store.refusedLook)) looked
            """
        guard let last = try await pool.query(.value(looking, as: Int64?.self)) else { return RefusedPage(rows: [], last: nil) }
        let subject: SQL = table == .rejected ? "coalesce(r.type, '')" : "r.queue"
        let query: SQL = """
            select r.id, r.state, r.reason, \(subject) as subject, \(table.whyNot) as why_not, octet_length(r.raw)::bigint as bytes
            from \(table.name) r
            where r.id > \(after) and r.id <= \(last) and \(among) and \(filter.conditions(in: table)) order by r.id
            """
        let rows = try await pool.query(
            .rows(query) { row in
                RefusedRow(
                    id: try row.decode("id"), state: try row.decode("state"), reason: try row.decode("reason"),
                    subject: try row.decode("subject"),
                    whyNot: try row.decode("why_not", as: String?.self).flatMap(WhyNot.init(rawValue:)), bytes: try row.decode("bytes"))
            })
        return RefusedPage(rows: rows, last: last)
    }

    /// The message of an open row that can be published again. Nil if the row is gone, closed or not replayable.
    public func kept(_ id: Int64, in table: RefusedTable) async throws -> KeptMessage? {
        try await kept(
            """
            select r.id, r.exchange, r.routing_key, r.content_type, r.raw, coalesce(r.replay_headers, '{}') as replay_headers,
                \(table.version) as version, r.producer
            from \(table.name) r where r.id = \(id) and \(table.whyNot) is null
            """)
    }

    /// Closes rows whose messages the broker has confirmed. Returns the ids of the closed rows.
    ///
    /// Mark a row only after its publish. If the process dies between the two, the row stays open. A second publish is decided as a
    /// duplicate.
    ///
    /// A row that has changed since its message was read keeps its state. Either a router has refused the event again, or another operator
    /// has acted.
    public func markReplayed(_ messages: [KeptMessage], in table: RefusedTable) async throws -> [Int64] {
        let closing: SQL = """
            update \(table.name) r set state = 'replayed', acted_at = tidings.clock()
            from \(messages.relation("done", [Column("id", \.id), Column("version", \.version)]))
            where r.id = done.id and \(table.version) = done.version and \(table.isOpen) returning r.id
            """
        return try await pool.write(.rows(closing) { try $0.decode(Int64.self) })
    }

    /// Closes rows that need no action. Returns the number of closed rows. A row that is closed already keeps its state.
    public func discard(_ ids: [Int64], in table: RefusedTable) async throws -> Int {
        try await pool.write(
            """
            update \(table.name) r set state = 'discarded', acted_at = tidings.clock() where r.id = any(\(ids)) and \(table.isOpen)
            """
        ).affectedRows
    }
}
