import Synchronization
import Testing
import TidingsJSON
import TidingsPipeline
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// The roles yield bulk work to urgent work, and the status says so.
@Suite struct BulkYieldTests {
    /// Every batch takes longer than urgent batches may, as on servers that are too small. Bulk work then waits, still makes progress, and
    /// is reported.
    @Test func theRolesYieldAndSaySo() async throws {
        try await withPipeline(catalogue: TestCatalogue.withPush) { pipeline in
            _ = try await pipeline.system.query(
                """
                create function tidings.slowly() returns trigger language plpgsql as $$ begin perform pg_sleep(0.03); return null; end $$
                """)
            _ = try await pipeline.system.query(
                "create trigger slowly before insert on tidings.idempotency_recent for each statement execute function tidings.slowly()")
            let enough = Enough()
            try await withThrowingTaskGroup(of: Void.self) { group in
                // Fast batches of other roles shorten the longest pause a little.
                let nearlyLongest = LaneBalance.longestPause * 0.8
                // Publishes until the test has seen enough, because bulk work yields only to urgent work. The task is not cancelled, so
                // that each message in flight is confirmed.
                group.addTask { await Self.publishUrgent(pipeline, until: enough) }
                defer { enough.reach() }
                var row: JSON?
                let yields = try await eventually {
                    row = try await pipeline.json("status")["bulk_yields"]?.arrayValue?.first
                    return (row?["bulk_pause_ms"]?.intValue ?? 0) >= Int(nearlyLongest / .milliseconds(1))
                }
                try #require(yields, "\(row ?? .null) \(pipeline.roles.errorsSoFar)")
                #expect(try #require(row?["urgent_took_ms"]?.intValue) > Int(LaneBalance.target / .milliseconds(1)))
                var status = ""
                let quiet = try await pipeline.system.tidings("status").output
                #expect(!quiet.contains("bulk work yields"), "no bulk work waits for it: \(quiet)")
                let saysSo = try await eventually {
                    // No releaser samples this queue, so its bulk work stays in the status.
                    _ = try await pipeline.system.query(
                        """
                        insert into tidings.queue_samples (queue, ready, consumers, sampled_at) values ('elsewhere.bulk', 7, 1, tidings.clock())
                        on conflict (queue) do update set sampled_at = excluded.sampled_at
                        """)
                    status = try await pipeline.system.tidings("status").output
                    return status.contains("bulk work yields: each batch of all-") && status.contains(" and should take at most 15; ")
                }
                #expect(saysSo, "\(status)")
                _ = try await pipeline.system.query("delete from tidings.queue_samples where queue = 'elsewhere.bulk'")

                // The status is some seconds old. The pause ends whenever there is no urgent work for a second.
                var number = 0
                let isPutOff = try await eventually {
                    number += 1
                    let began = ContinuousClock.now
                    await pipeline.publish(event(id: "bulk-\(number)", type: "social", to: "reader"), key: "social.social")
                    let ends = try await pipeline.outcome(of: "bulk-\(number)")
                    #expect(ends == [Ended("inApp", "delivered", "delivered")])
                    return ContinuousClock.now - began >= nearlyLongest
                }
                #expect(isPutOff)
            }
            let isOver = try await eventually { try await pipeline.json("status")["bulk_yields"] == [] }
            #expect(isOver, "without urgent work there is nothing to yield to")
            try await pipeline.expectSound()
        }
    }

    private static func publishUrgent(_ pipeline: Pipeline, until enough: Enough) async {
        var number = 0
        while !enough.isReached {
            number += 1
            await pipeline.publish(event(id: "urgent-\(number)", to: "reader"))
            // The distance keeps the pause at its longest. The sleep is cancelled when the test has failed.
            try? await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Two samples of a queue tell how fast it drains and when it is empty.
    @Test func twoSamplesTellWhenAQueueClears() async throws {
        try await withOwnSystem { system in
            _ = try await system.query(
                """
                insert into tidings.queue_samples (queue, ready, consumers, sampled_at, earlier_ready, earlier_at)
                select name, ready, 1, tidings.clock(), earlier, tidings.clock() - interval '5 seconds'
                from (values ('shrinks', 600, 1100), ('grows', 50, 10), ('empty', 0, 10), ('new', 7, null)) as t(name, ready, earlier)
                """)
            let rows = try await system.query(
                """
                select queue || ' ' || coalesce(drained_per_second::text, '-') || ' ' || coalesce(extract(epoch from clears_at - sampled_at)::int::text, '-')
                from tidings_ops.queues order by queue
                """
            ).rows.map { try $0.decode(String.self) }
            #expect(rows == ["empty 2.0 0", "grows -8.0 -", "new - -", "shrinks 100.0 6"])
        }
    }
}

/// A flag that ends a loop between two of its turns.
private final class Enough: Sendable {
    private let state = Mutex(false)

    var isReached: Bool { state.withLock { $0 } }

    func reach() { state.withLock { $0 = true } }
}
