import Testing
import TidingsCore
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// An erasure beside a transaction that moves what it erases.
@Suite struct ErasureRaceTests {
    private static let eve = RecipientKey(tenant: "default", id: "eve-of-the-races")
    private static let waiting: SQL =
        "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"

    /// An operator retries a failed delivery while a turn erases its notification. The delivery waits again, and the turn ends it.
    @Test func aRetryThatCommitsMeanwhileLeavesNoDelivery() async throws {
        try await StoreScene.with { scene in
            try await scene.take(scene.claims([StoreScene.intent(1, to: Self.eve)]), verdict: Self.fail)
            let id = try await scene.store.erasures.request(of: Self.eve, by: "tests")
            try #require(try await scene.advance(id, toStep: "notifications"))

            let retrying = try await PostgresConnection.connect(PostgresConfiguration(url: scene.system.databaseURL))
            _ = try await retrying.query("begin")
            // The statement of Store.Operations.retry, before its commit.
            _ = try await retrying.query(
                """
                with taken as (delete from tidings.deliveries returning *)
                insert into tidings.due (notification_id, ordinal, lane, due_at, kind, tenant, channel, provider, attempt, reason, since)
                select notification_id, ordinal, 'urgent', tidings.clock(), 'again', tenant, channel, provider, attempts + 1, reason,
                    tidings.clock() from taken
                """)
            async let turn = scene.store.erasures.advance()
            #expect(try await scene.system.eventually(Self.waiting) { $0 == 1 }, "the turn does not wait for the retry")
            _ = try await retrying.query("commit")
            await retrying.close()
            _ = try await turn

            try #require(try await scene.finish(id))
            #expect(try await scene.count("select count(*) from tidings.due") == 0)
            #expect(try await scene.tables(with: Self.eve.id).isEmpty)
            #expect(try await scene.store.operations.audit().isEmpty)
        }
    }

    private static func fail(_: Timestamp) -> Verdict { .notSent(state: .failed, reason: .noProvider) }
}
