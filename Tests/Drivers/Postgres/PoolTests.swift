import Synchronization
import Testing
import TidingsPostgres
import TidingsTestSupport

/// Runs `body` with a pool on a new database.
func withPool<R>(size: Int, acquireTimeout: Duration = .seconds(10).patient, _ body: (PostgresPool) async throws -> R) async throws -> R {
    try await withDatabase { configuration in
        let pool = PostgresPool(configuration, size: size, name: "test", acquireTimeout: acquireTimeout)
        let value = try await body(pool)
        await pool.close()
        return value
    }
}

struct PoolTests {
    @Test func manyCallersShareFewConnections() async throws {
        try await withPool(size: 3) { pool in
            let processes = try await withThrowingTaskGroup(of: Int32.self) { group in
                for _ in 0..<200 { group.addTask { try await pool.query("select pg_backend_pid()").rows[0].decode(Int32.self) } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect((1...3).contains(processes.count))
        }
    }

    @Test func aCallerWithoutAConnectionWaitsUntilTheDeadline() async throws {
        try await withPool(size: 1, acquireTimeout: .seconds(3)) { pool in
            try await pool.withConnection { _ in
                let error = try await failure { try await pool.query("select 1") }
                #expect(error.kind == .poolExhausted)
                #expect(error.retryability == .backOff)
            }
            #expect(try await pool.query("select 1").rows.count == 1)
        }
    }

    /// After a failover a session may lead to a server that takes no writes. The next caller must get another session.
    @Test func aReadOnlySessionLeavesThePool() async throws {
        try await withPool(size: 1) { pool in
            _ = try await pool.query("create table written (n integer)")
            let process = try await pool.query("select pg_backend_pid()").rows[0].decode(Int32.self)
            _ = try await pool.query("set default_transaction_read_only = on")
            let error = try await failure { try await pool.query("insert into written values (1)") }
            #expect(error.sqlState == "25006" && error.retryability == .reconnect)
            _ = try await pool.query("insert into written values (2)")
            #expect(try await pool.query("select pg_backend_pid()").rows[0].decode(Int32.self) != process)
        }
    }

    /// The first session that proves read-only tells of its server. The other sessions lead to the same server.
    @Test func aReadOnlySessionTakesTheOthersWithIt() async throws {
        try await withPool(size: 3) { pool in
            _ = try await pool.query("create table written (n integer)")
            let old = try await Self.processes(of: pool, after: "set default_transaction_read_only = on")
            #expect(old.count == 3)
            #expect(try await failure { try await pool.query("insert into written values (1)") }.sqlState == "25006")
            #expect(try await Self.processes(of: pool, after: "insert into written values (2)").isDisjoint(with: old))
        }
    }

    /// Runs a statement on each connection of the pool, and returns their server processes.
    private static func processes(of pool: PostgresPool, after statement: SQL) async throws -> Set<Int32> {
        let rendezvous = Rendezvous(of: pool.size)
        return try await withThrowingTaskGroup(of: Int32.self) { group in
            for _ in 0..<pool.size {
                group.addTask {
                    try await pool.withConnection { connection in
                        await rendezvous.arrive()
                        _ = try await connection.query(statement)
                        return await connection.processID
                    }
                }
            }
            return try await group.reduce(into: []) { $0.insert($1) }
        }
    }

    /// The server reports the setting by itself. A session that only reads would otherwise stay.
    @Test func aSessionThatMustWriteLeavesAServerThatForbidsIt() async throws {
        try await withDatabase { configuration in
            var configuration = configuration
            configuration.needsWritableSession = true
            let connection = try await PostgresConnection.connect(configuration)
            _ = try await connection.query("set default_transaction_read_only = on")
            #expect(!connection.isUsable)
            let error = try await failure { try await connection.query("select 1") }
            #expect(error.isUnsent && error.sqlState == "25006")
        }
    }

    /// Statements of a full server fail alone and in transactions. The owner of the pool learns of each.
    @Test func aServerThatLacksSomethingIsTold() async throws {
        try await withDatabase { configuration in
            let told = Mutex<[String?]>([])
            let pool = PostgresPool(configuration, size: 1, name: "test") { event in
                if case .refused(let error) = event { told.withLock { $0.append(error.sqlState) } }
            }
            func fails(_ sqlState: String) -> SQL { "do $$ begin raise exception using errcode = '\(unsafe: sqlState)'; end $$" }
            _ = try await failure { try await pool.query(fails("53100")) }
            _ = try await failure { try await pool.transaction { try await $0.query(fails("53200")) } }
            _ = try await failure { try await pool.pipeline(["select 1", fails("58030")]) }
            _ = try await failure { try await pool.query(fails("23505")) }
            #expect(told.withLock { $0 } == ["53100", "53200", "58030"])
            await pool.close()
        }
    }

    @Test func aCancelledCallerStopsWaiting() async throws {
        try await withPool(size: 1) { pool in
            try await pool.withConnection { _ in
                let waiting = Task { try await pool.query("select 1") }
                waiting.cancel()
                let error = try await failure { try await waiting.value }
                #expect(error.kind == .cancelled)
            }
            #expect(try await pool.query("select 1").rows.count == 1)
        }
    }

    @Test func aTerminatedConnectionIsReplaced() async throws {
        try await withPool(size: 1) { pool in
            let error = try await failure { try await pool.query("select pg_terminate_backend(pg_backend_pid())") }
            #expect(error.sqlState == "57P01")
            for _ in 0..<3 { #expect(try await pool.query("select 1").rows.count == 1) }
        }
    }

    @Test func connectionsTerminatedWhileIdleAreNotSeenByCallers() async throws {
        try await withPool(size: 2) { pool in
            let rendezvous = Rendezvous(of: 2)
            async let one = pool.withConnection { connection in
                await rendezvous.arrive()
                return await connection.processID
            }
            async let two = pool.withConnection { connection in
                await rendezvous.arrive()
                return await connection.processID
            }
            let processes = try await [one, two]
            let limit = Patience.scaled(5_000)
            try await administer("select pg_terminate_backend(\(processes[0]), \(limit)), pg_terminate_backend(\(processes[1]), \(limit))")
            #expect(try await pool.query("select 1").rows.count == 1)
            #expect(try await pool.pipeline(["select 1", "select 2"]).count == 2)
        }
    }

    @Test func aPipelineIsATransactionWithItsSettings() async throws {
        try await withPool(size: 1) { pool in
            _ = try await pool.query("create table t (n int primary key)")
            let settings: SQL = "select current_setting('idle_in_transaction_session_timeout')"
            let answers = try await pool.pipeline(["insert into t values (1)", settings])
            #expect(answers.count == 2, "the answer to the setting is nobody's")
            #expect(try answers[1].rows[0].decode(String.self) == "1min")
            #expect(try await pool.query(settings).rows[0].decode(String.self) == "0")
            let error = await #expect(throws: PostgresError.self) {
                try await pool.pipeline(["insert into t values (2)", "insert into t values (1)"])
            }
            #expect(error?.sqlState == "23505" && error?.statementIndex == 1)
            // No part of a refused pipeline stays in the session and runs with the next statement.
            await #expect(throws: PostgresError.self) {
                try await pool.pipeline(Array(repeating: "select 1", count: PostgresConnection.pipelineLimit + 1))
            }
            #expect(try await pool.query(settings).rows[0].decode(String.self) == "0")
            #expect(try await pool.query("select count(*) from t").rows[0].decode(Int.self) == 1)
        }
    }

    @Test func anOpenTransactionIsRolledBackOnReturn() async throws {
        try await withPool(size: 1) { pool in
            _ = try await pool.query("create table t (n int)")
            try await pool.withConnection { connection in _ = try await connection.pipeline(["begin", "insert into t values (1)"]) }
            #expect(try await pool.query("select count(*) from t").rows[0].decode(Int.self) == 0)
            _ = try await failure {
                try await pool.withConnection { connection in try await connection.pipeline(["begin", "select 1/0"]) }
            }
            #expect(try await pool.query("select 1").rows.count == 1)
        }
    }

    @Test func aWrongDatabaseIsToldAtOnce() async throws {
        let pool = PostgresPool(try PostgresConfiguration(url: databaseURL("no_such_database")), size: 2, name: "test")
        let error = try await failure { try await pool.query("select 1") }
        #expect(error.sqlState == "3D000")
        await pool.close()
    }

    @Test func anUnreachableServerIsToldAfterTheDeadline() async throws {
        let port = try ListeningSocket().port
        let pool = PostgresPool(
            try PostgresConfiguration(url: "postgres://postgres@127.0.0.1:\(port)/postgres"), size: 2, name: "test",
            acquireTimeout: .seconds(3))
        let error = try await failure { try await pool.query("select 1") }
        #expect(error.kind == .connectFailed)
        await pool.close()
    }

    @Test func aClosedPoolRefuses() async throws {
        try await withPool(size: 1) { pool in
            _ = try await pool.query("select 1")
            await pool.close()
            #expect(try await failure { try await pool.query("select 1") }.kind == .poolClosed)
        }
    }
}
