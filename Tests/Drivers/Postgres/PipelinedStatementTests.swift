import Testing
import TidingsPostgres

struct PipelinedStatementTests {
    @Test func resultsComeInTheOrderOfTheStatements() async throws {
        try await withConnection { connection in
            let results = try await connection.pipeline((0..<500).map { number -> SQL in "select \(number)" })
            #expect(try results.map { result in try result.rows[0].decode(Int.self) } == Array(0..<500))
            #expect(try await connection.pipeline([]).isEmpty)
        }
    }

    @Test func answersLargerThanTheSocketsBuffersDoNotStall() async throws {
        try await withConnection { connection in
            let big = String(repeating: "x", count: 1 << 20)
            let results = try await connection.pipeline((0..<40).map { _ -> SQL in "select \(big)" })
            #expect(results.count == 40)
            #expect(try results[39].rows[0].decode(String.self).utf8.count == 1 << 20)
        }
    }

    @Test func theFirstErrorIsThrownWithItsIndexAndNothingStays() async throws {
        try await withConnection { connection in
            try await connection.execute(script: "create table t (n int8 primary key)")
            let error = try await failure {
                try await connection.pipeline([
                    "insert into t values (\(1))", "insert into t values (\(2))", "insert into t values (\(1))", "select 1/0",
                ])
            }
            #expect(error.sqlState == "23505")
            #expect(error.constraint == "t_pkey")
            #expect(error.statementIndex == 2)
            #expect(!error.isAmbiguousCommit)
            #expect(try await connection.query("select count(*) from t").rows[0].decode(Int.self) == 0)
            #expect(try await connection.pipeline(["select 1", "select 2"]).count == 2)
        }
    }

    @Test func aTransactionTakesTwoRoundTrips() async throws {
        try await withConnection { connection in
            try await connection.execute(script: "create table t (n int8 primary key)")
            let first = try await connection.pipeline(["begin", "insert into t values (\(1)) returning n"])
            #expect(try first[1].rows[0].decode(Int.self) == 1)
            _ = try await connection.pipeline(["insert into t values (\(2))", "commit"])
            #expect(try await connection.query("select count(*) from t").rows[0].decode(Int.self) == 2)

            let failing: [SQL] = ["begin", "insert into t values (\(3))", "select 1/0", "commit"]
            let error = try await failure { try await connection.pipeline(failing) }
            #expect(error.sqlState == "22012")
            #expect(error.statementIndex == 2)
            _ = try await connection.query("rollback")
            #expect(try await connection.query("select count(*) from t").rows[0].decode(Int.self) == 2)
        }
    }

    @Test func aScriptHoldsSeveralStatements() async throws {
        try await withConnection { connection in
            try await connection.execute(
                script: "create table a (n int); insert into a values (1); select * from a; insert into a values (2)")
            #expect(try await connection.query("select count(*) from a").rows[0].decode(Int.self) == 2)
            let error = try await failure { try await connection.execute(script: "insert into a values (3); select nonsense") }
            #expect(error.sqlState == "42703")
            #expect(try await connection.query("select count(*) from a").rows[0].decode(Int.self) == 2)
        }
    }

    @Test func copyOutsideCopyInIsRefusedWithoutHanging() async throws {
        try await withConnection { connection in
            let error = try await failure { try await connection.execute(script: "copy pg_class to stdout") }
            #expect(error.kind == .invalidStatement)
            #expect(!connection.isUsable)
        }
    }
}
