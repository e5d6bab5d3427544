import Testing

@testable import TidingsPostgres

struct TransactionTests {
    private struct Unrelated: Error {}

    @Test func theBodyOfATransactionIsCommittedOrRolledBack() async throws {
        try await withPool(size: 1) { pool in
            _ = try await pool.query("create table t (n int8)")
            let count = try await pool.transaction { connection in
                _ = try await connection.query("insert into t values (\(1))")
                return try await connection.query("select count(*) from t").rows[0].decode(Int.self)
            }
            #expect(count == 1)
            await #expect(throws: Unrelated.self) {
                try await pool.transaction { connection in
                    _ = try await connection.query("insert into t values (\(2))")
                    throw Unrelated()
                }
            }
            #expect(try await pool.query("select count(*) from t").rows[0].decode(Int.self) == 1)
        }
    }

    /// BEGIN travels with the first statement that is sent. A statement that is refused before it is sent leaves BEGIN to the next one.
    @Test func aRefusedStatementLeavesBeginToTheNext() async throws {
        try await withPool(size: 1) { pool in
            _ = try await pool.query("create table t (n int8)")
            try? await pool.transaction { transaction in
                await #expect(throws: PostgresError.self) { try await transaction.query("select \("a\0b")") }
                _ = try await transaction.query("insert into t values (\(1))")
                throw Unrelated()
            }
            #expect(try await pool.query("select count(*) from t").rows[0].decode(Int.self) == 0)
        }
    }

    @Test func statementsAtTheSameTimeAreOfOneTransaction() async throws {
        try await withPool(size: 1) { pool in
            let ids = try await pool.transaction { transaction in
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<20 { group.addTask { try await transaction.query("select txid_current()").rows[0].decode(Int.self) } }
                    return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
                }
            }
            #expect(ids.count == 1)
        }
    }

    @Test func aSerializationConflictRunsTheWholeTransactionAgain() async throws {
        try await withPool(size: 2) { pool in
            try await pool.withConnection { try await $0.execute(script: "create table t (n int8); insert into t values (0)") }
            let runs = Counter()
            try await pool.transaction(isolation: .repeatableRead) { connection in
                let seen = try await connection.query("select n from t").rows[0].decode(Int.self)
                if runs.increment() == 1 { _ = try await pool.query("update t set n = n + 10") }
                _ = try await connection.query("update t set n = \(seen + 1)")
            }
            #expect(runs.value == 2)
            #expect(try await pool.query("select n from t").rows[0].decode(Int.self) == 11)
        }
    }

    @Test func retriesEnd() async throws {
        try await withPool(size: 2) { pool in
            try await pool.withConnection { try await $0.execute(script: "create table t (n int8); insert into t values (0)") }
            let runs = Counter()
            let error = try await failure {
                try await pool.transaction(retrying: 2, isolation: .repeatableRead) { connection in
                    runs.increment()
                    _ = try await connection.query("select n from t")
                    _ = try await pool.query("update t set n = n + 1")
                    _ = try await connection.query("update t set n = 0")
                }
            }
            #expect(error.sqlState == "40001")
            #expect(runs.value == 3)
        }
    }

    @Test func aDeadlockIsResolved() async throws {
        try await withPool(size: 2) { pool in
            try await pool.withConnection {
                try await $0.execute(script: "create table t (id int8 primary key, n int8 default 0); insert into t values (1), (2)")
            }
            let runs = Counter()
            let bothHoldOne = Rendezvous(of: 2)
            @Sendable func lock(_ first: Int, _ second: Int) async throws {
                try await pool.transaction { connection in
                    runs.increment()
                    _ = try await connection.query("update t set n = n + 1 where id = \(first)")
                    await bothHoldOne.arrive()
                    _ = try await connection.query("update t set n = n + 1 where id = \(second)")
                }
            }
            async let one: Void = lock(1, 2)
            async let two: Void = lock(2, 1)
            _ = try await (one, two)
            #expect(runs.value >= 3)
            #expect(try await pool.query("select sum(n)::int8 from t").rows[0].decode(Int.self) == 4)
        }
    }

    @Test func aSessionLostBeforeCommitIsRunAgain() async throws {
        try await withPool(size: 1) { pool in
            _ = try await pool.query("create table t (n int8)")
            let runs = Counter()
            try await pool.transaction { connection in
                _ = try await connection.query("insert into t values (1)")
                if runs.increment() == 1 { _ = try await connection.query("select pg_terminate_backend(pg_backend_pid())") }
            }
            #expect(runs.value == 2)
            #expect(try await pool.query("select count(*) from t").rows[0].decode(Int.self) == 1)
        }
    }

    /// Prepares a deferred trigger that ends the session in the middle of the first COMMIT.
    private func prepareLossDuringCommit(_ pool: PostgresPool) async throws {
        try await pool.withConnection {
            try await $0.execute(
                script: """
                    create table t (n int8);
                    create sequence attempts;
                    create function lose() returns trigger language plpgsql as $$
                    begin
                        if nextval('attempts') = 1 then perform pg_terminate_backend(pg_backend_pid()); end if;
                        return null;
                    end $$;
                    create constraint trigger lose after insert on t deferrable initially deferred for each row execute function lose();
                    """)
        }
    }

    @Test func aSessionLostDuringCommitIsAmbiguous() async throws {
        try await withPool(size: 1) { pool in
            try await prepareLossDuringCommit(pool)
            let runs = Counter()
            let error = try await failure {
                try await pool.transaction { connection in
                    runs.increment()
                    _ = try await connection.query("insert into t values (1)")
                }
            }
            #expect(error.isAmbiguousCommit)
            #expect(error.sqlState == "57P01")
            #expect(runs.value == 1)
        }
    }

    @Test func anAmbiguousCommitIsRunAgainWhenTheBodyBearsIt() async throws {
        try await withPool(size: 1) { pool in
            try await prepareLossDuringCommit(pool)
            let runs = Counter()
            try await pool.transaction(retryAmbiguous: true) { connection in
                runs.increment()
                _ = try await connection.query("insert into t select 1 where not exists (select from t)")
            }
            #expect(runs.value == 2)
            #expect(try await pool.query("select count(*) from t").rows[0].decode(Int.self) == 1)
        }
    }

    @Test func aSwallowedErrorIsNotTakenForACommit() async throws {
        try await withPool(size: 1) { pool in
            let error = try await failure {
                try await pool.transaction { connection in
                    do { _ = try await connection.query("select 1/0") } catch {}
                }
            }
            #expect(error.kind == .rolledBack)
        }
    }

    /// The same with the commit as a proof, before which a statement of the pool's own goes.
    @Test func aSwallowedErrorIsNoProof() async throws {
        try await withPool(size: 1) { pool in
            let error = try await failure {
                try await pool.transaction(retryAmbiguous: true) { connection in
                    do { _ = try await connection.query("select 1/0") } catch {}
                }
            }
            #expect(error.kind == .rolledBack)
        }
    }

    /// Without synchronous standbys, and where the commit does not wait for them, a proof writes nothing.
    @Test func aProofWithoutAStandbyWritesNothing() async throws {
        try await withPool(size: 1) { pool in
            let writes: SQL = "select m.mark is not null from (\(PostgresPool.mark)) m(mark)"
            let isWritten = try await pool.query(writes).rows[0].decode(Bool.self)
            #expect(!isWritten)
            #expect(try await pool.pipeline(["select 1", "select 2"], asProof: true).count == 2)
            #expect(try await pool.write("select 3::int8").rows[0].decode(Int.self) == 3)
        }
    }

    @Test func theServerIsToldTheSettingsForThisTransactionOnly() async throws {
        try await withDatabase { configuration in
            var configuration = configuration
            configuration.statementTimeout = .milliseconds(1_234)
            let pool = PostgresPool(configuration, size: 1, name: "test")
            let settings: SQL = "select current_setting('statement_timeout') || ', jit ' || current_setting('jit')"
            let inside = try await pool.transaction { try await $0.query(settings).rows[0].decode(String.self) }
            #expect(inside == "1234ms, jit off")
            #expect(try await pool.query(settings).rows[0].decode(String.self) == "0, jit off")
            await pool.close()
        }
    }

    /// An acknowledgement follows a commit. The commit therefore waits for the disk, regardless of the settings of the role, the database
    /// and the server.
    @Test(arguments: [("off", "on"), ("remote_apply", "remote_apply")])
    func aCommitIsDurable(setting: String, inside: String) async throws {
        try await withPool(size: 1) { pool in
            _ = try await pool.query("select set_config('synchronous_commit', \(setting), false)")
            let asked: SQL = "select current_setting('synchronous_commit')"
            #expect(try await pool.transaction { try await $0.query(asked).rows[0].decode(String.self) } == inside)
            #expect(try await pool.pipeline([asked])[0].rows[0].decode(String.self) == inside)
            #expect(try await pool.query(asked).rows[0].decode(String.self) == setting, "it ends with the transaction")
        }
    }
}
