public import TidingsCore
public import TidingsJSON
import TidingsPostgres

/// Pauses: one row each. A row is kept after its end for as long as notifications are, so that anybody can see earlier pauses and their
/// reasons. A row of `tidings.due` names the pause that holds its delivery. The beginning and the end of a pause rewrite no rows of
/// `tidings.due`.
extension Store.Pausing {
    /// Pauses a channel, provider, type or tenant. If the target is paused already, its pause gets the new reason and end.
    ///
    /// - Parameter duration: The length of the pause from the database's present time. Nil: the pause lasts until an operator resumes it.
    /// - Returns: The row of `tidings_ops.pauses`. Nil if ``Pauses/limit`` other pauses are in force already.
    public func pause(_ scope: Pause.Scope, _ name: String, reason: String, by author: String, for duration: Duration?) async throws
        -> JSON?
    {
        let until = duration.map { Double($0 / .seconds(1)) }
        let pausing: SQL = """
            insert into tidings.pauses as p (scope, name, reason, paused_by, since, until)
            select \(scope.rawValue), \(name), \(reason), \(author), tidings.clock(), tidings.clock() + make_interval(secs => \(until))
            where (select count(*) from tidings.pauses p where \(Self.inForce) and (p.scope, p.name) <> (\(scope.rawValue), \(name)))
                < \(Int64(Pauses.limit))
            on conflict (scope, name) where resumed_at is null do update set reason = excluded.reason, paused_by = excluded.paused_by,
                since = case when \(Self.inForce) then p.since else excluded.since end, until = excluded.until
            returning id
            """
        let id = try await pool.write(.first(pausing) { try $0.decode(Int64.self) })
        guard let id else { return nil }
        return try await pauseRow(id)
    }

    /// Ends a pause. Returns its row, with the number of deliveries that go on now. Nil if the target is not paused.
    public func resume(_ scope: Pause.Scope, _ name: String, by author: String) async throws -> JSON? {
        // The same statement counts, because a releaser takes the deliveries as soon as it is committed.
        let resuming: SQL = """
            update tidings.pauses p set resumed_at = (select tidings.clock()), resumed_by = \(author)
            where scope = \(scope.rawValue) and name = \(name) and \(Self.inForce)
            returning id, (select count(*) from tidings.due w where w.pause_id = p.id)
            """
        let resumed = try await pool.write(.first(resuming) { try $0.decode((Int64, Int64).self) })
        guard let (id, deliveries) = resumed else { return nil }
        return try await store.report(
            """
            select pause_id, scope, target, reason, paused_by, since_at, until_at, state, ended_at, resumed_by, \(deliveries)::int8 as deliveries
            from tidings_ops.pauses p where p.pause_id = \(id)
            """
        ).first
    }

    /// The pauses in force, the newest first.
    public func list(limit: Int = Pauses.limit) async throws -> [JSON] {
        try await store.report(
            """
            select pause_id, scope, target, reason, paused_by, since_at, until_at, deliveries
            from tidings_ops.pauses p where p.state = 'paused' order by p.since_at desc, p.pause_id limit \(Int64(limit))
            """)
    }

    /// All pauses that retention still keeps, in force or over, the newest first.
    public func listWithPast(limit: Int) async throws -> [JSON] {
        try await store.report("select * from tidings_ops.pauses p order by p.since_at desc, p.pause_id limit \(Int64(limit))")
    }

    private func pauseRow(_ id: Int64) async throws -> JSON? {
        try await store.report("select * from tidings_ops.pauses p where p.pause_id = \(id)").first
    }

    /// Deletes pauses that ended before the retention began.
    public func prune(retention: Duration) async throws {
        _ = try await pool.query(
            """
            delete from tidings.pauses where coalesce(resumed_at, until)
                < (select tidings.clock()) - make_interval(secs => \(Double(retention.components.seconds)))
            """)
    }

    /// The condition that a row `p` of `tidings.pauses` is in force.
    static let inForce: SQL = "p.resumed_at is null and (p.until is null or p.until > (select tidings.clock()))"

    /// The pauses in force, with the columns that ``TidingsCore/Pauses/init(_:from:)`` reads.
    static let pausesQuery: SQL = """
        select p.id, p.scope, p.name, p.until from tidings.pauses p where \(inForce) order by p.id limit \(Int64(Pauses.limit))
        """

    /// The pauses in force.
    static let pausesInForce = Statement(pausesQuery) { try Pauses($0.rows) }
}

extension Pauses {
    /// Reads the columns of ``TidingsStore/Store/Pausing/pausesQuery`` by name. Rows without an id, and rows with a scope that only a later
    /// schema knows, are left out.
    init(_ rows: PostgresRows) throws {
        self.init(
            try rows.compactMap { row in
                guard let id = try row.decode("id", as: Int?.self),
                    let scope = try row.decode("scope", as: String?.self).flatMap(Pause.Scope.init(rawValue:)),
                    let name = try row.decode("name", as: String?.self)
                else { return nil }
                return Pause(id: id, scope: scope, name: name, until: try row.decode("until"))
            })
    }
}
