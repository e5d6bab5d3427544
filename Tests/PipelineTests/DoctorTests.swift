import Glibc
import Testing
import TidingsAMQP
import TidingsPostgres
import TidingsTestSupport
import TidingsWire

/// `tidings doctor` tells what is missing or different before anybody waits for a notification in vain.
@Suite struct DoctorTests {
    @Test func itPassesWhereAllIsWellAndTellsDrift() async throws {
        try await withPipeline { pipeline in
            let healthy = try await pipeline.system.tidings("doctor")
            #expect(healthy.exitCode == 0, "\(healthy.output)\(healthy.errors)")

            // Without a role, nobody mends what the test breaks.
            pipeline.roles.signal(SIGTERM)
            let ended = await pipeline.roles.finish()
            #expect(ended.exitCode == 0, "a clean stop: \(ended.errors)")

            let control = AMQPControl(configuration: try AMQPConfiguration(url: pipeline.system.amqpURL))
            try await control.deleteQueue("tidings.intents.bulk")
            try await control.deleteQueue("tidings.deliver.inApp.inbox.urgent")
            try await control.declareQueue(QueueDeclaration(name: "tidings.deliver.inApp.inbox.urgent"))

            let checks = try await pipeline.system.tidings("doctor", "-o", "json")
            // Or the next system on this virtual host could not start.
            try await control.deleteQueue("tidings.deliver.inApp.inbox.urgent")
            await control.close()
            #expect(checks.exitCode == 1)
            let failed = (try JSON.parse(checks.output).arrayValue ?? []).filter { $0["verdict"] == "fail" }
                .compactMap { $0["detail"]?.stringValue }
            #expect(failed.contains { $0.contains("tidings.intents.bulk is missing") }, "\(failed)")
            #expect(failed.contains { $0.contains("tidings.deliver.inApp.inbox.urgent is different") }, "\(failed)")
            #expect(failed.count == 2, "\(failed)")
        }
    }

    @Test func itNamesTheServerThatIsAway() async throws {
        try await withOwnSystem { system in
            var environment = system.environment
            environment["TIDINGS_AMQP_URL"] = "amqp://guest:guest@127.0.0.1:1/"
            let result = try await CommandLineTests.run(["doctor"], environment)
            #expect(result.exitCode == 1)
            #expect(result.output.contains("✓ database") && result.output.contains("✗ broker"), "\(result.output)")
        }
    }
}
