import Foundation
import Glibc
import Testing
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

/// `tidings status` and `tidings doctor` are green only while everything works. A user who may only read may run both.
@Suite struct StatusTests {
    /// The only router dies while messages wait. A worker stops because it was asked to.
    @Test func aDeadWorkerIsNamed() async throws {
        try await withPipeline { pipeline in
            let system = pipeline.system
            pipeline.roles.signal(SIGTERM)
            _ = await pipeline.roles.finish()
            #expect(try await Self.states(in: system) == ["all stopped"], "a clean stop is no loss")

            let roles = try ["router", "deliver", "release"].map { try system.start("run", $0) }
            let running: SQL = "select count(*) from tidings_ops.workers where state = 'running'"
            #expect(try await system.eventually(running) { $0 == 3 }, "\(roles.map(\.errorsSoFar))")
            roles[0].signal(SIGKILL)
            _ = await roles[0].finish()
            await pipeline.publish(event(id: "waits", to: "reader"))
            // The heartbeats end now. Moving them back by a minute shows the silence of half a minute that others look for.
            _ = try await system.query(
                """
                update tidings.workers set started_at = started_at - interval '1 minute', heartbeat_at = heartbeat_at - interval '1 minute'
                where role in ('router', 'all')
                """)
            var status = try await system.tidings("status")
            let isSeen = try await eventually {
                status = try await system.tidings("status")
                // An idle queue is left out once it was sampled with its consumer.
                return status.output.contains("1 message waits in tidings.intents.urgent since ")
                    && !status.output.contains("tidings.deliver.inApp")
            }
            #expect(isSeen && status.exitCode == 1, "\(status.output)\(status.errors)")
            #expect(status.output.hasPrefix("Degraded: no router runs, the last one was lost at "), "\(status.output)")
            #expect(try await system.tidings("status", "--all").output.contains("tidings.deliver.inApp"))
            let json = try JSON.parse(try await system.tidings("status", "-o", "json").output)
            #expect(json["verdict"]?.stringValue?.hasPrefix("Degraded: ") == true && json["level"] == "error", "\(json)")
            let codes = (json["problems"]?.arrayValue ?? []).compactMap { $0["code"]?.stringValue }
            #expect(codes.contains("noRunningRouter") && codes.contains("queueWithoutConsumer"), "\(codes)")
            let doctor = try await system.tidings("doctor")
            #expect(doctor.exitCode == 1 && doctor.output.contains("✗ workers: no router runs"), "\(doctor.output)")
            #expect(doctor.output.contains("in tidings.intents.urgent") && doctor.output.contains("tidings run router"), "\(doctor.output)")

            let again = try system.start("run", "router")
            #expect(
                try await pipeline.outcome(of: "waits") == [
                    Ended("inApp", "delivered", "delivered"), Ended("push", "suppressed", "noDevice"),
                ])
            let isWell = try await eventually {
                status = try await system.tidings("status")
                return status.exitCode == 0
            }
            #expect(isWell, "\(status.output) \(again.errorsSoFar)")
        }
    }

    /// The only process of the API dies. No queue waits for the API, so only its heartbeat shows that.
    @Test func anAPIThatIsGoneIsNamed() async throws {
        try await withPipeline { pipeline in
            let system = pipeline.system
            let api = try system.start("run", "api", with: ["TIDINGS_API_LISTEN": "127.0.0.1:0"])
            let isHeard = try await system.eventually("select count(*) from tidings_ops.workers where role = 'api'") { $0 == 1 }
            #expect(isHeard, "\(api.errorsSoFar)")
            api.signal(SIGKILL)
            _ = await api.finish()
            // The heartbeats end now. Moving them back by two hours shows a silence that is forgotten for other roles.
            _ = try await system.query(
                """
                update tidings.workers set started_at = started_at - interval '2 hours', heartbeat_at = heartbeat_at - interval '2 hours'
                where role = 'api'
                """)
            let beside = try await system.tidings("status")
            #expect(beside.output.contains("! workers: no api runs, the last one was lost at "), "\(beside.output)\(beside.errors)")
            pipeline.roles.signal(SIGTERM)
            _ = await pipeline.roles.finish()
            let alone = try await system.tidings("status")
            #expect(alone.exitCode == 1 && alone.output.contains("✗ workers: no api runs"), "\(alone.output)\(alone.errors)")
        }
    }

    private static func states(in system: TestSystem) async throws -> [String] {
        try await system.query("select role || ' ' || state from tidings_ops.workers order by started_at").rows.map {
            try $0.decode(String.self)
        }
    }

    /// A user with the rights of `tidings_ops_read` only, and without a broker, reads the same as the owner.
    @Test func aUserWhoMayOnlyReadReadsTheSame() async throws {
        try await withPipeline { pipeline in
            let system = pipeline.system
            _ = try await system.tidings("recipient", "set", "reader", "--time-zone", "Asia/Kathmandu")
            await pipeline.publish(event(id: "one", to: "reader"))
            await pipeline.publish("hello", key: "transactional.hello")
            _ = try await pipeline.outcome(of: "one")
            #expect(try await system.eventually("select count(*) from tidings_ops.rejected") { $0 == 1 })
            _ = try await system.tidings("pause", "tenant", "acme", "--reason", "a test", "--no-check")
            let dead = try await system.count(
                """
                insert into tidings.dead (fingerprint, at, queue, reason, message, deaths, exchange, routing_key, headers, raw, size)
                values (gen_random_uuid(), now(), 'q', 'notJSON', '', 1, '', 'k', '{}', '', 0) returning id
                """)
            let id = try await pipeline.notificationID(of: "one")
            let rejected = String(try await system.count("select rejected_id from tidings_ops.rejected"))
            // Roles belong to the whole server, so each test uses a name of its own.
            let name = "tidings_reader_\(UInt32.random(in: 0...UInt32.max))"
            _ = try await system.query("create role \(unsafe: name) login password 'secret' in role tidings_ops_read")
            var url = try #require(URLComponents(string: system.databaseURL))
            (url.user, url.password) = (name, "secret")
            var environment = system.environment
            environment["TIDINGS_AMQP_URL"] = nil
            environment["TIDINGS_DATABASE_URL"] = url.string
            for arguments in [
                ["why", "one"], ["why", id, "-o", "json"], ["find", "one"], ["notification", "list"], ["notification", "show", id],
                ["delivery", "list"], ["delivery", "show", "\(id)/0"], ["pause", "list"], ["pause", "list", "--all"], ["dead", "list"],
                ["rejected", "list"],
            ] {
                let (mine, all) = (
                    try await CommandLineTests.run(arguments, environment), try await CommandLineTests.run(arguments, system.environment)
                )
                #expect(
                    mine.exitCode == 0 && mine.output == all.output && !mine.output.isEmpty, "\(arguments): \(mine.output)\(mine.errors)")
            }
            // This user may not see the texts of people, but may see why an event was refused.
            for arguments in [["rejected", "show", rejected], ["dead", "show", String(dead)]] {
                let result = try await CommandLineTests.run(arguments, environment)
                #expect(result.exitCode == 0 && result.output.contains("notJSON"), "\(arguments): \(result.output)\(result.errors)")
                #expect(result.output.contains("withheld") && !result.output.contains("raw"), "\(result.output)")
            }
            // The figures of these commands change, so the test compares only their answers.
            let status = try await CommandLineTests.run(["status"], environment)
            #expect(status.exitCode == 0 && status.output.contains("· pauses: tenant acme is paused"), "\(status.output)\(status.errors)")
            let doctor = try await CommandLineTests.run(["doctor"], environment)
            #expect(doctor.exitCode == 0, "\(doctor.output)\(doctor.errors)")
            #expect(doctor.output.contains("· catalogue: not checked") && doctor.output.contains("· broker: not asked"), "\(doctor.output)")
            let refused = try await CommandLineTests.run(["resume", "tenant", "acme"], environment)
            #expect(refused.exitCode == 77 && refused.errors.contains("tidings_run"), "\(refused.errors)")
            _ = try await system.query("drop role \(unsafe: name)")
        }
    }
}
