import Testing
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

/// A cancel that races with a releaser reports what it cancelled, whatever happens to the delivery meanwhile.
@Suite struct CancelRaceTests {
    /// A releaser has taken the delivery out of `due` and waits for a lock. The cancel waits for the releaser. Then both continue.
    @Test func aCancelDuringAReleaseAnswersForIt() async throws {
        try await withOwnSystem { system in
            try await Pipeline.apply(TestCatalogue.withPush, to: system)
            for role in ["router", "release"] { try system.start("run", role) }
            let sent = try await system.tidings(
                "send", "orderUpdate", "--to", "reader", "--title", "T", "--id", "one", "--channel", "push", "--in", "1h")
            #expect(sent.exitCode == 0, "\(sent.errors)")
            #expect(try await system.eventually("select count(*) from tidings.due") { $0 == 1 })
            let id = try await system.query("select notification_id::text from tidings.due").rows[0].decode(String.self)

            let blocker = try await PostgresConnection.connect(PostgresConfiguration(url: system.databaseURL))
            _ = try await blocker.query("begin")
            _ = try await blocker.query("lock table tidings.recipients in access exclusive mode")
            _ = try await system.query("update tidings.clock_offset set shift = shift + interval '61 minutes'")
            let waiting: SQL = "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
            #expect(try await system.eventually(waiting) { $0 == 1 }, "the releaser does not wait")
            let cancelling = try system.start("notification", "cancel", id, "-o", "json")
            #expect(try await system.eventually(waiting) { $0 == 2 }, "the cancel does not wait: \(cancelling.errorsSoFar)")
            _ = try await blocker.query("commit")
            await blocker.close()

            let answer = await cancelling.finish()
            #expect(answer.exitCode == 0, "\(answer.errors)")
            let rows = try JSON.parse(answer.output).arrayValue ?? []
            #expect(rows.map { $0["result"]?.stringValue } == ["cancelled"], "\(answer.output)\(answer.errors)")
            #expect(try await system.count("select count(*) from tidings_ops.deliveries where state = 'cancelled'") == 1)
            #expect(try await system.tidings("db", "verify").exitCode == 0)
        }
    }
}
