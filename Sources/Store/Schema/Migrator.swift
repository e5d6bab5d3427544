import TidingsCore
package import TidingsPostgres

/// Brings a database's schema to the version that this binary needs, creates the parts of its modules, gives the roles their rights, and
/// lists what it would do.
///
/// Two concurrent migrators wait for each other. Each step takes an advisory lock in its own transaction, and then checks again whether the
/// step is missing. The rights do the same.
public struct Migrator: Sendable {
    private let configuration: PostgresConfiguration
    /// The limit for one step, which may rewrite or index a large table. An operator must decide to wait longer.
    private static let deadline = Duration.seconds(3_600)
    /// How long a step waits for the lock of a table that other sessions use. Later sessions queue behind this wait, so the step then
    /// releases its place and lets them pass.
    ///
    /// The wait is longer than PostgreSQL's own `deadlock_timeout` of 1 s. After that time an autovacuum gives way to a session that waits
    /// for its table.
    private static let lockPatience = Duration.milliseconds(1_200)
    /// The pause before the step asks for the table again.
    private static let pause = Duration.seconds(2)
    /// How often a step asks for a table, for some minutes in all. After that an operator must end the session that uses the table.
    private static let turns = 120

    private let steps: [Migration]
    private let parts: [SchemaPart]

    /// - Parameters:
    ///   - parts: the parts of the modules of this binary.
    ///   - steps: the steps in the order of their numbers. Tests add a step to those of the binary.
    package init(_ configuration: PostgresConfiguration, parts: [SchemaPart], steps: [Migration] = Migration.all) {
        self.configuration = configuration
        self.parts = parts
        self.steps = steps
    }

    /// The number of the newest applied step. 0 for an empty database.
    public func version() async throws -> Int {
        try await connected { try await Self.version($0) }
    }

    /// The steps, parts and rights that ``migrate(say:)`` would add.
    ///
    /// A step may add the tables that a part lacks. So a plan with steps names only the parts of which every table is missing. Without steps
    /// the plan throws ``StoreError/partIncomplete(module:missing:present:)``, as the migration does.
    public func plan() async throws -> MigrationPlan {
        try await connected { connection in
            try await Self.refuseUnsuitableServer(connection)
            let statements = try await SchemaCreation.statements(on: connection)
            // A user who does not own the schema may not ask for its version. The baseline is missing then.
            let version = statements.isEmpty ? try await Self.version(connection) : 0
            try StoreError.refuseSchemaBeforeBaseline(version)
            let pending = steps.filter { $0.number > version }
            let lacked = try await version > latest ? [] : lackedParts(on: connection)
            if pending.isEmpty { try lacked.refuseIncomplete() }
            return MigrationPlan(
                version: version, creationStatements: statements, steps: pending, parts: lacked.creatable,
                missing: try await MissingRights(with: parts) { try await connection.query($0) })
        }
    }

    /// Applies the missing steps and parts, gives the missing rights, and fills the tables that mirror the binary's own lists.
    ///
    /// Changes nothing in a database that a newer binary migrated, because the lists in it come from the newer binary. Throws
    /// ``StoreError/unsuitableServer(_:)`` before any change if an assumption about PostgreSQL does not hold, and
    /// ``StoreError/mayNotCreateSchemas(statements:)`` if the user lacks a right to create the schemas. A step that fails changes nothing.
    ///
    /// Throws ``StoreError/partIncomplete(module:missing:present:)`` if the database has only some tables of a part: before any change if no
    /// step is missing, else at the end. The processes that run then have the steps, their rights and the other parts.
    @discardableResult
    public func migrate(say: @Sendable (Migration) -> Void = { _ in }) async throws -> MigrationResult {
        try await connected { connection in
            try await Self.refuseUnsuitableServer(connection)
            let statements = try await SchemaCreation.statements(on: connection)
            guard statements.isEmpty else { throw StoreError.mayNotCreateSchemas(statements: statements) }
            // Take the lock first, in the same transaction: two sessions could create the same object at once. Not "if not exists", which
            // needs the right to create even if the schema is there.
            try await connection.execute(
                script: """
                    \(Self.terms);
                    select pg_advisory_xact_lock(hashtextextended('tidings.migrations', 0));
                    do $$ begin
                        if to_regnamespace('tidings') is null then create schema tidings; end if;
                        if to_regclass('tidings.migrations') is null then
                            create table tidings.migrations
                                (number integer primary key, name text not null, applied_at timestamptz not null default now(),
                                    oldest_binary_schema integer);
                        end if;
                    end $$
                    """, deadline: Self.deadline)
            let found = try await Self.version(connection)
            try StoreError.refuseSchemaBeforeBaseline(found)
            guard found <= latest else { return MigrationResult(version: found) }
            if found == latest { try await lackedParts(on: connection).refuseIncomplete() }
            var applied: [Migration] = []
            for migration in steps {
                let isNew = try await retrying("\(migration.number) \(migration.name)") { try await apply(migration, on: connection) }
                guard isNew else { continue }
                say(migration)
                applied.append(migration)
            }
            let lacked = try await createParts(on: connection)
            try await writeReasonCodes(on: connection)
            let incomplete = Set(lacked.filter { !$0.isAbsent }.map(\.part.module))
            let rights = try await giveRights(
                with: parts.filter { !incomplete.contains($0.module) }, unlessAll: true, on: connection)
            try lacked.refuseIncomplete()
            return MigrationResult(
                version: latest, steps: applied, parts: lacked.creatable, hasGranted: rights.hasGranted, missing: rights.missing)
        }
    }

    /// Gives the roles their rights again, and creates roles that are missing. Returns the rights that this user could not give.
    ///
    /// Throws a ``StoreError`` unless the database has exactly the schema of this binary, with the parts of its modules.
    public func grant() async throws -> MissingRights {
        try await connected { connection in
            let found = try await Self.version(connection)
            try StoreError.refuseSchemaBeforeBaseline(found)
            guard found >= latest else { throw StoreError.schemaTooOld(found: found, needed: latest) }
            guard found == latest else { throw StoreError.rightsOfNewerSchema(found: found, known: latest) }
            if let lacked = try await lackedParts(on: connection).first { throw lacked.error }
            return try await giveRights(with: parts, unlessAll: false, on: connection).missing
        }
    }

    private var latest: Int { steps.last?.number ?? 0 }

    private func lackedParts(on connection: PostgresConnection) async throws -> [LackedPart] {
        try await LackedPart.all(of: parts) { try await connection.query($0) }
    }

    /// Runs the script of the rights in one transaction. With `unlessAll` only if a right is missing: the script would make the server plan
    /// every statement anew.
    private func giveRights(
        with parts: [SchemaPart], unlessAll: Bool, on connection: PostgresConnection
    ) async throws -> (hasGranted: Bool, missing: MissingRights) {
        try await retrying("of the rights") {
            try await transaction(on: connection) {
                let before = try await MissingRights(with: parts) { try await connection.query($0) }
                if unlessAll, before.isEmpty, !before.ownerLacksApp { return (false, before) }
                try await connection.execute(script: Grants.script(with: parts), deadline: Self.deadline)
                let after = try await MissingRights(with: parts) { try await connection.query($0) }
                return (after != before, after)
            }
        }
    }

    private static func refuseUnsuitableServer(_ connection: PostgresConnection) async throws {
        let faults = try await ServerProperties { try await connection.query($0) }.faults
        if !faults.isEmpty { throw StoreError.unsuitableServer(faults) }
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

    /// Runs `body` again as long as it does not get the lock of a table.
    private func retrying<Result: Sendable>(_ step: String, _ body: () async throws -> Result) async throws -> Result {
        for _ in 0..<Self.turns {
            do {
                return try await body()
            } catch let error as PostgresError where error.sqlState == Self.lockNotAvailable {
                // PostgreSQL sends no signal when a table is free, so poll. Cancelling the command ends the sleep.
                try await Task.sleep(for: Self.pause)
            }
        }
        throw StoreError.tableInUse(step: step)
    }

    /// The settings of every transaction here. The deadline of this type replaces any timeout of the role or the database. If the command
    /// is killed, the server notices within a second, instead of building an index to its end in vain.
    private static let terms = "set local statement_timeout = 0; set local client_connection_check_interval = '1s'"

    /// SQLSTATE `lock_not_available`.
    private static let lockNotAvailable = "55P03"

    /// Returns false if the step had been applied already.
    private func apply(_ migration: Migration, on connection: PostgresConnection) async throws -> Bool {
        try await transaction(on: connection) {
            if try await Self.version(connection) >= migration.number { return false }
            try await connection.execute(script: migration.sql, deadline: Self.deadline)
            try await Self.record(migration, on: connection)
            return true
        }
    }

    /// Creates the parts of which every table is missing. Returns the parts of which the database lacked tables.
    private func createParts(on connection: PostgresConnection) async throws -> [LackedPart] {
        try await retrying("of the modules") {
            try await transaction(on: connection) {
                let lacked = try await lackedParts(on: connection)
                for part in lacked.creatable { try await connection.execute(script: part.creation, deadline: Self.deadline) }
                return lacked
            }
        }
    }

    /// Runs `body` in a transaction that no other migrator runs at the same time.
    private func transaction<Result: Sendable>(
        on connection: PostgresConnection, _ body: () async throws -> Result
    ) async throws -> Result {
        try await connection.execute(script: "begin; \(Self.terms)", deadline: Self.deadline)
        do {
            _ = try await connection.query(
                "select pg_advisory_xact_lock(hashtextextended('tidings.migrations', 0))", deadline: Self.deadline)
            try await connection.execute(
                script: "set local lock_timeout = \(Int(Self.lockPatience / .milliseconds(1)))", deadline: Self.deadline)
            let result = try await body()
            try await connection.execute(script: "commit", deadline: Self.deadline)
            return result
        } catch {
            try? await connection.execute(script: "rollback", deadline: .seconds(5))
            throw error
        }
    }

    /// Records the step in its own transaction, so that no older binary can start between the step and its record.
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

    /// Copies the closed list of reasons from the code into its table. Every migration does this.
    private func writeReasonCodes(on connection: PostgresConnection) async throws {
        _ = try await connection.query(
            """
            insert into tidings.reason_codes (code, states, meaning, what_to_do, retryable, since)
            select code, string_to_array(states, ','), meaning, what_to_do, retryable, since
            from \(ReasonCode.allCases.relation("given", [
                Column("code", \.rawValue), Column("states") { $0.states.map(\.rawValue).sorted().joined(separator: ",") },
                Column("meaning", \.meaning), Column("what_to_do", \.whatToDo), Column("retryable", \.isRetryable),
                Column("since", \.since),
            ]))
            on conflict (code) do update set states = excluded.states, meaning = excluded.meaning, what_to_do = excluded.what_to_do,
                retryable = excluded.retryable, since = excluded.since
            """)
    }
}
