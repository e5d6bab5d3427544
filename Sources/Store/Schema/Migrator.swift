import TidingsCore
public import TidingsPostgres

/// Brings a database's schema to what this binary needs, and says what it would do.
///
/// Two migrators started at once wait for each other: each step takes an advisory lock in its own transaction and looks again whether the
/// step is still missing.
public struct Migrator: Sendable {
    private let configuration: PostgresConfiguration
    /// A step may rewrite or index a large table; waiting longer than this for it is an operator's decision, not ours.
    private static let deadline = Duration.seconds(3_600)
    /// How long a step waits for a table that others use. Whoever comes after it waits behind it, so then it lets them pass. Longer than PostgreSQL's
    /// own `deadlock_timeout` of 1 s, after which a vacuum gives way to whoever waits for it.
    private static let lockPatience = Duration.milliseconds(1_200)
    /// Before it asks for the table again.
    private static let pause = Duration.seconds(2)
    /// How often it asks: for some minutes, after which whoever uses the table is an operator's business.
    private static let turns = 120

    private let steps: [Migration]

    public init(_ configuration: PostgresConfiguration) {
        self.init(configuration, steps: Migration.all)
    }

    /// - Parameter steps: in the order of their numbers; tests add one to those of the binary.
    package init(_ configuration: PostgresConfiguration, steps: [Migration]) {
        self.configuration = configuration
        self.steps = steps
    }

    /// The number of the newest applied step; 0 for an empty database.
    public func version() async throws -> Int {
        try await connected { try await Self.version($0) }
    }

    /// The steps that ``migrate(say:)`` would apply.
    public func plan() async throws -> [Migration] {
        let version = try await version()
        try StoreError.refuseSchemaBeforeBaseline(version)
        return steps.filter { $0.number > version }
    }

    /// Applies what is missing and fills the tables that mirror the binary's own lists. Returns the steps it applied.
    ///
    /// Changes nothing in a database that a newer binary migrated: the lists there are the newer binary's.
    @discardableResult
    public func migrate(say: @Sendable (Migration) -> Void = { _ in }) async throws -> [Migration] {
        try await connected { connection in
            // One transaction behind the lock: "if not exists" alone fails when two sessions create the same thing at once.
            try await connection.execute(
                script: """
                    \(Self.terms);
                    select pg_advisory_xact_lock(hashtextextended('tidings.migrations', 0));
                    create schema if not exists tidings;
                    create table if not exists tidings.migrations
                        (number integer primary key, name text not null, applied_at timestamptz not null default now(),
                            oldest_binary_schema integer)
                    """, deadline: Self.deadline)
            let found = try await Self.version(connection)
            try StoreError.refuseSchemaBeforeBaseline(found)
            guard found <= steps.last?.number ?? 0 else { return [] }
            var applied: [Migration] = []
            for migration in steps where try await applyPatiently(migration, on: connection) {
                say(migration)
                applied.append(migration)
            }
            try await writeReasonCodes(on: connection)
            return applied
        }
    }

    private func connected<Result: Sendable>(_ body: (PostgresConnection) async throws -> Result) async throws -> Result {
        let connection = try await PostgresConnection.connect(configuration)
        do {
            let result = try await body(connection)
            await connection.close()
            return result
        } catch {
            await connection.close()
            throw error
        }
    }

    /// False when it had been applied.
    private func applyPatiently(_ migration: Migration, on connection: PostgresConnection) async throws -> Bool {
        for _ in 0..<Self.turns {
            do {
                return try await apply(migration, on: connection)
            } catch let error as PostgresError where error.sqlState == Self.lockNotAvailable {
                // Nothing signals that a table is free. Cancelled with the command.
                try await Task.sleep(for: Self.pause)
            }
        }
        throw StoreError.tableInUse(step: "\(migration.number) \(migration.name)")
    }

    /// What all statements run under. The deadline is ours, whatever a role or a database has been given; and a server whose command was killed
    /// notices within a second, instead of building an index to its end for nobody.
    private static let terms = "set local statement_timeout = 0; set local client_connection_check_interval = '1s'"

    /// SQLSTATE `lock_not_available`.
    private static let lockNotAvailable = "55P03"

    private func apply(_ migration: Migration, on connection: PostgresConnection) async throws -> Bool {
        try await connection.execute(script: "begin; \(Self.terms)", deadline: Self.deadline)
        do {
            _ = try await connection.query(
                "select pg_advisory_xact_lock(hashtextextended('tidings.migrations', 0))", deadline: Self.deadline)
            if try await Self.version(connection) >= migration.number {
                try await connection.execute(script: "rollback", deadline: Self.deadline)
                return false
            }
            try await connection.execute(
                script: "set local lock_timeout = \(Int(Self.lockPatience / .milliseconds(1)))", deadline: Self.deadline)
            try await connection.execute(script: migration.sql, deadline: Self.deadline)
            try await Self.record(migration, on: connection)
            try await connection.execute(script: "commit", deadline: Self.deadline)
            return true
        } catch {
            try? await connection.execute(script: "rollback", deadline: .seconds(5))
            throw error
        }
    }

    /// In the step's own transaction, so that no older binary starts between the step and its record.
    private static func record(_ migration: Migration, on connection: PostgresConnection) async throws {
        _ = try await connection.query(
            """
            insert into tidings.migrations (number, name, oldest_binary_schema)
            values (\(migration.number), \(migration.name), \(migration.oldestBinarySchema.map(Int32.init(clamping:))))
            """)
    }

    static func version(_ connection: PostgresConnection) async throws -> Int {
        let exists = try await connection.query("select to_regclass('tidings.migrations') is not null")
        guard let row = exists.rows.first, try row.decode(Bool.self) else { return 0 }
        let newest = try await connection.query("select coalesce(max(number), 0)::bigint from tidings.migrations")
        return try newest.rows.first?.decode(Int.self) ?? 0
    }

    /// The closed list of reasons lives in the code; the table is its copy, written at every migration.
    private func writeReasonCodes(on connection: PostgresConnection) async throws {
        let codes = ReasonCode.allCases
        _ = try await connection.query(
            """
            insert into tidings.reason_codes (code, states, meaning, what_to_do, retryable, since)
            select code, string_to_array(states, ','), meaning, what_to_do, retryable, since
            from unnest(\(codes.map(\.rawValue)), \(codes.map { $0.states.map(\.rawValue).sorted().joined(separator: ",") }),
                \(codes.map(\.meaning)), \(codes.map(\.whatToDo)), \(codes.map(\.isRetryable)), \(codes.map(\.since)))
                as given(code, states, meaning, what_to_do, retryable, since)
            on conflict (code) do update set states = excluded.states, meaning = excluded.meaning, what_to_do = excluded.what_to_do,
                retryable = excluded.retryable, since = excluded.since
            """)
    }
}
