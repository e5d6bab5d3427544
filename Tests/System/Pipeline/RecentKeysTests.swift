import Testing
import TidingsAMQP
import TidingsClient
import TidingsCore
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// Idempotency keys are moved from the table in which they are claimed to the table of older keys. At every moment a key must be in at
/// least one of the two.
@Suite struct RecentKeysTests {
    private static let old = "2 days 1 minute"
    private static let twoDaysOld: SQL = "tidings.first_id(now() - interval '2 days')"
    private static let recent: SQL = "select count(*) from tidings.idempotency_recent"
    private static let moved: SQL = "select count(*) from tidings.idempotency"

    /// The releaser moves old keys only. The same event is the same notification before and after the move.
    @Test func theReleaserMovesOldKeys() async throws {
        try await withPipeline { pipeline in
            let system = pipeline.system
            await pipeline.publish(event(id: "old", to: "reader"))
            _ = try await pipeline.outcome(of: "old")
            #expect(try await system.count(Self.recent) == 1)
            try await pipeline.shiftClock(by: Self.old)
            #expect(try await system.eventually(within: Pipeline.patience, Self.moved) { $0 == 1 }, "\(pipeline.roles.errorsSoFar)")
            #expect(try await system.eventually(within: Pipeline.patience, Self.recent) { $0 == 0 }, "\(pipeline.roles.errorsSoFar)")

            await pipeline.publish(event(id: "new", to: "reader"))
            await pipeline.publish(event(id: "old", to: "reader"))
            await pipeline.publish(event(id: "old", to: "reader", title: "Another title"))
            #expect(
                try await system.eventually(within: Pipeline.patience, Pipeline.takenQuery) { $0 == 4 }, "\(pipeline.roles.errorsSoFar)")
            #expect(try await system.count("select count(*) from tidings_ops.notifications") == 2)
            #expect(try await system.count("select count(*) from tidings_ops.rejected where reason_code = 'idempotencyConflict'") == 1)
            #expect(try await system.count(Self.recent) == 1)
            try await pipeline.expectSound()
        }
    }

    /// The key is known after each step, whichever releaser took the step. This covers a crash between two steps too.
    @Test func aKeyIsKnownAfterEachStep() async throws {
        try await withOwnSystem { system in
            let configuration = try PostgresConfiguration(url: system.databaseURL)
            let roles = try system.start("run", "router")
            #expect(try await system.eventually("select count(*) from tidings_ops.workers") { $0 == 1 }, "\(roles.errorsSoFar)")
            let stores = (0..<2).map { Store(configuration, size: 1, name: "release \($0)") }
            let producer = try Producer(url: system.amqpURL)
            let event = IntentEvent(
                source: "/tests", id: "o-1", type: "orderUpdate", category: .transactional, recipients: ["reader"], title: "A title")
            #expect(await producer.publish([event]) == [.confirmed])
            #expect(try await system.eventually(Self.recent) { $0 == 1 }, "\(roles.errorsSoFar)")
            _ = try await system.query("update tidings.idempotency_recent set notification_id = \(Self.twoDaysOld)")

            var phases: [String] = []
            var sent = 1
            repeat {
                #expect(try await stores[sent % 2].upkeep.moveRecentKeys())
                phases.append(try await system.query("select phase from tidings.key_move").rows[0].decode(String.self))
                #expect(await producer.publish([event]) == [.confirmed])
                sent += 1
                #expect(try await system.eventually(Pipeline.takenQuery) { $0 == sent }, "\(roles.errorsSoFar)")
            } while phases.last != "waiting" && phases.count < 10
            #expect(phases == ["copying", "copying", "copied", "deleting", "deleting", "waiting"])
            #expect(try await system.count("select count(*) from tidings.notifications") == 1)
            #expect(try await system.count(Self.recent) == 0)
            #expect(try await system.count(Self.moved) == 1)
            #expect(try await stores[0].upkeep.moveRecentKeys() == false, "the next ones are not old enough")
            for store in stores { await store.close() }
            await producer.close()
        }
    }

    /// A claim that looked for its key before the copy existed holds up the deletion, however long the claim takes.
    @Test func nothingIsDeletedWhileAClaimIsUnderWay() async throws {
        try await withOwnSystem { system in
            let configuration = try PostgresConfiguration(url: system.databaseURL)
            let store = Store(configuration, size: 1, name: "release")
            _ = try await system.query(
                """
                insert into tidings.idempotency_recent
                select md5(n::text)::uuid, \(Self.twoDaysOld), md5('content')::uuid from generate_series(1, 3) n
                """)
            let claims = try await PostgresConnection.connect(configuration)
            _ = try await claims.query("begin")
            _ = try await claims.query(
                "insert into tidings.idempotency_recent values (md5('4')::uuid, tidings.first_id(now()), md5('content')::uuid)")
            for _ in 0..<3 { #expect(try await store.upkeep.moveRecentKeys()) }
            #expect(try await system.count(Self.moved) == 3)
            do {
                _ = try await store.upkeep.moveRecentKeys()
                Issue.record("went on while a claim was under way")
            } catch let error as PostgresError {
                #expect(error.sqlState == "55P03", "lock_not_available: \(error)")
            }
            #expect(try await system.count(Self.recent) == 3)
            _ = try await claims.query("commit")

            // A vacuum holds this lock. Claims would wait in vain beside it.
            _ = try await claims.query("begin")
            _ = try await claims.query("lock table tidings.idempotency_recent in share update exclusive mode")
            #expect(try await store.upkeep.moveRecentKeys() == false)
            _ = try await claims.query("commit")
            for _ in 0..<3 { #expect(try await store.upkeep.moveRecentKeys()) }
            #expect(try await system.count(Self.recent) == 1)
            await claims.close()
            await store.close()
        }
    }

    /// A router of an earlier build claims keys in this table. Such a claim must fail, because another router may have claimed the key
    /// since. The error leads to a retry, so nothing is lost.
    @Test func theLargeTableTakesNoClaims() async throws {
        try await withOwnSystem { system in
            do {
                _ = try await system.query(
                    "insert into tidings.idempotency values (md5('1')::uuid, \(Self.twoDaysOld), md5('1')::uuid) on conflict do nothing returning key"
                )
                Issue.record("a claim was taken")
            } catch let error as PostgresError {
                #expect(error.retryability == .retry, "\(error)")
            }
        }
    }

    /// The stored limit comes from a clock that was a year ahead. Keys are moved nevertheless.
    @Test func aClockThatWasAheadHoldsUpNoMove() async throws {
        try await withOwnSystem { system in
            let store = Store(try PostgresConfiguration(url: system.databaseURL), size: 1, name: "release")
            _ = try await system.query("update tidings.key_move set before = tidings.first_id(now() + interval '1 year')")
            #expect(try await store.upkeep.moveRecentKeys())
            #expect(try await system.query("select phase from tidings.key_move").rows[0].decode(String.self) == "copying")
            await store.close()
        }
    }

    /// Keys that seem old and were never copied stay.
    @Test func aClockThatWasSetBackForgetsNoKey() async throws {
        try await withOwnSystem { system in
            let store = Store(try PostgresConfiguration(url: system.databaseURL), size: 1, name: "release")
            for _ in 0..<3 { #expect(try await store.upkeep.moveRecentKeys()) }
            _ = try await system.query(
                "insert into tidings.idempotency_recent values (md5('1')::uuid, \(Self.twoDaysOld), md5('content')::uuid)")
            #expect(try await system.query("select phase from tidings.key_move").rows[0].decode(String.self) == "deleting")
            for _ in 0..<2 { #expect(try await store.upkeep.moveRecentKeys()) }
            #expect(try await system.query("select phase from tidings.key_move").rows[0].decode(String.self) == "waiting")
            #expect(try await system.count(Self.recent) == 1)
            await store.close()
        }
    }

    /// The keys are more than one step handles, old and new ones are mixed, and two releasers work at the same time.
    @Test func manyKeysAreMovedOnce() async throws {
        let keys = Int(Store.moveBatch) * 2 + 1
        try await withOwnSystem { system in
            let configuration = try PostgresConfiguration(url: system.databaseURL)
            _ = try await system.query(
                """
                insert into tidings.idempotency_recent
                select md5(n::text)::uuid, tidings.first_id(now() - n % 2 * interval '2 days'), md5(n::text)::uuid
                from generate_series(1, \(Int64(keys))) n
                """)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<2 {
                    // Both releasers run until the move is over. A releaser that finds the other at work asks again.
                    group.addTask {
                        let store = Store(configuration, size: 1, name: "release \(number)")
                        repeat { _ = try await store.upkeep.moveRecentKeys() } while try await system.count(Self.left) > 0
                        await store.close()
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await system.count(Self.recent) == keys / 2)
            #expect(try await system.count(Self.moved) == keys - keys / 2)
            #expect(try await system.count("select count(*) from tidings.idempotency_keys where key = content_hash") == keys)
        }
    }

    /// 0 when all old keys have been moved.
    private static let left: SQL = """
        select (select count(*) from tidings.idempotency_recent where notification_id < tidings.first_id(now() - interval '1 day'))
            + (select count(*) from tidings.key_move where phase <> 'waiting')
        """
}
