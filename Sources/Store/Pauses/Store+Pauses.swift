public import TidingsCore
public import TidingsJSON
import TidingsPostgres

/// Pauses: a row each, kept after it is over for as long as notifications are, so that anybody can see what was paused when, and why. What a
/// pause holds names it in `tidings.due`; nothing is rewritten when it begins or ends.
extension Store {
    /// Pauses a thing, or gives the pause in force another reason and end. Returns its row of `tidings_ops.pauses`; nil when
    /// ``Pauses/limit`` are in force already.
    ///
    /// `until` counts from the database's present time; nil: until somebody resumes it.
    public func pause(_ scope: Pause.Scope, _ name: String, reason: String, by author: String, for duration: Duration?) async throws
        -> JSON?
    {
        let until = duration.map { Double($0 / .seconds(1)) }
        let result = try await pool.query(
            """
            insert into tidings.pauses as p (scope, name, reason, paused_by, since, until)
            select \(scope.rawValue), \(name), \(reason), \(author), tidings.clock(), tidings.clock() + make_interval(secs => \(until))
            where (select count(*) from tidings.pauses p where \(Self.inForce) and (p.scope, p.name) <> (\(scope.rawValue), \(name)))
                < \(Int64(Pauses.limit))
            on conflict (scope, name) where resumed_at is null do update set reason = excluded.reason, paused_by = excluded.paused_by,
                since = case when \(Self.inForce) then p.since else excluded.since end, until = excluded.until
            returning id
            """)
        guard let row = result.rows.first else { return nil }
        return try await pauseRow(try row.decode(Int64.self))
    }

    /// Ends a pause. Returns its row, with how many deliveries go on now; nil when the thing is not paused.
    public func resume(_ scope: Pause.Scope, _ name: String, by author: String) async throws -> JSON? {
        let result = try await pool.query(
            """
            update tidings.pauses p set resumed_at = (select tidings.clock()), resumed_by = \(author)
            where scope = \(scope.rawValue) and name = \(name) and \(Self.inForce) returning id
            """)
        guard let row = result.rows.first else { return nil }
        return try await pauseRow(try row.decode(Int64.self))
    }

    /// What is paused, the newest first.
    public func pauses(limit: Int = Pauses.limit) async throws -> [JSON] {
        try await report(
            """
            select pause_id, scope, target, reason, paused_by, since_at, until_at, deliveries
            from tidings_ops.pauses p where p.state = 'paused' order by p.since_at desc, p.pause_id limit \(Int64(limit))
            """)
    }

    /// Also those that have ended, down to the retention.
    public func pausesAndPast(limit: Int) async throws -> [JSON] {
        try await report("select * from tidings_ops.pauses p order by p.since_at desc, p.pause_id limit \(Int64(limit))")
    }

    private func pauseRow(_ id: Int64) async throws -> JSON? {
        try await report("select * from tidings_ops.pauses p where p.pause_id = \(id)").first
    }

    /// Forgets pauses that were over before the retention began.
    public func prunePauses(retention: Duration) async throws {
        _ = try await pool.query(
            """
            delete from tidings.pauses where coalesce(resumed_at, until)
                < (select tidings.clock()) - make_interval(secs => \(Double(retention.components.seconds)))
            """)
    }

    /// The condition that a row `p` of `tidings.pauses` still holds what it names.
    static let inForce: SQL = "p.resumed_at is null and (p.until is null or p.until > (select tidings.clock()))"

    /// The pauses in force, as ``TidingsCore/Pauses/init(_:)`` reads them.
    static let pausesQuery: SQL = """
        select p.id, p.scope, p.name, p.until from tidings.pauses p where \(inForce) order by p.id limit \(Int64(Pauses.limit))
        """
}

extension Pauses {
    /// Reads the columns of ``TidingsStore/Store/pausesQuery`` by name. Rows without an id, and rows with a scope that only a later schema
    /// knows, are left out.
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
