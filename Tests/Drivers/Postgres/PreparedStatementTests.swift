import Testing
import TidingsPostgres

/// A repeated statement is parsed once, and never taken for another statement.
struct PreparedStatementTests {
    @Test func aRepeatedStatementIsParsedOnce() async throws {
        try await withPool(size: 1) { pool in
            for number in 0..<4 {
                #expect(try await pool.query("select \(number) + 1").rows[0].decode(Int.self) == number + 1)
                _ = try await pool.pipeline(["select \(number) * 2", "select \(number) * 2"])
            }
            let kept = try await pool.query(
                #"select statement from pg_prepared_statements where name like 'tidings_%' order by statement collate "C""#
            ).rows
            // The last statement is the one with which a pipeline begins.
            let statements = try kept.map { try $0.decode(String.self) }
            #expect(statements.prefix(2) == ["select $1 * 2", "select $1 + 1"])
            #expect(statements.count == 3 && statements.last?.hasPrefix("select set_config('statement_timeout'") == true)
        }
    }

    @Test func theSameTextWithOtherTypesIsAnotherStatement() async throws {
        try await withPool(size: 1) { pool in
            for _ in 0..<4 {
                let number = try await pool.query("select \(7)").rows[0].decode(Int.self)
                let text = try await pool.query("select \("seven")").rows[0].decode(String.self)
                let small = try await pool.query("select \(Int16(7))").rows[0].decode(Int16.self)
                #expect(number == 7 && text == "seven" && small == 7)
            }
        }
    }

    /// The kept plan no longer fits the table. Both a transaction and a single statement run again with a new plan.
    @Test(arguments: [true, false]) func aTableMayChangeUnderAPlan(inTransaction: Bool) async throws {
        try await withPool(size: 1) { pool in
            let read: @Sendable (PostgresPool) async throws -> Int = { pool in
                let sql: SQL = "select * from t where n >= \(0)"
                guard inTransaction else { return try await pool.query(sql).rows.count }
                return try await pool.transaction { try await $0.query(sql).rows.count }
            }
            _ = try await pool.query("create table t (n int8)")
            _ = try await pool.query("insert into t values (1)")
            for _ in 0..<8 { #expect(try await read(pool) == 1) }
            _ = try await pool.query("alter table t add column more text")
            #expect(try await read(pool) == 1)
        }
    }

    /// A statement that fails to parse under its name fails as any other, and the session stays usable.
    @Test func aStatementThatNoLongerParsesIsAnError() async throws {
        try await withPool(size: 1) { pool in
            _ = try await pool.query("create table t (n int8)")
            _ = try await pool.query("select n from t where n > \(0)")
            _ = try await pool.query("drop table t")
            let error = await #expect(throws: PostgresError.self) {
                try await pool.pipeline(["select \(1)", "select n from t where n > \(0)", "select \(2)"])
            }
            #expect(error?.sqlState == "42P01" && error?.statementIndex == 1)
            #expect(try await pool.query("select \(3)").rows[0].decode(Int.self) == 3)
        }
    }

    @Test func aTransactionOfNothingSendsNothing() async throws {
        try await withPool(size: 1) { pool in
            _ = try await pool.query("select 1")
            #expect(try await pool.transaction { _ in 5 } == 5)
            // If BEGIN were still pending, this statement would open a transaction that never ends.
            _ = try await pool.query("create table t (n int8)")
            #expect(try await pool.query("select pg_current_xact_id_if_assigned() is null").rows[0].decode(Bool.self))
        }
    }
}
