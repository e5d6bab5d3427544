import Testing
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// The database itself keeps the events of people apart, whatever a statement says.
@Suite struct EngagementRightsTests {
    /// The statements have no condition on the person, as if a programmer had forgotten it.
    @Test func aFaultyConditionFindsOnlyThePersonsOwnEvents() async throws {
        try await StoreScene.with { scene in
            for person in ["ann", "bob"] {
                _ = try await scene.store.engagement.record(
                    [EngagementEvent(.opened), EngagementEvent(.displayed)], of: StoreScene.person(person), defaultMarket: "home")
            }
            let connection = try await PostgresConnection.connect(PostgresConfiguration(url: scene.system.databaseURL))
            let answers = try await connection.pipeline([
                "begin", "set local role tidings_app",
                "select set_config('tidings.tenant', 'default', true), set_config('tidings.recipient', 'ann', true)",
                "select recipient_id from tidings.engagement", "select recipient_id from tidings.engagement_days",
                "update tidings.engagement_days set n = 0 where recipient_id = 'bob'", "commit",
            ])
            await connection.close()
            #expect(try answers[3].rows.map { try $0.decode(String.self) } == ["ann", "ann"])
            #expect(try answers[4].rows.map { try $0.decode(String.self) } == ["ann"])
            #expect(answers[5].affectedRows == 0)
        }
    }

    /// A person adds events of its own, and neither changes nor deletes any.
    @Test func theRoleMayDoNothingElse() async throws {
        try await StoreScene.with { scene in
            let connection = try await PostgresConnection.connect(PostgresConfiguration(url: scene.system.databaseURL))
            try await connection.execute(script: "set role tidings_app; set tidings.tenant = 'default'; set tidings.recipient = 'ann'")
            for statement in [
                "delete from tidings.engagement", "update tidings.engagement set event = 'opened'", "delete from tidings.engagement_days",
                "update tidings.engagement_days set recipient_id = 'ann'", "select 1 from tidings.engagement_0",
                "select 1 from tidings.engagement_tally", "insert into tidings.engagement_totals select * from tidings.engagement_totals",
                "select 1 from tidings_ops.engagement", "select 1 from tidings_ops.engagement_counts",
                // A row of somebody else.
                """
                insert into tidings.engagement_days (tenant, recipient_id, day, n) values ('default', 'bob', '2026-01-01', 0)
                """,
            ] {
                let refusal = await #expect(throws: PostgresError.self, "\(statement)") {
                    try await connection.query("\(unsafe: statement)")
                }
                #expect(refusal?.sqlState == "42501", "\(statement)")
            }
            await connection.close()
        }
    }
}
