import Testing
import TidingsPostgres

struct SQLTests {
    @Test func valuesAreBoundAndNeverText() async throws {
        let input = "x'; drop table victim; --"
        let sql: SQL = "select \(input), \(1) where \(true)"
        #expect(sql.text == "select $1, $2 where $3")
        try await withConnection { connection in
            try await connection.execute(script: "create table victim ()")
            #expect(try await connection.query(sql).rows[0].decode((String, Int).self).0 == input)
            _ = try await connection.query("select from victim")
        }
    }

    @Test func fragmentsAreRenumbered() async throws {
        let condition: SQL = "b = \(2) and c = \("drei")"
        let whole: SQL = "select \(1)" + " where \(condition)" + " and d = \(4)"
        #expect(whole.text == "select $1 where b = $2 and c = $3 and d = $4")
        let many = (1...12).map { "\($0)" as SQL }.joined(separator: ", ")
        #expect(many.text == "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12")
        let shifted: SQL = "select \(0), \(many), \(13)"
        #expect(shifted.text.hasSuffix("$12, $13, $14"))
        try await withConnection { connection in
            let row = try await connection.query(shifted).rows[0]
            #expect(try (0..<14).map { try row[$0].decode(Int.self) } == Array(0...13))
        }
    }

    @Test func aDigitBehindAValueDoesNotBecomeItsNumber() {
        let number: SQL = "select \(1)0"
        #expect(number.text == "select $1 0")
        let fragment: SQL = "\(1)"
        #expect((fragment + "5").text == "$1 5")
    }

    @Test func unsafeTextIsSpliced() {
        let sql: SQL = "select * from \(unsafe: "intent_2026") where id = \(7)"
        #expect(sql.text == "select * from intent_2026 where id = $1")
        #expect(sql.description == sql.text)
    }

    @Test func textWithAZeroByteIsRefusedBeforeItIsSent() async throws {
        try await withConnection { connection in
            for sql in [
                "select \("a\0b")", "select \(["ok", "a\0b"])", "select \([nil, "\0"] as [String?])",
                SQL(unsafeSQL: "select 1\0"),
            ] as [SQL] {
                let error = try await failure { try await connection.query(sql) }
                #expect(error.kind == .invalidStatement)
                #expect(error.retryability == .permanent)
            }
            #expect(try await connection.query("select \([0, 1] as [UInt8])").rows[0].decode([UInt8].self) == [0, 1] as [UInt8])
            let error = try await failure { try await connection.pipeline(["select 1", "select \("\0")"]) }
            #expect(error.statementIndex == 1)
        }
    }

    private func selectCounting(_ count: Int) -> SQL {
        "select count(*) from (values " + (0..<count).map { "(\($0))" as SQL }.joined(separator: ",") + ") as v"
    }

    @Test func moreParametersThanTheProtocolCarriesAreRefused() async throws {
        try await withConnection { connection in
            let error = try await failure { try await connection.query(selectCounting(65_536)) }
            #expect(error.kind == .invalidStatement)
            let count = try await connection.query(selectCounting(65_535)).rows[0].decode(Int.self)
            #expect(count == 65_535)
        }
    }
}
