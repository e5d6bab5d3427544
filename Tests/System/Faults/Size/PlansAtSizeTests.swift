import Foundation
import PrivateServers
import Testing
import TidingsCore
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

extension Faults {
    /// The paths of the product beside a million rows. PostgreSQL's own log has the plan of each statement, with the rows that it read.
    @Suite struct PlansAtSizeTests {
        /// Whether a table grows with the amount of kept data.
        private static func isLarge(_ table: String) -> Bool {
            table.contains(/^(notifications|deliveries|attempts|decisions|reports)_p\d{8}$/)
                || table.contains(/^((inbox|idempotency|engagement)_\d+|inboxes|recipients|endpoints|addresses|rejected|dead)$/)
        }

        /// The beginnings of statements that may read more, each with its reason.
        private static let readsMore = [
            // They look at no more than `Store.openRefusedCounted` rows.
            "select (select count(*) from (select from tidings.rejected r",
            "select row_to_json(report)::text from (select (select count(*) from (select r.last_at",
            // It counts a week's failed calls.
            "select * from tidings_ops.errors limit",
            // PostgreSQL 15 plans each part of a union as if it were read whole. `ended_deliveries` is for the newest rows.
            "select * from tidings_ops.deliveries limit",
        ]

        /// The people who get notifications while plans are logged.
        private static let people = 0..<20

        /// So many rows of a large table may always be read, such as a person's whole inbox.
        private static let few = 2_000

        @Test func noStatementIsCompiledOrReadsMoreThanItNeeds() async throws {
            try await withFaultyServers { servers, system, folder in
                try await FilledDatabase.fill(system)
                let receiver = try await Receiver.start(in: system, folder: folder)
                try await system.applyCatalogue(folder: folder)
                for number in Self.people { try await system.setWebhook(of: "r\(number)", to: "\(receiver.url)ok") }
                try await Self.explainEverything(in: system)
                try await Self.intake(system)
                try await Self.readInboxes(system)
                try await Self.ask(system)
                try await Self.lookAsAnOperator(system)

                let log = try String(contentsOfFile: "\(servers.layout.logFolder)/postgresql.log", encoding: .utf8)
                let plans = try LoggedPlans(log: log).all
                #expect(plans.count > 200, "every statement is logged")
                for plan in plans {
                    #expect(!plan.isCompiled, "compiled: \(plan.statement)")
                    if Self.readsMore.contains(where: plan.statement.hasPrefix) { continue }
                    let large = plan.scans.filter { Self.isLarge($0.table) }
                    let whole = large.filter { $0.isWhole && $0.read > Self.few }
                    #expect(whole.isEmpty, "read whole: \(whole.map { "\($0.table) \($0.read)" }): \(plan.statement)")
                    let read = large.reduce(0) { $0 + $1.read }
                    #expect(read <= max(Self.few, 10 * plan.returned), "\(read) rows were read for \(plan.returned): \(plan.statement)")
                }
            }
        }

        /// From now on new sessions log every plan. `jit` stays on for everybody who does not turn it off.
        private static func explainEverything(in system: TestSystem) async throws {
            for setting in [
                "auto_explain.log_min_duration = 0", "auto_explain.log_analyze = on", "auto_explain.log_timing = off",
                "auto_explain.log_nested_statements = on", "auto_explain.log_format = 'json'", "jit = on",
                "session_preload_libraries = 'auto_explain'",
            ] {
                _ = try await system.query("alter database tidings set \(unsafe: setting)")
            }
        }

        /// Accepts, holds, refuses and delivers, releases what is due, and recovers the packs of a worker that dies.
        private static func intake(_ system: TestSystem) async throws {
            let dying = try await system.startRole("all", with: ["TIDINGS_FAULT_AT": "afterClaim:1"])
            for number in people { try await send(system, "now-\(number)", to: "r\(number)", "--channel", "webhook", "--channel", "inApp") }
            try await send(system, "later", to: "r1", "--in", "30m")
            _ = try await system.tidings("send", "noSuchType", "--to", "r1", "--title", "T", "--id", "refused", "--no-check")
            #expect(await dying.finish().exitCode == SIGKILL)
            let roles = try await system.startRole("all")
            let isDone = try await reached(within: .seconds(120)) {
                try await system.passAMinute()
                let isIdle = try await system.count("select (select count(*) from tidings.packs) + (select count(*) from tidings.due)") == 0
                let isStored = try await system.count("select count(*) from tidings.notifications where event_id = 'later'") == 1
                return isIdle && isStored
            }
            #expect(isDone, "\(roles.errorsSoFar)")
            roles.signal(SIGTERM)
            _ = await roles.finish()
        }

        private static func send(_ system: TestSystem, _ id: String, to person: String, _ more: String...) async throws {
            let command = ["send", "orderUpdate", "--to", person, "--title", "T", "--id", id] + more
            let result = try await TestProcess([TestSystem.binary] + command, environment: system.environment).finish()
            try #require(result.exitCode == 0, "\(result.errors)")
        }

        /// The statements behind the lists, the counts, the event streams and the reports of apps.
        private static func readInboxes(_ system: TestSystem) async throws {
            let store = Store(try PostgresConfiguration(url: system.databaseURL), size: 2, name: "size tests")
            let person = RecipientKey(tenant: "default", id: "r7")
            let page = try await store.inbox.page(of: person, limit: 20, from: .cursor(nil))
            _ = try await store.inbox.counts(of: person)
            if let item = page.items.first {
                _ = try await store.inbox.item(item.id, of: person)
                let events = [EngagementEvent(.opened, notification: item.id, device: "phone"), EngagementEvent(.displayed)]
                #expect(try await store.engagement.record(events, of: person, defaultMarket: "default") == .stored([true, true]))
                try await store.engagement.rollUp()
                #expect(try await store.reports.confirmReceipt(of: item.id, on: "phone", by: person) == .unknown)
                #expect(try await store.inbox.markAllRead(before: .entry(item.id), of: person)?.changed == page.items.count)
            }
            // Half of them know a position that has passed, so that their news have entries.
            let watchers = (1...Store.inboxWatchersPerQuery).map { number in
                InboxWatcher(RecipientKey(tenant: "default", id: "r\(number)"), known: number.isMultiple(of: 2) ? .nothing : .position(1))
            }
            #expect(try await store.inbox.news(of: watchers).count == watchers.count)
            #expect(try await store.inbox.changed(since: watchers).count == watchers.count / 2)
            #expect(try await store.inbox.wakeSnoozed() == nil)
            #expect(try await store.inbox.prune() == false)
            await store.close()
        }

        private static func ask(_ system: TestSystem) async throws {
            let commands = [
                ["status"], ["doctor"], ["why", "now-1"], ["why", "r7"], ["find", "now-1"], ["find", "r7"], ["find", "default/r7"],
                ["find", "nothing-has-this-id"], ["notification", "list", "--limit", "20"],
                ["notification", "list", "--recipient", "r7"], ["delivery", "list", "--limit", "20"],
                ["delivery", "list", "--channel", "push", "--limit", "20"], ["delivery", "list", "--state", "held"],
                ["rejected", "list"], ["dead", "list"], ["recipient", "show", "r7"], ["device", "list", "r7"],
            ]
            for command in commands {
                let result = try await TestProcess([TestSystem.binary] + command, environment: system.environment).finish()
                #expect([0, 1].contains(result.exitCode), "\(command): \(result.errors)")
            }
        }

        /// An operator's own session, in which `jit` is on.
        private static func lookAsAnOperator(_ system: TestSystem) async throws {
            let id = "(select notification_id from tidings_ops.notifications order by notification_id desc limit 1)"
            let views = try await system.query(
                "select viewname::text from pg_views where schemaname = 'tidings_ops' and viewname <> 'outcomes_by_market' order by 1"
            ).rows.map { try $0.decode(String.self) }
            let queries =
                views.map { "select * from tidings_ops.\($0) limit 20" }
                + ["notifications", "ended_deliveries"].map { "select * from tidings_ops.\($0) order by notification_id desc limit 20" }
                + ["notifications", "deliveries"].map {
                    "select * from tidings_ops.\($0) where recipient_id = 'r7' order by notification_id desc limit 20"
                }
                + ["deliveries", "attempts", "decisions", "timeline"].map {
                    "select * from tidings_ops.\($0) where notification_id = \(id)"
                } + ["select * from tidings_ops.deliveries where state = 'held'", "select * from tidings_ops.find('r7')"]
                + ["select * from tidings_ops.promised('01890000-0000-7000-8000-000000000000')", "select tidings_ops.kept_since()"]
                + ["select * from tidings_ops.reconcile('/tests', array['now-1', 'nothing'], tidings.clock() - interval '2 hours')"]
            let psql = try await TestProcess(
                ["/usr/bin/env", "psql", system.databaseURL, "-X", "-q", "-v", "ON_ERROR_STOP=1"] + queries.flatMap { ["-c", $0] },
                environment: system.environment
            ).finish()
            #expect(psql.exitCode == 0, "\(psql.errors)")
        }
    }
}
