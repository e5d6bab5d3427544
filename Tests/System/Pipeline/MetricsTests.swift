import Foundation
import Glibc
import Testing
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

/// The figures that a role reports over HTTP and in its log agree with its work.
@Suite struct MetricsTests {
    private static let intents = 40
    private static let critical = 5

    @Test func metricsAgreeWithTheDatabaseAndLogLinesNameIdsOnly() async throws {
        let variables = HealthClient.variables.merging(["TIDINGS_LOG": "debug", "TIDINGS_LOG_FORMAT": "json"]) { $1 }
        try await withPipeline(catalogue: TestCatalogue.withPush, variables: variables) { pipeline in
            let health = try await HealthClient(of: pipeline.roles)
            let ready = try await eventually { try await health.ask("/health/ready").status == 200 }
            #expect(ready, "\(pipeline.roles.errorsSoFar.suffix(2_000))")

            for number in 0..<Self.intents {
                await pipeline.publish(event(id: "seen-\(number)", to: "private-person-\(number)", title: "A secret title"))
            }
            // Critical notifications go through a worker. Others are stored in the inbox together with their notification, and no worker
            // sees them.
            for number in 0..<Self.critical {
                await pipeline.publish(
                    event(id: "critical-\(number)", to: "private-person-\(number)", data: #""critical":true,"channels":["inApp"]"#))
            }
            await pipeline.publish(event(id: "seen-0", to: "private-person-0", title: "A secret title"))
            await pipeline.publish(event(id: "unknown", type: "noSuchType", to: "private-person-0"))
            for number in 0..<Self.intents { _ = try await pipeline.outcome(of: "seen-\(number)") }
            for number in 0..<Self.critical { _ = try await pipeline.outcome(of: "critical-\(number)") }

            // The role counts shortly after the commit, and a query may see the commit earlier.
            var samples: [String: Double] = [:]
            let agrees = try await eventually {
                samples = try Self.samples(of: try await health.ask("/metrics").text)
                return samples[#"tidings_intents_total{result="duplicate"}"#] == 1
                    && samples[#"tidings_intents_total{result="rejected"}"#] == 1
                    && samples["tidings_rejected_open"] == 1 && (samples["tidings_rejected_kept_bytes"] ?? 0) > 0
                    && samples[#"tidings_deliveries_total{channel="push",provider="phone",state="sent"}"#] == Double(Self.intents)
                    && samples[#"tidings_deliveries_total{channel="inApp",provider="inbox",state="delivered"}"#] == Double(Self.critical)
            }
            #expect(agrees, "\(samples.filter { $0.key.contains("intents_total") || $0.key.contains("deliveries_total") })")
            try await Self.expectAgreement(samples, with: pipeline.system)
            #expect(samples["tidings_packs_waiting"] == 0)
            #expect(samples[#"tidings_provider_call_duration_seconds_count{provider="phone",outcome="accepted"}"#] == Double(Self.intents))
            #expect(samples[#"tidings_broker_connected{link="tidings.intents.urgent"}"#] == 1)
            #expect((samples["process_resident_memory_bytes"] ?? 0) > 1_000_000)
            let age = Date().timeIntervalSince1970 - (samples["process_start_time_seconds"] ?? 0)
            #expect(age > 0 && age < 600, "started \(age) s ago")

            try await Self.expectLog(of: pipeline)
            pipeline.roles.signal(SIGTERM)
            let result = await pipeline.roles.finish()
            #expect(result.exitCode == 0, "\(result.errors.suffix(2_000))")
        }
    }

    @Test func pathsAndMethods() async throws {
        try await withPipeline(variables: HealthClient.variables) { pipeline in
            let health = try await HealthClient(of: pipeline.roles)
            let live = try await health.ask("/health/live")
            #expect(live.status == 200 && live.text == "ok\n")
            let becomesReady = try await eventually { try await health.ask("/health/ready").text == #"{"ready":true,"missing":[]}"# + "\n" }
            #expect(becomesReady)
            let metrics = try await health.ask("/metrics")
            #expect(metrics.status == 200 && metrics.type == "text/plain; version=0.0.4; charset=utf-8")
            for path in ["/", "/metrics/", "/health", "/health/Live", "/%2e%2e/etc/passwd"] {
                #expect(try await health.ask(path).status == 404, "\(path)")
            }
            for path in ["/metrics", "/health/live", "/health/ready"] {
                #expect(try await health.ask(path, method: "POST").status == 405, "\(path)")
            }

            let second = try pipeline.system.start("run", "router", with: ["TIDINGS_METRICS_LISTEN": health.address])
            let result = await second.finish()
            #expect(
                result.exitCode == 78 && result.errors.contains("TIDINGS_METRICS_LISTEN: cannot listen on \(health.address)"),
                "\(result.errors)")
            let routers = try await pipeline.system.count("select count(*) from tidings.workers where role = 'router'")
            #expect(routers == 0, "what never ran is nobody's caller")
            #expect(try await health.ask("/health/live").status == 200)
        }
    }

    @Test(arguments: [
        ("TIDINGS_METRICS_LISTEN", "localhost:9464"), ("TIDINGS_METRICS_LISTEN", "127.0.0.1"),
        ("TIDINGS_METRICS_LISTEN", "127.0.0.1:65536"),
        ("TIDINGS_METRICS_LISTEN", "::1:9464"), ("TIDINGS_LOG", "loud"), ("TIDINGS_LOG_FORMAT", "xml"),
    ])
    func aWrongSettingIsNamed(name: String, value: String) async throws {
        let servers = ["TIDINGS_AMQP_URL": "amqp://127.0.0.1:1/", "TIDINGS_DATABASE_URL": "postgres://127.0.0.1:1/none"]
        let result = try await CommandLineTests.run(["run", "router"], servers.merging([name: value]) { $1 })
        #expect(result.exitCode == 78 && result.errors.contains("\(name): \(value) is"), "\(result.errors)")
    }

    /// Checks that the process and the database agree on intents, deliveries and packs.
    private static func expectAgreement(_ samples: [String: Double], with system: TestSystem) async throws {
        let accepted = try await system.count("select count(*) from tidings_ops.notifications")
        #expect(samples[#"tidings_intents_total{result="accepted"}"#] == Double(accepted) && accepted == intents + critical)
        let refused = try await system.count("select count(*) from tidings_ops.rejected")
        #expect(samples[#"tidings_intents_total{result="rejected"}"#] == Double(refused))
        let rows = try await system.query(
            """
            select d.channel, d.provider, d.state, count(*) from tidings_ops.deliveries d join tidings_ops.notifications n using (notification_id)
            where n.idempotency_key like 'critical-%' or d.channel <> 'inApp' group by d.channel, d.provider, d.state
            """
        ).rows
        #expect(rows.count == 2)
        for row in rows {
            let (channel, provider, state, count) = try row.decode((String, String, String, Int).self)
            let name = "tidings_deliveries_total{channel=\"\(channel)\",provider=\"\(provider)\",state=\"\(state)\"}"
            #expect(samples[name] == Double(count), "\(name)")
        }
        let published = samples["tidings_packs_published_total"] ?? 0
        #expect(published > 0 && samples["tidings_packs_confirmed_total"] == published)
        for step in ["route", "inbox", "claim", "settle"] {
            #expect((samples["tidings_batch_duration_seconds_count{step=\"\(step)\"}"] ?? 0) > 0, "\(step)")
        }
    }

    /// Checks that every line is an object, and that batches are logged with the ids of their packs. No name of a person and no text may
    /// appear.
    private static func expectLog(of pipeline: Pipeline) async throws {
        let lines = pipeline.roles.errorsSoFar.split(separator: "\n")
        let objects = try lines.map { try JSON.parse(String($0)) }
        #expect(objects.allSatisfy { line in ["time", "level", "role", "message"].allSatisfy { line[$0]?.stringValue != nil } })
        for message in ["routed a batch", "wrote inbox rows", "recorded outcomes"] {
            let line = objects.first { $0["message"]?.stringValue == message }
            #expect(line?["milliseconds"]?.intValue != nil && line?["firstPack"]?.stringValue?.isEmpty == false, "\(message)")
        }
        #expect(!pipeline.roles.errorsSoFar.contains("private-person"))
        #expect(!pipeline.roles.errorsSoFar.contains("secret title"))
        let password = try #require(URLComponents(string: pipeline.system.databaseURL)?.password)
        #expect(!pipeline.roles.errorsSoFar.contains(password), "a secret of the environment is logged")
    }

    /// Reads the text as strictly as a scraper: every line is a comment or a sample, and no sample occurs twice.
    private static func samples(of text: String) throws -> [String: Double] {
        let sample = /([a-zA-Z_:][a-zA-Z0-9_:]*(?:\{(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)+\})?) ([0-9.e+-]+)/
        var samples: [String: Double] = [:]
        try #require(text.hasSuffix("\n"))
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        where !line.hasPrefix("# HELP ") && !line.hasPrefix("# TYPE ") {
            let match = try #require(try sample.wholeMatch(in: line), "\(line)")
            let value = try #require(Double(match.2), "\(line)")
            #expect(samples.updateValue(value, forKey: String(match.1)) == nil, "\(line) comes twice")
        }
        return samples
    }
}
