import Testing
import TidingsPostgres
import TidingsTestSupport

struct PgBouncerTests {
    @Test(.enabled(if: PgBouncer.isInstalled))
    func aTransactionPoolerMayStandBetween() async throws {
        let bouncer = try PgBouncer(before: serverURL)
        // The pool has more clients than the pooler has sessions.
        let pool = try Self.pool(through: bouncer, size: 6)
        _ = try await pool.query("select 1")
        try await withThrowingTaskGroup { group in
            for number in 0..<60 {
                group.addTask {
                    #expect(try await pool.query("select \(number)").rows[0].decode(Int.self) == number)
                    let results = try await pool.pipeline(["select \(number)", "select \("\(number)")"])
                    #expect(try results[1].rows[0].decode(String.self) == "\(number)")
                    let inside = try await pool.transaction { connection in
                        _ = try await connection.query("create temporary table scratch (n int8) on commit drop")
                        _ = try await connection.pipeline([
                            "insert into scratch values (\(number))", "insert into scratch values (\(-number))",
                        ])
                        return try await connection.query("select sum(n)::int8, count(*) from scratch").rows[0].decode((Int, Int).self)
                    }
                    #expect(inside == (0, 2))
                }
            }
            try await group.waitForAll()
        }
        let leaked = try await pool.query("select current_setting('statement_timeout')").rows[0].decode(String.self)
        #expect(leaked == "0")
        await pool.close()
        withExtendedLifetime(bouncer) {}
    }

    /// A command is a new client each time. It meets the sessions in which the commands before it may have left names of statements.
    @Test(.enabled(if: PgBouncer.isInstalled))
    func aNewClientMeetsNoNameOfAnother() async throws {
        let bouncer = try PgBouncer(before: serverURL)
        for _ in 0..<20 {
            let pool = try Self.pool(through: bouncer, size: 1)
            for number in 0..<3 {
                #expect(try await pool.query("select \(number)").rows[0].decode(Int.self) == number)
                _ = try await pool.pipeline(["select \(number)", "select 1 + \(number)"])
                let sum = try await pool.transaction(retrying: 0) { transaction in
                    try await transaction.query("select 2 + \(number)").rows[0].decode(Int.self)
                }
                #expect(sum == 2 + number)
            }
            await pool.close()
        }
        withExtendedLifetime(bouncer) {}
    }

    /// With every way to send a statement, also if the pooler lends another session each time.
    @Test(.enabled(if: PgBouncer.isInstalled), arguments: [false, true])
    func noStatementIsCompiled(throughPooler: Bool) async throws {
        let bouncer = throughPooler ? try PgBouncer(before: serverURL) : nil
        let pool = try bouncer.map { try Self.pool(through: $0, size: 4) } ?? PostgresPool(.init(url: serverURL), size: 4, name: "direct")
        let setting: SQL = "select current_setting('jit')"
        try await withThrowingTaskGroup { group in
            for _ in 0..<40 {
                group.addTask {
                    #expect(try await pool.query(setting).rows[0].decode(String.self) == "off")
                    #expect(try await pool.pipeline([setting, setting]).map { try $0.rows[0].decode(String.self) } == ["off", "off"])
                    let inside = try await pool.transaction { try await $0.query(setting) }
                    #expect(try inside.rows[0].decode(String.self) == "off")
                    let results = try await pool.withConnection { connection in
                        [try await connection.query(setting)] + (try await connection.pipeline([setting, "select \(1)", setting]))
                    }
                    #expect(results.count == 4)
                    #expect(try results[1].rows[0].decode(String.self) == "off" && results[3].rows[0].decode(String.self) == "off")
                }
            }
            try await group.waitForAll()
        }
        await pool.close()
        withExtendedLifetime(bouncer) {}
    }

    /// Errors name the caller's statement, although a setting goes ahead of it.
    @Test(.enabled(if: PgBouncer.isInstalled))
    func aFailedStatementKeepsItsIndex() async throws {
        let bouncer = try PgBouncer(before: serverURL)
        let pool = try Self.pool(through: bouncer, size: 1)
        _ = try await pool.query("select 1")
        for index in 0..<2 {
            var statements: [SQL] = ["select 1", "select 1"]
            statements[index] = "select 1 / 0"
            let failing = statements
            let error = await #expect(throws: PostgresError.self) {
                try await pool.withConnection { try await $0.pipeline(failing) }
            }
            #expect(error?.sqlState == "22012" && error?.statementIndex == index)
        }
        await pool.close()
        withExtendedLifetime(bouncer) {}
    }

    /// The pooler takes a moment to listen, and the pool repeats its attempts for longer than that.
    private static func pool(through bouncer: PgBouncer, size: Int) throws -> PostgresPool {
        PostgresPool(
            try PostgresConfiguration(url: bouncer.url(of: "postgres")), size: size, name: "bounced", acquireTimeout: .seconds(10).patient)
    }
}
