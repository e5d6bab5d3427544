import TidingsPostgres

/// Idempotency keys of a day are moved together, in the order of keys, from the small table in which they are claimed into the large one.
extension Store {
    /// How long a key stays in the table that claims change.
    package static let keysStayRecent = Duration.seconds(86_400)
    /// Recent keys looked at in one step.
    package static let moveBatch: Int64 = 5_000

    /// One step of the move. Any releaser may take the next one, also after a crash, for each step notes in its own transaction how far it came.
    ///
    /// `waiting` until keys of a day are old enough; `copying` them, in the order of keys, so that many share each page they change; `copied`, and
    /// perhaps not yet seen by everybody; `deleting` what was copied.
    ///
    /// A claim looks for its key in the large table first. One that looked before the copy was committed must not find its key gone from the small
    /// table as well, or it would be first a second time. So between copying and deleting every claim under way is waited for, by a lock that claims
    /// exclude: who has it knows that they have ended, and that later ones, which take their snapshot after their lock, see the copies.
    ///
    /// A vacuum holds the table too, so beside one the lock is not asked for: claims would wait behind it in vain.
    ///
    /// - Returns: False when nothing is to be moved now, or another process is at it.
    /// - Throws: With SQLSTATE 55P03 when claims did not end within ``lockPatience``; the next step tries again.
    public func moveRecentKeys() async throws -> Bool {
        try await pool.transaction(retrying: 0, isolation: .readCommitted) { transaction in
            let state = try await transaction.pipeline([
                Self.byIndex, Self.asTheMover, "select phase, before, position from tidings.key_move for update skip locked",
            ])
            guard let row = state[2].rows.first else { return false }
            let (phase, before, position) = try row.decode((String, PostgresUUID, PostgresUUID).self)
            switch phase {
            case "waiting":
                return try await transaction.query(Self.startOfMove).affectedRows > 0
            case "copying":
                let last = try await transaction.query(Self.copy(before: before, after: position)).rows.first?.decode(PostgresUUID.self)
                _ = try await transaction.query(Self.noted(phase, at: last, next: "copied"))
            case "copied":
                guard try await transaction.query(Self.vacuums).rows.isEmpty else { return false }
                _ = try await transaction.pipeline([
                    Self.lockPatience, "lock table tidings.idempotency_recent in share mode", Self.noted(phase, at: nil, next: "deleting"),
                ])
            default:
                let last = try await transaction.query(Self.delete(before: before, after: position)).rows.first?.decode(PostgresUUID.self)
                _ = try await transaction.query(Self.noted(phase, at: last, next: "waiting"))
            }
            return true
        }
    }

    /// What routers of an earlier build, which claim keys in the large table, do not say: it refuses them.
    private static let asTheMover: SQL = "set local tidings.moves_keys = 'on'"

    /// Vacuums, analyzes and indexes being built hold this lock.
    private static let vacuums: SQL = """
        select from pg_locks where relation = 'tidings.idempotency_recent'::regclass and mode = 'ShareUpdateExclusiveLock' and granted
            and database = (select oid from pg_database where datname = current_database())
        """

    /// Keys are moved a day at a time, so the oldest of them are two days old. A clock that was ahead for a while does not count.
    private static var startOfMove: SQL {
        """
        update tidings.key_move set phase = 'copying', before = tidings.first_id(tidings.clock() - make_interval(secs => \(seconds)))
        where before < tidings.first_id(tidings.clock() - make_interval(secs => \(seconds * 2))) or before > tidings.first_id(tidings.clock())
        """
    }

    private static var seconds: Double { Double(keysStayRecent.components.seconds) }

    /// Answers the last key that was looked at, or nothing when there was none.
    private static func copy(before: PostgresUUID, after position: PostgresUUID) -> SQL {
        """
        with looked_at as materialized (
            select key, notification_id, content_hash from tidings.idempotency_recent where key > \(position) order by key limit \(moveBatch)
        ), copied as (
            insert into tidings.idempotency (key, notification_id, content_hash)
            select * from looked_at where notification_id < \(before) order by key on conflict do nothing
        )
        select key from looked_at order by key desc limit 1
        """
    }

    /// Of what was looked at, what the large table has. That is all, unless the clock was set back meanwhile and keys came that seem older.
    private static func delete(before: PostgresUUID, after position: PostgresUUID) -> SQL {
        """
        with looked_at as materialized (
            select key, notification_id, ctid as place from tidings.idempotency_recent where key > \(position) order by key limit \(moveBatch)
        ), deleted as (
            delete from tidings.idempotency_recent where ctid = any(array(
                select place from looked_at l where notification_id < \(before)
                    and (select copy.key from tidings.idempotency copy where copy.key = l.key) is not null))
        )
        select key from looked_at order by key desc limit 1
        """
    }

    /// The phase goes on after `last`, or is over.
    private static func noted(_ phase: String, at last: PostgresUUID?, next: String) -> SQL {
        "update tidings.key_move set phase = \(last == nil ? next : phase), position = \(last ?? firstKey)"
    }

    /// Before every key, which are hashes.
    private static let firstKey = PostgresUUID(high: 0, low: 0)
}
