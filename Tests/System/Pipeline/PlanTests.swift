import Glibc
import Testing
import TidingsCore
import TidingsPostgres
import TidingsTestSupport

/// The roles read the big tables by index, and only the days that they work on. Every other read would cost more with each day that is
/// kept. PostgreSQL counts the reads. Its planner is told to avoid reading whole tables, which it prefers while they are as small as here.
/// A table that is still read whole has no fitting index. The planner must also plan without looking at the values, so the statement itself
/// has to exclude the other days.
@Suite struct PlanTests {
    private static let planning = ["PGOPTIONS": "-c enable_seqscan=off -c plan_cache_mode=force_generic_plan"]
    /// Longer than the lease of a dead worker's packs, and longer than any wait in these tests.
    private static let later = "5 minutes"
    /// The real time for the work that is due. A busy machine gets it as often as there are turns.
    private static let moment = Duration.seconds(5)
    private static let turns = 18

    @Test func theRolesReadByIndexAndOnlyTheirDays() async throws {
        try await withPipeline(catalogue: TestCatalogue.withEveryKind, variables: Self.planning) { pipeline in
            let system = pipeline.system
            _ = try await system.query("select tidings.ensure_partitions(29, 7)")
            // No server listens there, so the delivery is retried.
            #expect(try await system.tidings("recipient", "set", "caller", "--webhook", "http://127.0.0.1:9/").exitCode == 0)
            _ = try await system.query("select pg_stat_reset()")

            try await publishEachKind(pipeline)
            let roles = try await replaceByOneAfterADeath(pipeline)
            // A releaser recovers packs after it has watched the database for a while by the virtual clock, and a recovered delivery may
            // have to wait once more before its retry. So let several times pass, each after a moment without the end.
            let haveAllEnded = try await withoutPlace {
                for _ in 0..<Self.turns {
                    try await pipeline.shiftClock(by: Self.later)
                    if try await system.eventually(within: Self.moment, Self.pending, { $0 == 0 }) { return true }
                }
                return false
            }
            #expect(haveAllEnded, "\(roles.errorsSoFar)")
            roles.signal(SIGTERM)
            _ = await roles.finish()

            let tables = try await bigTables(of: system)
            #expect(tables.filter { $0.wasWritten && $0.day != nil }.count >= 4, "every kind of work left its traces: \(tables)")
            #expect(tables.filter { $0.wholeReads > 0 } == [], "read whole")
            let days = Set(tables.filter { $0.name.hasPrefix("notifications") && $0.wasWritten }.map(\.day))
            #expect(tables.filter { $0.day != nil && !days.contains($0.day) && $0.indexReads > 0 } == [], "of days nothing happened on")
        }
    }

    /// A search for an id may have to look into every day, but always by an index.
    @Test func findReadsByIndex() async throws {
        try await withOwnSystem { system in
            _ = try await system.query("select tidings.ensure_partitions(29, 7)")
            _ = try await system.query("select pg_stat_reset()")
            for id in ["0191a4c2-0000-7000-8000-000000000001", "o-17", "user-42"] {
                let result = try await TestProcess(
                    [TestSystem.binary, "find", id], environment: system.environment.merging(Self.planning) { $1 }
                ).finish()
                #expect(result.exitCode == 1 && result.errors.contains("nothing has the id"), "\(result.errors)")
            }
            try await statisticsAreComplete(in: system)
            let isRead = try await system.eventually(
                "select count(*) from pg_stat_user_tables where relname = 'recipients' and idx_scan > 0"
            ) { $0 == 1 }
            #expect(isRead)
            let tables = try await bigTables(of: system)
            #expect(tables.filter { $0.wholeReads > 0 } == [], "read whole")
        }
    }

    /// A comparison of ids looks them up in the days since its time, by index.
    @Test func reconcileReadsByIndexAndOnlyTheDaysSince() async throws {
        try await withOwnSystem { system in
            _ = try await system.query("select tidings.ensure_partitions(29, 7)")
            _ = try await system.query("select pg_stat_reset()")
            try await withFile((1...50).map { "o-\($0)\n" }.joined()) { path in
                let result = try await TestProcess(
                    [TestSystem.binary, "reconcile", "--source", "/shop", "--since", "0s", path],
                    environment: system.environment.merging(Self.planning) { $1 }
                ).finish()
                #expect(result.exitCode == 1 && result.output.contains("o-50"), "\(result.errors)")
            }
            try await statisticsAreComplete(in: system)
            let read: SQL = "select count(*) from pg_stat_user_tables where relname ~ '^notifications_p' and idx_scan > 0"
            #expect(
                try await system.eventually(read) { (1...9).contains($0) }, "today, the seven days to come, and yesterday near midnight")
            #expect(try await bigTables(of: system).filter { $0.wholeReads > 0 } == [], "read whole")
        }
    }

    /// A query for a person's notifications knows the person, but not always the tenant. Every day must answer from its index by person. An
    /// index that begins with the tenant would be read whole.
    @Test func theNotificationsOfAPersonAreReadByIndex() async throws {
        try await withOwnSystem { system in
            _ = try await system.query("select tidings.ensure_partitions(29, 7)")
            _ = try await system.query("select pg_stat_reset()")
            let list = try await TestProcess(
                [TestSystem.binary, "notification", "list", "--recipient", "user-42"],
                environment: system.environment.merging(["PGOPTIONS": "-c enable_seqscan=off"]) { $1 }
            ).finish()
            #expect(list.exitCode == 0, "\(list.errors)")
            try await statisticsAreComplete(in: system)
            let areAllRead = try await system.eventually(
                "select count(*) from pg_stat_user_indexes where schemaname = 'tidings' and relname ~ '^notifications_p' and idx_scan > 0"
            ) { $0 >= 30 }
            let used = try await system.query(
                """
                select relname || ' by ' || indexrelname from pg_stat_user_indexes
                where schemaname = 'tidings' and relname ~ '^notifications_p' and idx_scan > 0
                """
            ).rows.map { try $0.decode(String.self) }
            #expect(areAllRead && used.allSatisfy { $0.hasSuffix("_recipient_id_id_idx") && !$0.contains("_tenant_") }, "\(used)")
            #expect(try await bigTables(of: system).filter { $0.wholeReads > 0 } == [], "read whole")
        }
    }

    /// Deliveries that have not ended are stored elsewhere, so a query for them reads no day's deliveries. Every final state is read from
    /// the days.
    @Test(arguments: DeliveryState.allCases) func onlyWhatHasEndedIsReadFromTheDays(state: DeliveryState) async throws {
        try await withOwnSystem { system in
            let plan = try await system.query(
                "explain select delivery_id from tidings_ops.deliveries where state = '\(unsafe: state.rawValue)'"
            ).rows.map { try $0.decode(String.self) }
            #expect(plan.contains { $0.contains(" on deliveries_p") } == state.isTerminal, "\(plan.joined(separator: "\n"))")
        }
    }

    /// The id of a notification is the order of time, so the newest rows are the last ones of an index.
    @Test(arguments: ["notifications", "ended_deliveries"]) func theNewestAreReadWithoutALookAtTheOthers(view: String) async throws {
        try await withOwnSystem { system in
            _ = try await system.query("select tidings.ensure_partitions(29, 7)")
            _ = try await system.query(
                """
                with added as (
                    insert into tidings.notifications (id, tenant, source, event_id, recipient_id, type, category, lane, data, critical,
                        expires_at, accepted_at, planned, decision, catalogue)
                    select tidings.first_id(at), 'default', '/tests', 'e' || n, 'r' || n % 100, 'orderUpdate', 'transactional', 'urgent', '{}',
                        false, at + interval '1 day', at, 2, '{}', 'c'
                    from generate_series(1, 5000) n, lateral (select tidings.clock() - n * interval '0.1 s' as at) t
                    returning id, accepted_at
                )
                insert into tidings.deliveries (notification_id, ordinal, tenant, channel, provider, state, reason, attempts, ended_at)
                select id, ordinal, 'default', 'push', 'fcm', 'sent', 'providerAccepted', 1, accepted_at from added, generate_series(0, 1) ordinal
                """)
            _ = try await system.query("analyze tidings.notifications")
            _ = try await system.query("analyze tidings.deliveries")
            let plan = try await system.query(
                "explain (analyze, timing off) select * from tidings_ops.\(unsafe: view) order by notification_id desc limit 20"
            ).rows.map { try $0.decode(String.self) }
            // "… on deliveries_p20261128 d_30 (cost=…) (actual rows=21 loops=1)": of each scan the rows of all its loops.
            let read = plan.filter { $0.contains(" on notifications_p") || $0.contains(" on deliveries_p") }.compactMap { line in
                line.firstMatch(of: /actual rows=(\d+) loops=(\d+)/).map { (Int($0.1) ?? 0) * (Int($0.2) ?? 0) }
            }
            #expect(read.reduce(0, +) < 200, "\(plan.joined(separator: "\n"))")
        }
    }

    /// A server process writes its last statistics when it ends, a moment after the command that it served. Counts may still arrive a moment
    /// later on a busy machine.
    private func statisticsAreComplete(in system: TestSystem) async throws {
        let ended = try await system.eventually(
            "select count(*) from pg_stat_activity where datname = current_database() and application_name like 'tidings cli%'"
        ) { $0 == 0 }
        try #require(ended)
    }

    /// At once, again, with another content, later, tried again, and one channel after the other. Waits until all are decided.
    private func publishEachKind(_ pipeline: Pipeline) async throws {
        let soon = try await pipeline.clock(plus: "1 minute")
        await pipeline.publish(event(id: "once", to: "reader"))
        await pipeline.publish(event(id: "once", to: "reader"))
        await pipeline.publish(event(id: "once", to: "reader", title: "Another title"))
        await pipeline.publish(event(id: "scheduled", to: "reader", data: #""scheduledFor":"\#(soon)""#))
        await pipeline.publish(event(id: "critical", to: "reader", data: #""critical":true"#))
        await pipeline.publish(event(id: "refused", to: "caller", data: #""channels":["webhook"],"expiresAt":"\#(soon)""#))
        let areDecided = try await pipeline.system.eventually(within: Pipeline.patience, Pipeline.takenQuery) { $0 == 6 }
        try #require(areDecided, "\(pipeline.roles.errorsSoFar)")
        let isTriedAgain = try await pipeline.system.eventually(
            within: Pipeline.patience, "select count(*) from tidings.due where kind = 'retry' and attempt >= 2"
        ) { $0 == 1 }
        try #require(isTriedAgain, "\(pipeline.roles.errorsSoFar)")
    }

    /// Ends the roles, lets a second process die while it holds a pack, and returns the third process.
    private func replaceByOneAfterADeath(_ pipeline: Pipeline) async throws -> TestProcess {
        pipeline.roles.signal(SIGTERM)
        _ = await pipeline.roles.finish()
        let dying = try await Pipeline.startRoles(
            of: pipeline.system, with: Self.planning.merging(["TIDINGS_FAULT_AT": "afterClaim:1"]) { $1 })
        await pipeline.publish(event(id: "orphan", to: "reader", data: #""channels":["push"]"#))
        #expect(await dying.finish().exitCode == SIGKILL)
        return try await Pipeline.startRoles(of: pipeline.system, with: Self.planning)
    }

    /// The number of packs and due deliveries, without a look at a big table.
    private static let pending: SQL = "select (select count(*) from tidings.packs) + (select count(*) from tidings.due)"

    /// The reads of one table, as PostgreSQL has counted them.
    private struct BigTable: Equatable, CustomStringConvertible {
        var name: String
        /// The day as YYYYMMDD. Nil for tables that are not kept by day.
        var day: String?
        var wholeReads: Int
        var indexReads: Int
        var wasWritten: Bool

        var description: String { "\(name): \(wholeReads) whole, \(indexReads) by index" }
    }

    /// The tables that grow with the amount of kept data.
    private func bigTables(of system: TestSystem) async throws -> [BigTable] {
        try await system.query(
            #"""
            select relname::text, substring(relname from '_p(\d{8})$'), seq_scan, coalesce(idx_scan, 0), n_tup_ins > 0
            from pg_stat_user_tables where schemaname = 'tidings' and relname ~ '_p\d{8}$|^idempotency_|^inbox_|^recipients$|^endpoints$' order by 1
            """#
        ).rows.map {
            let (name, day, whole, indexed, wasWritten) = try $0.decode((String, String?, Int, Int, Bool).self)
            return BigTable(name: name, day: day, wholeReads: whole, indexReads: indexed, wasWritten: wasWritten)
        }
    }
}
