import TidingsPostgres

extension Store {
    /// How long a key stays in the table in which keys are claimed.
    package static let keysStayRecent = Duration.seconds(86_400)
    /// Recent keys that one step looks at.
    package static let moveBatch: Int64 = 5_000
}

/// The move of idempotency keys: the keys of one day go together from the small table, in which they are claimed, into the large one. They
/// go in the order of the keys.
extension Store.Upkeep {
    /// Runs one step of the move. Each step records its progress in its own transaction, so any releaser may take the next step, also after
    /// a crash. The phases are:
    ///
    /// - `waiting`: until the keys of a day are old enough
    /// - `copying`: inserts them into the large table, in the order of keys, so that many keys share each page that changes
    /// - `copied`: all are in the large table, but a claim that began earlier may not see them yet
    /// - `deleting`: removes the copied keys from the small table
    ///
    /// A claim looks for its key in the large table first. Assume that it looked before the copy was committed. If its key is then gone
    /// from the small table too, the claim would succeed a second time. So between `copied` and `deleting` the move waits for all claims
    /// under way.
    ///
    /// For this wait the move takes a lock that excludes claims. Once the move has this lock, the earlier claims have ended. Later claims
    /// take their snapshot after their own lock, so they see the copies.
    ///
    /// A vacuum holds a lock on the table too. During a vacuum the move does not ask for its lock, because claims would wait behind it in
    /// vain.
    ///
    /// - Returns: False if there is nothing to move now, if another process is moving keys, or during a vacuum before `deleting`.
    /// - Throws: An error with SQLSTATE 55P03 if the claims did not end within ``lockPatience``. The next step tries again.
    public func moveRecentKeys() async throws -> Bool {
        try await pool.transaction(retrying: 0, isolation: .readCommitted) { transaction in
            var trip = RoundTrip(running: [Store.byIndex, Self.asTheMover])
            let state = trip.ask(
                .first("select phase, before, position from tidings.key_move for update skip locked") {
                    try $0.decode((String, PostgresUUID, PostgresUUID).self)
                })
            guard let (phase, before, position) = try await transaction.send(trip)[state] else { return false }
            switch phase {
            case "waiting":
                return try await transaction.query(.count(Self.startOfMove)) > 0
            case "copying":
                let last = try await transaction.query(.first(Self.copy(before: before, after: position), Self.key))
                _ = try await transaction.query(Self.noted(phase, at: last, next: "copied"))
            case "copied":
                if try await transaction.query(.exists(Self.vacuums)) { return false }
                try await transaction.send(
                    RoundTrip(running: [
                        Self.lockPatience, "lock table tidings.idempotency_recent in share mode",
                        Self.noted(phase, at: nil, next: "deleting"),
                    ]))
            default:
                let last = try await transaction.query(.first(Self.delete(before: before, after: position), Self.key))
                _ = try await transaction.query(Self.noted(phase, at: last, next: "waiting"))
            }
            return true
        }
    }

    private static func key(_ row: PostgresRow) throws -> PostgresUUID { try row.decode(PostgresUUID.self) }

    /// The setting that allows an insert into the large table. Routers of an earlier build claim keys there without this setting, and the
    /// table refuses them.
    private static let asTheMover: SQL = "set local tidings.moves_keys = 'on'"

    /// The sessions that hold the lock of a vacuum, of an analyze, or of an index build on the small table.
    private static let vacuums: SQL = """
        select from pg_locks where relation = 'tidings.idempotency_recent'::regclass and mode = 'ShareUpdateExclusiveLock' and granted
            and database = (select oid from pg_database where datname = current_database())
        """

    /// Starts the move of a day's keys, once the oldest of them are two days old. A `before` in the future comes from a clock that was
    /// ahead for a while, so it does not count.
    private static var startOfMove: SQL {
        """
        update tidings.key_move set phase = 'copying', before = tidings.first_id(tidings.clock() - make_interval(secs => \(seconds)))
        where before < tidings.first_id(tidings.clock() - make_interval(secs => \(seconds * 2))) or before > tidings.first_id(tidings.clock())
        """
    }

    private static var seconds: Double { Double(Store.keysStayRecent.components.seconds) }

    /// Copies old keys to the large table. Answers the last key that it looked at, or no row if there was none.
    private static func copy(before: PostgresUUID, after position: PostgresUUID) -> SQL {
        """
        with looked_at as materialized (
            select key, notification_id, content_hash from tidings.idempotency_recent where key > \(position) order by key limit \(Store.moveBatch)
        ), copied as (
            insert into tidings.idempotency (key, notification_id, content_hash)
            select * from looked_at where notification_id < \(before) order by key on conflict do nothing
        )
        select key from looked_at order by key desc limit 1
        """
    }

    /// Deletes old keys, but only those that the large table has. These are all of them, unless the clock was set back meanwhile and new
    /// keys seem older.
    private static func delete(before: PostgresUUID, after position: PostgresUUID) -> SQL {
        """
        with looked_at as materialized (
            select key, notification_id, ctid as place from tidings.idempotency_recent where key > \(position) order by key limit \(Store.moveBatch)
        ), deleted as (
            delete from tidings.idempotency_recent where ctid = any(array(
                select place from looked_at l where notification_id < \(before)
                    and (select copy.key from tidings.idempotency copy where copy.key = l.key) is not null))
        )
        select key from looked_at order by key desc limit 1
        """
    }

    /// Records the progress of a phase. The phase continues after `last`. If `last` is nil, the phase `next` begins.
    private static func noted(_ phase: String, at last: PostgresUUID?, next: String) -> SQL {
        "update tidings.key_move set phase = \(last == nil ? next : phase), position = \(last ?? firstKey)"
    }

    /// A value before every key. Keys are hashes.
    private static let firstKey = PostgresUUID(high: 0, low: 0)
}
