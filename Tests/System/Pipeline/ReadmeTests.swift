import Foundation
import Testing
import TidingsPostgres
import TidingsTestSupport

/// What the README tells a reader to run, run to the letter.
@Suite struct ReadmeTests {
    @Test func thePythonProducerIsDelivered() async throws {
        let program = try Readme().example("pika")
        try await withPipeline { pipeline in
            try await withFile(program) { path in
                let result = try await TestProcess(["/usr/bin/python3", path], environment: pipeline.system.environment).finish()
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

    /// The block is a shell script; `tidings` is found as it is after `deploy/install`.
    @Test func aTypeOfOnesOwnIsDelivered() async throws {
        let script = try Readme().example("own type")
        try await withPipeline { pipeline in
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tidings-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            var environment = pipeline.system.environment
            let binaries = URL(fileURLWithPath: TestSystem.binary).deletingLastPathComponent().path
            environment["PATH"] = binaries + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
            let result = try await TestProcess(
                ["/bin/bash", "-euo", "pipefail", "-c", script], environment: environment, directory: folder.path
            ).finish()
            try FileManager.default.removeItem(at: folder)
            #expect(result.exitCode == 0, "\(result.output)\(result.errors)")
            let ownType = try await pipeline.system.count(
                """
                select count(*) from tidings_ops.deliveries d where d.state = 'delivered'
                    and d.type not in ('orderUpdate', 'promotion', 'reminder', 'social', 'system', 'like', 'match')
                """)
            #expect(ownType > 0, "\(result.output)\(result.errors)")
        }
    }

    @Test func everyQueryRuns() async throws {
        let queries = try Readme().queries
        #expect(queries.count >= 5, "the README shows five incident queries: \(queries.map(\.name))")
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
}
