import Testing
import TidingsTestSupport

@testable import TidingsPostgres

/// Commits that wait for a synchronous standby. The setting belongs to a whole server, so the tests share a server of their own and run one
/// at a time.
@Suite(.standbyServer, .serialized) struct StandbyTests {
    /// Runs the body with a table `t` and a pool. Every commit waits until the body relaxes the server.
    private func withWaitingCommits(size: Int = 2, _ body: (StandbyServer, PostgresPool) async throws -> Void) async throws {
        let server = try #require(StandbyServer.shared)
        try await server.relax()
        let pool = PostgresPool(server.configuration, size: size, name: "test", acquireTimeout: .seconds(20).patient)
        try await pool.withConnection { try await $0.execute(script: "drop table if exists t; create table t (n int primary key)") }
        try await server.demandStandby()
        try await body(server, pool)
        try await server.relax()
        await pool.close()
    }

    /// PostgreSQL answers a cancelled wait with a warning and then with COMMIT.
    @Test func aCancelledWaitIsNoCommit() async throws {
        try await withWaitingCommits { server, pool in
            let runs = Counter()
            let commit = Task {
                try await failure {
                    try await pool.transaction { transaction in
                        runs.increment()
                        _ = try await transaction.query("insert into t values (1)")
                    }
                }
            }
            let process = try await server.waiting { $0.count == 1 }[0]
            try await server.read("select pg_cancel_backend(\(process))")
            let error = try await commit.value
            #expect(error.kind == .notReplicated && error.isAmbiguousCommit, "\(error)")
            #expect(error.retryability == .retry)
            #expect(runs.value == 1)
        }
    }

    /// A statement outside of a transaction commits by itself, and so does a pipeline.
    @Test(arguments: [false, true]) func aCancelledWaitOfASingleStatementIsNoCommit(isPipeline: Bool) async throws {
        try await withWaitingCommits { server, pool in
            let insert: SQL = "insert into t values (1)"
            let write = Task {
                try await failure { () async throws -> [PostgresResult] in
                    isPipeline ? try await pool.pipeline([insert, "select 1"]) : [try await pool.query(insert)]
                }
            }
            let process = try await server.waiting { $0.count == 1 }[0]
            try await server.read("select pg_cancel_backend(\(process))")
            let error = try await write.value
            #expect(error.kind == .notReplicated && error.isAmbiguousCommit, "\(error)")
            // The session is in order: the warning is not taken for one of the next statement.
            #expect(try await pool.query("select count(*) from t").rows[0].decode(Int.self) == 1)
        }
    }

    /// The repetition finds its row and writes nothing. PostgreSQL would not let it wait, although its row is on no standby.
    @Test(arguments: ["pg_cancel_backend", "pg_terminate_backend"])
    func aRepetitionAfterAnAmbiguousCommitWaitsToo(end: String) async throws {
        try await withWaitingCommits { server, pool in
            let (runs, ended) = (Counter(), Counter())
            let commit = Task {
                try await pool.transaction(retryAmbiguous: true) { transaction in
                    runs.increment()
                    _ = try await transaction.query("insert into t values (1) on conflict do nothing")
                }
                ended.increment()
            }
            let process = try await server.waiting { $0.count == 1 }[0]
            try await server.read("select \(unsafe: end)(\(process))")
            try await server.waiting { runs.value == 2 && ($0.count == 1 || ended.value == 1) }
            #expect(try await server.read("select count(*) from t").rows[0].decode(Int.self) == 1)
            #expect(ended.value == 0)
            try await server.relax()
            try await commit.value
            #expect(runs.value == 2)
        }
    }

    /// Another process may have made the earlier commit, and have ended before a standby had it.
    @Test func anAnswerForEarlierWorkWaits() async throws {
        let server = try #require(StandbyServer.shared)
        try await server.relax()
        let pool = PostgresPool(server.configuration, size: 2, name: "test")
        try await pool.withConnection {
            try await $0.execute(script: "drop table if exists t; create table t (n int primary key); insert into t values (1)")
        }
        let again: SQL = "insert into t values (1) on conflict do nothing"
        #expect(try await server.holdsUp { try await pool.transaction(retryAmbiguous: true) { _ = try await $0.query(again) } })
        #expect(try await server.holdsUp { _ = try await pool.pipeline([again], asProof: true) })
        #expect(try await server.holdsUp { _ = try await pool.write(again) })
        // Reading is no answer for earlier work.
        let read: SQL = "select count(*) from t"
        #expect(try await !server.holdsUp { _ = try await pool.pipeline([read]) })
        #expect(try await !server.holdsUp { try await pool.transaction { _ = try await $0.query(read) } })
        await pool.close()
    }

    /// Every caller is told at its deadline and tries again. The server has one session for each connection of the pool all the same, and
    /// one of the look.
    @Test func sessionsDoNotPileUp() async throws {
        let server = try #require(StandbyServer.shared)
        try await server.relax()
        let before = try await server.sessions()
        var configuration = server.configuration
        configuration.statementTimeout = .milliseconds(100)
        let pool = PostgresPool(configuration, size: 3, name: "test", acquireTimeout: .seconds(1))
        try await pool.withConnection { try await $0.execute(script: "drop table if exists t; create table t (n int)") }
        try await server.demandStandby()
        let most = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<12 {
                group.addTask {
                    for _ in 0..<2 {
                        let error = try await failure {
                            try await pool.transaction { try await $0.query("insert into t values (\(number))") }
                        }
                        #expect(error.retryability != .permanent, "\(error)")
                    }
                    return try await server.sessions()
                }
            }
            return try await group.reduce(0) { max($0, $1) }
        }
        #expect(most - before <= pool.size + 1, "\(most) sessions, \(before) before")
        let error = try await failure { try await pool.query("select 1") }
        #expect(error.kind == .poolExhausted && error.message.contains("wait for a standby"), "\(error.debugDescription)")
        // All sessions are free again when the standby is there.
        try await server.relax()
        for number in 0..<5 {
            let deadline = ContinuousClock.now + .seconds(20).patient
            while (try? await pool.write("insert into t values (\(100 + number))")) == nil {
                guard ContinuousClock.now < deadline else { throw error }
            }
        }
        await pool.close()
    }

    /// A role or a database may hide warnings, and one of them says that the commit was not replicated.
    @Test func aHiddenWarningIsAskedFor() async throws {
        try await withWaitingCommits(size: 1) { server, pool in
            _ = try await pool.query("set client_min_messages = 'error'")
            let commit = Task {
                try await failure { try await pool.transaction { try await $0.query("insert into t values (1)") } }
            }
            let process = try await server.waiting { $0.count == 1 }[0]
            try await server.read("select pg_cancel_backend(\(process))")
            #expect(try await commit.value.kind == .notReplicated)
        }
    }
}

/// Starts the server before the first test of a suite, and stops it after the last one.
struct StandbyServerTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await StandbyServer.with { server in try await StandbyServer.$shared.withValue(server) { try await function() } }
    }
}

extension StandbyServer {
    /// The server of the suite. Nil outside of it.
    @TaskLocal static var shared: StandbyServer?
}

extension Trait where Self == StandbyServerTrait {
    static var standbyServer: Self { Self() }
}
