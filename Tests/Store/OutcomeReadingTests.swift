import Testing
import TidingsJSON
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// Readings that show whether the servers take work.
@Suite struct OutcomeReadingTests {
    /// A pack counts if it was decided 5 s ago, has no confirm, and no worker has it.
    @Test func packsWithoutAConfirmAreCounted() async throws {
        try await StoreScene.with { scene in
            #expect(try await scene.store.operations.unconfirmed().isEmpty)
            try await Self.insert(decided: "10 s", scene)
            try await Self.insert(decided: "20 s", scene)
            try await Self.insert(decided: "2 s", scene)
            try await Self.insert(decided: "30 s", confirmed: "clock.now", scene)
            try await Self.insert(decided: "40 s", claimed: "clock.now", scene)
            // The confirm was forgotten on purpose, so that a releaser publishes the pack again at once.
            try await Self.insert(decided: "1 hour", id: "50 s", scene)
            let rows = try await scene.store.operations.unconfirmed()
            #expect(rows.count == 1 && rows[0]["packs"] == 2 && rows[0]["channel"] == "push" && rows[0]["lane"] == "bulk", "\(rows)")
            let age = try await scene.count(
                "select extract(epoch from tidings.clock() - oldest_at)::bigint from tidings_ops.unconfirmed_packs")
            #expect((19...60).contains(age))
        }
    }

    private static func insert(
        decided: String, id: String? = nil, confirmed: String = "null", claimed: String = "null", _ scene: StoreScene
    ) async throws {
        _ = try await scene.system.query(
            """
            insert into tidings.packs (id, channel, provider, lane, notification_ids, ordinals, attempts, decided_at, confirmed_at, claimed_at)
            select tidings.first_id(clock.now - \(id ?? decided)::interval), 'push', 'fcm', 'bulk', '{}', '{}', '{}',
                clock.now - \(decided)::interval, \(unsafe: confirmed), \(unsafe: claimed)
            from (select tidings.clock()) as clock(now)
            """)
    }

    /// While a provider is down there may be a million packs, all of them confirmed.
    @Test func aLookAtManyPacksReadsTheNewestOnes() async throws {
        try await StoreScene.with { scene in
            _ = try await scene.system.query(
                """
                insert into tidings.packs (id, channel, provider, lane, notification_ids, ordinals, attempts, decided_at, confirmed_at)
                select tidings.first_id(at), 'push', 'fcm', 'bulk', '{}', '{}', '{}', at, at
                from generate_series(1, 200000) n, lateral (select tidings.clock() - n * interval '0.01 s' as at) t order by n desc
                """)
            _ = try await scene.system.query("analyze tidings.packs")
            let plan = try await scene.system.query("explain (analyze, timing off) select * from tidings_ops.unconfirmed_packs").rows
                .map { try $0.decode(String.self) }
            let read = plan.first { $0.contains("on packs") }.flatMap { $0.firstMatch(of: /actual rows=(\d+)/) }.flatMap { Int($0.1) }
            #expect(read == 10_000 && plan.contains { $0.contains("Index Scan Backward") }, "\(plan.joined(separator: "\n"))")
        }
    }

    @Test func aCommitEndsAndNoneWaits() async throws {
        try await StoreScene.with { scene in
            #expect(try await scene.store.operations.commitEnds(within: .seconds(5).patient))
            let row = try await scene.store.operations.commitWaits()
            #expect(row["synchronous_standby_names"] == "" && row["waiting"] == 0 && row["standbys"] == 0, "\(row)")
            let settings = try await scene.store.operations.durability()
            #expect(settings["synchronous_standby_names"] == "", "\(settings)")
        }
    }
}
