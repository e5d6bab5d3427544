import Glibc
import Testing
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// A provider is slower than its load. Its backlog stays in the broker, and costs neither the database nor other providers.
@Suite struct SlowProviderTests {
    private static let perSecond = 50
    private static let pushes = 550
    /// The longest stop of a worker. The turns of its waiting packs would take longer.
    private static let longestStop = Duration.seconds(15)

    /// Each delivery is claimed when its turn comes, and is sent at the first attempt, without a detour through `due`.
    @Test func aBacklogWaitsInTheBroker() async throws {
        try await withPushMarkets(catalogue: { SharesTests.rated($0, perSecond: Self.perSecond) }) { pipeline, _ in
            let system = pipeline.system
            for number in 0..<Self.pushes { await pipeline.publish(event(id: "push-\(number)", to: "person-\(number)")) }
            let sent: SQL = "select count(*) from tidings_ops.deliveries where state = 'sent' and attempts = 1"
            #expect(try await system.eventually(within: .seconds(60), sent) { $0 == Self.pushes }, "\(pipeline.roles.errorsSoFar)")
            let took = try await SharesTests.time(in: system)
            let least = SharesTests.least(Self.pushes, perSecond: Self.perSecond)
            #expect(took >= least, "faster than the provider's rate: \(took) s for \(Self.pushes)")
            // A session reports its counts when it is idle. The session that removed the last pack has by then reported the counts of its
            // waits too.
            let removed: SQL = "select (n_tup_ins > 0 and n_tup_ins = n_tup_del)::integer from pg_stat_user_tables where relname = 'packs'"
            #expect(try await system.eventually(within: .seconds(30), removed) { $0 == 1 })
            let detours = try await system.count("select n_tup_ins from pg_stat_user_tables where relname = 'due'")
            let few = Self.pushes / 10
            #expect(detours < few, "deliveries went round through due while they waited for the rate")
        }
    }

    /// A stop does not wait for packs that wait for their turn. Another worker gets them.
    @Test func aStopLeavesWhatWaitsToOthers() async throws {
        var bar = Bar()
        try await withPushMarkets(catalogue: { SharesTests.rated($0, perSecond: 1) }) { pipeline, _ in
            let system = pipeline.system
            let other = try await Pipeline.startRoles(of: system)
            for number in 0..<20 { await pipeline.publish(event(id: "push-\(number)", to: "person-\(number)")) }
            let sent: SQL = "select count(*) from tidings_ops.deliveries where state = 'sent'"
            #expect(try await system.eventually(sent) { $0 > 0 }, "\(pipeline.roles.errorsSoFar)")
            let began = ContinuousClock.now
            other.signal(SIGTERM)
            let ended = await other.finish()
            let took = ContinuousClock.now - began
            #expect(ended.exitCode == 0, "\(ended.errors)")
            bar.expect(took < Self.longestStop, "the stop took \(took), the bar is \(Self.longestStop)")
            let areSent = try await withoutPlace { try await system.eventually(within: .seconds(90), sent) { $0 == 20 } }
            #expect(areSent, "\(pipeline.roles.errorsSoFar)")
            try await pipeline.expectSound()
        }
        try bar.end()
    }

    /// A campaign waits for a provider whose queue is full. A delivery of another provider is released, and the rows of the campaign are
    /// not even read.
    @Test func aFullQueueDelaysNobodyElse() async throws {
        try await withOwnSystem { system in
            try await Pipeline.apply(
                """
                types: {promotion: {category: marketing, channels: [push]}}
                providers:
                  phone: {channel: push, kind: "null", addressing: person}
                  slow: {channel: push, kind: "null", addressing: person}
                markets: {here: {push: [phone]}, there: {push: [slow]}}
                defaultMarket: here
                """, to: system)
            _ = try await system.query(
                """
                insert into tidings.packs (id, channel, provider, lane, notification_ids, ordinals, attempts, decided_at, confirmed_at)
                select gen_random_uuid(), 'push', 'slow', 'bulk', array[gen_random_uuid()], '{0}', '{1}', tidings.clock(), tidings.clock()
                from generate_series(0, \(Int64(Store.releaseLimit)))
                """)
            _ = try await system.query(
                """
                insert into tidings.due (notification_id, ordinal, lane, due_at, kind, tenant, channel, provider, attempt, reason, since)
                select gen_random_uuid(), 0, 'bulk', tidings.clock() - interval '1 hour', 'held', 'default', 'push', 'slow', 1, 'scheduledFor',
                    tidings.clock()
                from generate_series(1, 20000)
                """)
            _ = try await system.query("analyze tidings.due")
            let fetched: SQL = "select idx_tup_fetch + seq_tup_read from pg_stat_user_tables where relname = 'due'"
            let before = try await system.count(fetched)
            for role in ["router", "release"] { try system.start("run", role) }
            let sent = try await system.tidings("send", "promotion", "--to", "reader", "--title", "T", "--channel", "push", "--in", "1s")
            #expect(sent.exitCode == 0, "\(sent.errors)")
            let released: SQL = "select count(*) from tidings.packs where provider = 'phone'"
            #expect(try await system.eventually(released) { $0 == 1 })
            // The releaser's session reports its counts after an idle second, at the latest after the next turn.
            let turns: SQL = "select count(*) from tidings.packs where provider = 'phone' and confirmed_at is not null"
            #expect(try await system.eventually(turns) { $0 == 1 })
            #expect(try await system.count("select count(*) from tidings.due where provider = 'slow'") == 20_000)
            #expect(try await system.eventually(fetched) { $0 > before }, "no counts were told")
            #expect(try await system.count(fetched) - before < 60_000, "each turn read the rows that wait for a full queue")
        }
    }
}
