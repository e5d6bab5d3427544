import Foundation
import PrivateServers
import Testing
import TidingsPostgres
import TidingsTestSupport

/// The marked blocks of the README and of the guides, run to the letter.
@Suite struct GuideTests {
    @Test func thePythonProducerIsDelivered() async throws {
        let program = try Guides().example("pika")
        try await withPipeline { pipeline in
            try await withFile(program) { path in
                // pika refuses the time limit in the URL of the system's own processes.
                let environment = pipeline.system.environment.merging(["TIDINGS_AMQP_URL": pipeline.system.amqpURL]) { $1 }
                let result = try await TestProcess(["/usr/bin/python3", path], environment: environment).finish()
                #expect(result.exitCode == 0, "\(result.errors)")
            }
            let delivered = try await pipeline.system.eventually("select count(*) from tidings_ops.deliveries where state = 'delivered'") {
                $0 > 0
            }
            let refused = try await pipeline.json("rejected", "list")
            #expect(delivered, "rejected: \(refused)")
            try await pipeline.expectSound()
        }
    }

    /// The first transaction of the example rolls back, the second one commits.
    @Test func theSQLProducerIsDelivered() async throws {
        let guides = try Guides()
        let (producer, question) = (try guides.example("enqueue"), try guides.example("refused events"))
        try await withPipeline { pipeline in
            let connection = try await PostgresConnection.connect(PostgresConfiguration(url: pipeline.system.databaseURL))
            try await connection.execute(script: producer)
            try await connection.execute(script: question)
            await connection.close()
            #expect(try await pipeline.outcome(of: "order-18").contains(Ended("inApp", "delivered", "delivered")))
            #expect(try await pipeline.system.count("select count(*) from tidings_ops.notifications") == 1)
        }
    }

    @Test func aTypeOfOnesOwnIsDelivered() async throws {
        let script = try Guides().example("own type")
        try await withPipeline { pipeline in
            let result = try await Self.run(script, in: pipeline)
            #expect(result.exitCode == 0, "\(result.output)\(result.errors)")
            let ownType = try await pipeline.system.count(
                """
                select count(*) from tidings_ops.deliveries d where d.state = 'delivered'
                    and d.type not in ('orderUpdate', 'promotion', 'reminder', 'social', 'system', 'like', 'match')
                """)
            #expect(ownType > 0, "\(result.output)\(result.errors)")
        }
    }

    /// The guide's port is replaced, because other programs of this machine may have it.
    @Test func aPushWithoutAnAccountIsSent() async throws {
        let guides = try Guides()
        let (standIn, push) = (try guides.example("stand-in for Firebase"), try guides.example("push to the stand-in"))
        let claim = try LoopbackPort.unused()
        let script = "trap 'kill $(jobs -p)' EXIT\n" + (standIn + push).replacingOccurrences(of: "18099", with: "\(claim.port)")
        try await withPipeline { pipeline in
            let result = try await Self.run(script, in: pipeline)
            #expect(result.exitCode == 0, "\(result.output)\(result.errors)")
            let ends = try await pipeline.byProvider(of: "push-1")
            #expect(ends == ["fcm sent accepted", "inbox delivered delivered"], "\(result.output)\(result.errors)")
        }
        // Until here no other server of a test chooses the port.
        withExtendedLifetime(claim) {}
    }

    @Test func everyCommandSucceeds() async throws {
        let scripts = try Guides().scripts
        #expect(scripts.count >= 8, "the guides show commands: \(scripts.map(\.name))")
        try await withPipeline { pipeline in
            for script in scripts {
                let result = try await Self.run(script.text, in: pipeline)
                #expect(result.exitCode == 0, "\(script.name): \(result.output)\(result.errors)")
            }
        }
    }

    @Test func everyQueryRuns() async throws {
        let queries = try Guides().queries
        #expect(queries.count >= 10, "the guides show queries: \(queries.map(\.name))")
        try await withPipeline { pipeline in
            await pipeline.publish(event(id: "one", to: "user-42"))
            _ = try await pipeline.outcome(of: "one")
            let connection = try await PostgresConnection.connect(PostgresConfiguration(url: pipeline.system.databaseURL))
            try await connection.execute(script: "set role tidings_ops_read")
            for query in queries {
                do {
                    try await connection.execute(script: query.text)
                } catch {
                    Issue.record("query \(query.name): \(error)")
                }
            }
            await connection.close()
        }
    }

    /// A shell script in a folder of its own; `tidings` is found as it is after `deploy/install`.
    private static func run(_ script: String, in pipeline: Pipeline) async throws -> TestProcess.Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tidings-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var environment = pipeline.system.environment
        let binaries = URL(fileURLWithPath: TestSystem.binary).deletingLastPathComponent().path
        environment["PATH"] = binaries + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
        let result = try await TestProcess(
            ["/bin/bash", "-euo", "pipefail", "-c", script], environment: environment, directory: folder.path
        ).finish()
        try FileManager.default.removeItem(at: folder)
        return result
    }
}
