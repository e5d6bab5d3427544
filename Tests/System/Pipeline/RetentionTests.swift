import Testing
import TidingsCore
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// Days past retention are dropped as tables, while the pipeline and operators use them.
@Suite struct RetentionTests {
    private static let retention = Duration.seconds(30 * 86_400)

    /// The drop must not wait for its lock: every writer would then wait behind it until the backup ends.
    @Test func aDayThatSomebodyReadsIsDroppedAtAnotherTurn() async throws {
        try await withOwnSystem { system in
            let configuration = try PostgresConfiguration(url: system.databaseURL)
            let (store, readers) = (Store(configuration, size: 1, name: "release"), PostgresPool(configuration, size: 1, name: "backup"))
            _ = try await system.query("select tidings.ensure_partitions(32, 7)")
            try await readers.transaction { reader in
                _ = try await reader.query("select from tidings.attempts limit 1")
                do {
                    let dropped = try await store.upkeep.tendPartitions(retention: Self.retention)
                    Issue.record("dropped \(dropped) under a reader")
                } catch let error as PostgresError {
                    #expect(error.sqlState == "55P03", "lock_not_available: \(error)")
                }
            }
            let dropped = try await store.upkeep.tendPartitions(retention: Self.retention)
            #expect(dropped.count == 2 && dropped.allSatisfy { $0.hasPrefix("notifications_p") }, "\(dropped)")
            await readers.close()
            await store.close()
        }
    }

    /// Each start of a process is a row. Rows that an attempt may still name are kept.
    @Test func processesOfLongAgoAreForgotten() async throws {
        try await withOwnSystem { system in
            _ = try await system.query(
                """
                insert into tidings.workers (id, role, host, pid, version, started_at, heartbeat_at)
                select 'silent for ' || days, 'deliver', 'host', 1, '0.1.0', at, at
                from unnest('{0,59,61}'::int[]) days, lateral (select tidings.clock() - make_interval(days => days) as at) t
                """)
            let releaser = try system.start("run", "release")
            let areFewer = try await system.eventually("select count(*) from tidings_ops.workers where worker_id like 'silent%'") { $0 < 3 }
            #expect(areFewer, "\(releaser.errorsSoFar)")
            let left = try await system.query("select worker_id from tidings_ops.workers where worker_id like 'silent%' order by 1").rows
            #expect(try left.map { try $0.decode(String.self) } == ["silent for 0", "silent for 59"])
        }
    }
}
