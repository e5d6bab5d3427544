import Testing
import TidingsPostgres

struct CopyTests {
    @Test func tenThousandRows() async throws {
        try await withConnection { connection in
            try await connection.execute(script: "create table t (id int8, small int4, body text, tags text[], at timestamptz)")
            var rows = CopyBuffer()
            for number in 0..<10_000 {
                rows.beginRow(fieldCount: 5)
                rows.append(number)
                rows.append(Int32(number))
                rows.append(number % 3 == 0 ? nil : "body \(number)" as String?)
                rows.append(["a", "b"])
                rows.append(PostgresTimestamp(microseconds: 1_000_000 * Int64(number)))
            }
            #expect(rows.rowCount == 10_000)
            #expect(try await connection.copyIn("t", rows: rows) == 10_000)
            let sql: SQL = "select count(*), count(body), sum(id)::int8, max(at), bool_and(tags = \(["a", "b"])) from t"
            let sums = try await connection.query(sql).rows[0].decode((Int, Int, Int, PostgresTimestamp, Bool).self)
            #expect(sums.0 == 10_000)
            #expect(sums.1 == 6_666)
            #expect(sums.2 == 49_995_000)
            #expect(sums.3.microseconds == 9_999_000_000)
            #expect(sums.4)
        }
    }

    @Test func aRefusedRowLeavesNothingAndTheConnectionWorks() async throws {
        try await withConnection { connection in
            try await connection.execute(script: "create table t (id int8 primary key, body text)")
            var rows = CopyBuffer()
            for number in [1, 2, 1] {
                rows.beginRow(fieldCount: 1)
                rows.append(number)
            }
            let error = try await failure { try await connection.copyIn("t (id)", rows: rows) }
            #expect(error.sqlState == "23505")
            #expect(try await connection.query("select count(*) from t").rows[0].decode(Int.self) == 0)
            #expect(try await failure { try await connection.copyIn("missing", rows: rows) }.sqlState == "42P01")
            #expect(try await connection.copyIn("t (id)", rows: CopyBuffer()) == 0)
        }
    }

    @Test func aZeroByteIsRefusedBeforeItIsSent() async throws {
        try await withConnection { connection in
            try await connection.execute(script: "create table t (body text)")
            var rows = CopyBuffer()
            rows.beginRow(fieldCount: 1)
            rows.append("a\0")
            let error = try await failure { try await connection.copyIn("t", rows: rows) }
            #expect(error.kind == .invalidStatement)
            #expect(error.message.contains("row 1"))
        }
    }
}
