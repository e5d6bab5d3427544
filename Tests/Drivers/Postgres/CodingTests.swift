import Testing
import TidingsPostgres

/// Sends values and reads them back, both as their own type and as the server's text.
private func roundTrip<Value: PostgresEncodable & PostgresDecodable & Equatable>(
    _ values: Value..., on connection: PostgresConnection, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    for value in values {
        let row = try #require(try await connection.query("select \(value)").rows.first)
        #expect(try row.decode(Value.self) == value, sourceLocation: sourceLocation)
    }
}

struct CodingTests {
    @Test func scalarsComeBackAsTheyWere() async throws {
        try await withConnection { connection in
            try await roundTrip("", "plain", "Grüße 👩‍👩‍👧 \u{10FFFF}", "'; drop table x; --", "\\ \" \n\t", on: connection)
            try await roundTrip(Int16.min, 0, Int16.max, on: connection)
            try await roundTrip(Int32.min, 0, Int32.max, on: connection)
            try await roundTrip(Int64.min, -1, Int64.max, on: connection)
            try await roundTrip(Int.min, 1, Int.max, on: connection)
            try await roundTrip(true, false, on: connection)
            try await roundTrip(0.0, -1.5, .infinity, 5e-300, 1.7976931348623157e308, on: connection)
            try await roundTrip([UInt8](), [0, 1, 255], on: connection)
            try await roundTrip(UInt8(ascii: "r"), on: connection)
            try await roundTrip(PostgresUUID(high: 0x0123_4567_89AB_CDEF, low: .max), on: connection)
            try await roundTrip(
                PostgresTimestamp(microseconds: 0), PostgresTimestamp(microseconds: -1),
                PostgresTimestamp(microseconds: 1_767_225_600_123_456), .infinity, .minusInfinity, on: connection)
        }
    }

    @Test func theServerReadsTheValuesAsWeMeanThem() async throws {
        try await withConnection { connection in
            let sql: SQL = """
                select \(PostgresUUID(high: 0x0123_4567_89AB_CDEF, low: 0x0011_2233_4455_6677))::text,
                    \(PostgresTimestamp(microseconds: 1_767_225_600_123_456)) = '2026-01-01T00:00:00.123456Z'::timestamptz,
                    \([UInt8]([0xDE, 0xAD]))::text, \(-2.5)::text, \(Int16(-3))::text,
                    \(["a", nil, "c,\"d"] as [String?])::text
                """
            let row = try #require(try await connection.query(sql).rows.first)
            let values = try row.decode((String, Bool, String, String, String, String).self)
            #expect(values.0 == "01234567-89ab-cdef-0011-223344556677")
            #expect(values.1)
            #expect(values.2 == #"\xdead"#)
            #expect(values.3 == "-2.5")
            #expect(values.4 == "-3")
            #expect(values.5 == #"{a,NULL,"c,\"d"}"#)
        }
    }

    @Test func arraysComeBackAsTheyWere() async throws {
        try await withConnection { connection in
            try await roundTrip([String](), ["a", "", "ü,{}\"\\"], on: connection)
            try await roundTrip([String?](), [nil, "x", nil], on: connection)
            try await roundTrip([Int16](), [.min, .max], on: connection)
            try await roundTrip([Int32](), [1, -1], on: connection)
            try await roundTrip([Int64?](), [1, nil], on: connection)
            try await roundTrip(Array(0..<10_000), on: connection)
            try await roundTrip([true, nil, false] as [Bool?], on: connection)
            try await roundTrip([1.5, -.infinity], on: connection)
            try await roundTrip([[0, 1], [], [255]] as [[UInt8]], on: connection)
            try await roundTrip([[1], nil] as [[UInt8]?], on: connection)
            try await roundTrip([PostgresUUID(high: 1, low: 2), nil] as [PostgresUUID?], on: connection)
            try await roundTrip([PostgresTimestamp(microseconds: 7)], on: connection)
        }
    }

    @Test func nullIsNilAndNothingElse() async throws {
        try await withConnection { connection in
            let sql: SQL = "select \(nil as String?), \(nil as [Int]?), \(nil as PostgresUUID?), \("" as String?)"
            let row = try await connection.query(sql).rows[0]
            let values = try row.decode((String?, [Int]?, PostgresUUID?, String?).self)
            #expect(values.0 == nil && values.1 == nil && values.2 == nil)
            #expect(values.3 == "")
            #expect(row[0].isNull && !row[3].isNull)
            let error = try await failure { try row[0].decode(String.self) }
            #expect(error.kind == .decoding)
        }
    }

    @Test func typesAreChecked() async throws {
        try await withConnection { connection in
            let sql: SQL = "select 1::int4 as a, 'x'::varchar as b, 2::int2 as c, 3::int8 as d, 'n'::name as e"
            let row = try await connection.query(sql).rows[0]
            #expect(try row.decode("a", as: Int.self) == 1)
            #expect(try row.decode("a", as: Int64.self) == 1)
            #expect(try row.decode("c", as: Int32.self) == 2)
            #expect(try row.decode("b", as: String.self) == "x")
            #expect(try row.decode("e", as: String.self) == "n")
            for error in [
                try await failure { try row.decode("d", as: Int32.self) },
                try await failure { try row.decode("a", as: String.self) },
                try await failure { try row.decode("a", as: Int16.self) },
                try await failure { try row.decode("missing", as: Int.self) },
                try await failure { try row.decode((Int, String).self) },
                try await failure { try row.decode("b", as: [String].self) },
            ] {
                #expect(error.kind == .decoding)
                #expect(error.retryability == .permanent)
            }
            let named = try await failure { try row.decode("a", as: String.self) }
            #expect(named.message.contains("column a"))
        }
    }

    @Test func twoDimensionsAreRefused() async throws {
        try await withConnection { connection in
            let row = try await connection.query("select array[[1,2],[3,4]]").rows[0]
            #expect(try await failure { try row.decode([Int32].self) }.kind == .decoding)
            #expect(try await failure { try await connection.query("select \([[1], [2]])") }.kind == .invalidStatement)
            #expect(connection.isUsable)
        }
    }

    @Test func affectedRowsAndColumns() async throws {
        try await withConnection { connection in
            try await connection.execute(script: "create table t (n int8 primary key)")
            #expect(try await connection.query("insert into t select * from generate_series(1, 7)").affectedRows == 7)
            #expect(try await connection.query("delete from t where n > \(5)").affectedRows == 2)
            let result = try await connection.query("select n as first, n + 1 as second from t order by n")
            #expect(result.columns == ["first", "second"])
            #expect(try result.rows.map { row throws(PostgresError) in try row.decode("second", as: Int.self) } == [2, 3, 4, 5, 6])
        }
    }
}
