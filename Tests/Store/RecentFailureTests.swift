import Testing
import TidingsJSON
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// Deliveries of the last quarter of an hour that failed or had no provider, as `tidings status` judges them.
@Suite struct RecentFailureTests {
    @Test func failuresAreCountedByProviderAndReason() async throws {
        try await StoreScene.with { scene in
            try await Self.insert(3, "failed", "misconfigured", minutesAgo: 1, from: 1, scene)
            try await Self.insert(2, "failed", "tokenMalformed", minutesAgo: 14, from: 10, scene)
            try await Self.insert(5, "failed", "tokenMalformed", minutesAgo: 16, from: 20, scene)
            try await Self.insert(7, "suppressed", "noDevice", minutesAgo: 1, from: 30, scene)
            let rows = try await scene.store.operations.recentFailures()
            try #require(rows.count == 2, "\(rows)")
            #expect(rows.map { $0["reason_code"] } == ["misconfigured", "tokenMalformed"], "\(rows)")
            #expect(rows.map { $0["deliveries"]?.intValue } == [3, 2] && rows.allSatisfy { $0["provider"] == "phone" }, "\(rows)")
            let sample = try #require(rows[1]["sample_id"]?.stringValue)
            #expect(sample.hasSuffix("/10") || sample.hasSuffix("/11"), "\(sample)")
        }
    }

    /// The rules suppress a delivery without a provider, and an operator mends the catalogue.
    @Test func deliveriesWithoutAProviderAreCounted() async throws {
        try await StoreScene.with { scene in
            try await Self.insert(4, "suppressed", "noProvider", minutesAgo: 1, from: 1, scene)
            try await Self.insert(5, "suppressed", "noProvider", minutesAgo: 16, from: 10, scene)
            try await Self.insert(2, "failed", "misconfigured", minutesAgo: 2, from: 20, scene)
            let rows = try await scene.store.operations.recentFailures()
            #expect(rows.map { $0["reason_code"] } == ["noProvider", "misconfigured"], "\(rows)")
            #expect(rows.map { $0["state"] } == ["suppressed", "failed"] && rows.map { $0["deliveries"]?.intValue } == [4, 2], "\(rows)")
        }
    }

    /// A provider that refuses everything must not make `tidings status` slow. Many deliveries without a provider must not hide one that
    /// failed.
    @Test func theCountOfEachStateEndsAtTenThousand() async throws {
        try await StoreScene.with { scene in
            try await Self.insert(1, "failed", "tokenMalformed", minutesAgo: 3, from: 0, scene)
            try await Self.insert(10_002, "suppressed", "noProvider", minutesAgo: 1, from: 1, scene)
            #expect(try await scene.store.operations.recentFailures().map { $0["deliveries"]?.intValue } == [10_000, 1])
            try await Self.insert(10_002, "failed", "misconfigured", minutesAgo: 2, from: 10_003, scene)
            #expect(try await scene.store.operations.recentFailures().map { $0["deliveries"]?.intValue } == [10_000, 10_000])
        }
    }

    private static func insert(
        _ count: Int, _ state: String, _ reason: String, minutesAgo: Int, from ordinal: Int, _ scene: StoreScene
    ) async throws {
        _ = try await scene.system.query(
            """
            insert into tidings.deliveries (notification_id, ordinal, tenant, channel, provider, state, reason, attempts, ended_at)
            select tidings.first_id(date_trunc('day', tidings.clock())), n, 'default', 'push', 'phone', \(state), \(reason), 1,
                tidings.clock() - make_interval(mins => \(Int32(minutesAgo)))
            from generate_series(\(Int32(ordinal)), \(Int32(ordinal + count - 1))) n
            """)
    }
}
