import Testing
import TidingsPostgres

struct RoundTripTests {
    @Test func aTicketGivesTheAnswerOfItsOwnStatement() async throws {
        try await withPool(size: 1) { pool in
            try await pool.transaction { transaction in
                var trip = RoundTrip()
                trip.run("create temporary table city (name text, size bigint)")
                let added = trip.ask(.count("insert into city values ('Oslo', 3), ('Bonn', 1), ('Lima', 9)"))
                let names = trip.ask(.rows("select name from city order by size") { try $0.decode(String.self) })
                trip.run(["update city set size = size + 1", "delete from city where name = 'Bonn'"])
                let largest = trip.ask(
                    .one("select name, size from city order by size desc") { try $0.decode((String, Int).self) })
                let hasBonn = trip.ask(.exists("select from city where name = 'Bonn'"))
                let smaller = trip.ask(.first("select name from city where size < 4") { try $0.decode(String.self) })
                let found = try await transaction.send(trip)
                #expect(try found[largest] == ("Lima", 10))
                #expect(try found[names] == ["Bonn", "Oslo", "Lima"])
                #expect(try found[added] == 3)
                #expect(try found[hasBonn] == false)
                #expect(try found[smaller] == nil)
            }
        }
    }

    @Test func anOpeningDoesNotMoveTheAnswers() async throws {
        try await withPool(size: 1) { pool in
            var trip = RoundTrip()
            let limit = trip.ask(.one("select current_setting('work_mem')") { try $0.decode(String.self) })
            let found = try await pool.send(trip, after: ["select set_config('work_mem', '1MB', true)", "select 2"], asProof: true)
            #expect(try found[limit] == "1MB")
            #expect(try await pool.query(.one("select current_setting('work_mem')") { try $0.decode(String.self) }) != "1MB")
        }
    }

    @Test func anAnswerThatCannotBeReadNamesTheColumn() async throws {
        try await withPool(size: 1) { pool in
            let missing = try await failure {
                try await pool.query(.rows("select 'x' as name") { try $0.decode("size", as: Int.self) })
            }
            #expect(missing.kind == .decoding && missing.message.contains("size"))
            let none = try await failure { try await pool.query(.one("select 1 where false") { try $0.decode(Int.self) }) }
            #expect(none.kind == .decoding)
        }
    }

    @Test func aFailedReadRollsTheTransactionBack() async throws {
        try await withPool(size: 1) { pool in
            _ = try await pool.query("create table t (n bigint)")
            let error = try await failure {
                try await pool.transaction { transaction in
                    try await transaction.query(.one("insert into t values (1) returning 'x'") { try $0.decode(Int.self) })
                }
            }
            #expect(error.kind == .decoding)
            #expect(try await pool.query(.exists("select from t")) == false)
        }
    }

    @Test func anEmptyTripSendsNothing() async throws {
        try await withPool(size: 1) { pool in
            #expect(RoundTrip().isEmpty && RoundTrip(running: []).isEmpty)
            try await pool.transaction { transaction in _ = try await transaction.send(RoundTrip()) }
            var trip = RoundTrip(running: ["select 1"])
            let two = trip.ask(.one("select 2::bigint") { try $0.decode(Int.self) }.map { $0 * 10 })
            #expect(try await pool.send(trip)[two] == 20)
        }
    }
}
