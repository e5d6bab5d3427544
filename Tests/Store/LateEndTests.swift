import Testing
import TidingsCore
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// A delivery ends long after its notification was accepted. Retention counts from that end.
@Suite struct LateEndTests {
    private static let day = Duration.seconds(86_400)
    private static let retention = day * 30
    private static let keys: SQL = "select count(*) from tidings.idempotency_keys"
    private static let late: SQL = "select count(*) from tidings.notifications where event_id = 'event-1'"

    /// A notification is scheduled for longer ahead than keys are kept. It is found, and its event is a duplicate, while it waits and for
    /// the retention after its end. The key of a notification that ended at once is forgotten in its time.
    @Test func anEventIsADuplicateAfterItsLateEnd() async throws {
        try await StoreScene.with { scene in
            try await scene.take(1...1) { .hold(until: $0.adding(Self.day * 90), reason: .scheduledFor) }
            try await scene.take(2...2, verdict: StoreScene.suppress)

            for days in [70, 89] {
                try await forget(afterDays: days, in: scene)
                #expect(try await scene.count(Self.keys) == 1, "after \(days) days")
                #expect(try await scene.count(Self.late) == 1)
                #expect(try await scene.take(1...1).duplicates == 1)
            }
            try await scene.store.upkeep.shiftClock(by: Self.day * 91)
            #expect(try await scene.release(verdict: StoreScene.suppress).released == 1)
            #expect(try await scene.count("select count(*) from tidings.due") == 0)

            for days in [91, 115] {
                try await forget(afterDays: days, in: scene)
                #expect(try await scene.take(1...1).duplicates == 1, "after \(days) days")
                #expect(try await scene.count(Self.late) == 1)
            }
            try await forget(afterDays: 125, in: scene)
            #expect(try await scene.count(Self.keys) == 0)
            #expect(try await scene.count(Self.late) == 0)
            #expect(try await scene.count("select count(*) from tidings.kept_days") == 0)
        }
    }

    /// Forgets what releasers forget in a round, at a later time.
    private func forget(afterDays days: Int, in scene: StoreScene) async throws {
        try await scene.store.upkeep.shiftClock(by: Self.day * days)
        while try await scene.store.upkeep.moveRecentKeys() {}
        while try await scene.store.upkeep.pruneIdempotency(retention: Self.retention) {}
        _ = try await scene.store.upkeep.tendPartitions(retention: Self.retention)
    }
}
